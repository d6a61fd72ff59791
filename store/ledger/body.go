package ledger

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"time"
)

// Body is the body of an answer as it is kept: compressed, and masked without changing its length. Its key is the hash
// of what arrived, which later changes of the kept bytes do not affect.
type Body struct {
	SHA256    string // as received, hex
	Kept      string // SHA-256 as kept, hex; equals SHA256 where nothing was masked
	Size      int64  // bytes, before compression
	Packed    []byte // gzip of the bytes as kept; nil after they were deleted, and in lists
	FirstOn   Date   // business day of the first pull that brought it
	LastOn    Date   // and of the last
	ExpiredOn Date   // business day on which its bytes were deleted; none while they are there
	Forgotten time.Time
}

// Changed reports whether the kept bytes differ from those that arrived.
func (b *Body) Changed() bool { return b.Kept != b.SHA256 }

// ErrBodyDamaged means that the bytes of a body do not match their hash or length.
var ErrBodyDamaged = errors.New("the kept bytes are not those that were kept: the ledger is damaged")

// WriteTo writes the bytes as kept and checks their hash and length. An error may follow the last byte.
func (b *Body) WriteTo(w io.Writer) (int64, error) {
	from, err := gzip.NewReader(bytes.NewReader(b.Packed))
	if err != nil {
		return 0, ErrBodyDamaged
	}
	sum, read := sha256.New(), &readErrorRecorder{from: from}
	// One byte more than there should be is enough to see that there is more.
	n, err := io.Copy(io.MultiWriter(w, sum), io.LimitReader(read, b.Size+1))
	switch {
	case read.failed:
		return n, ErrBodyDamaged
	case err != nil:
		return n, err
	case n != b.Size || hex.EncodeToString(sum.Sum(nil)) != b.Kept:
		return n, ErrBodyDamaged
	}
	return n, nil
}

// readErrorRecorder tells an error of reading from one of writing, which io.Copy gives alike.
type readErrorRecorder struct {
	from   io.Reader
	failed bool
}

func (n *readErrorRecorder) Read(p []byte) (int, error) {
	k, err := n.from.Read(p)
	n.failed = n.failed || err != nil && !errors.Is(err, io.EOF)
	return k, err
}

// BodyPacker compresses what is written to it. The same bytes give the same result: neither time nor name enters it.
type BodyPacker struct {
	start  []byte // of the body, until there is enough of it to compress
	packed bytes.Buffer
	gzip   *gzip.Writer // nil while start is all there is
	sum    hash.Hash
	size   int64
}

// compressFrom is how many bytes wait: a compressor takes near a megabyte, which many short answers at once, or one that
// is long in coming, should not hold.
const compressFrom = 64 << 10

// storeUpTo is up to how many bytes are stored as they are: an empty list, which most answers are, is not worth a compressor.
const storeUpTo = 256

// NewBodyPacker is an empty Packer.
func NewBodyPacker() *BodyPacker { return &BodyPacker{sum: sha256.New()} }

// Write takes bytes as they are to be kept. It does not fail.
func (p *BodyPacker) Write(b []byte) (int, error) {
	p.size += int64(len(b))
	p.sum.Write(b)
	if p.gzip == nil && len(p.start)+len(b) <= compressFrom {
		p.start = append(p.start, b...)
		return len(b), nil
	}
	if err := p.startCompression(); err != nil {
		return 0, err
	}
	return p.gzip.Write(b)
}

// startCompression begins to compress, with what waits.
func (p *BodyPacker) startCompression() error {
	if p.gzip != nil {
		return nil
	}
	// The fastest level: bodies repeat their member names in every row, and the best one gains little at five times the
	// cost. The level is one there is, so there is no error.
	p.gzip, _ = gzip.NewWriterLevel(&p.packed, gzip.BestSpeed)
	_, err := p.gzip.Write(p.start)
	p.start = nil
	return err
}

// Pack ends the body; received is the SHA-256, in hex, of what arrived.
func (p *BodyPacker) Pack(received string) (*Body, error) {
	b := &Body{SHA256: received, Kept: hex.EncodeToString(p.sum.Sum(nil)), Size: p.size}
	if p.gzip == nil && len(p.start) <= storeUpTo {
		b.Packed = uncompressedGzip(p.start)
		return b, nil
	}
	err := p.startCompression()
	if err == nil {
		err = p.gzip.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("compress a body: %w", err)
	}
	b.Packed = bytes.Clone(p.packed.Bytes())
	return b, nil
}

// uncompressedGzip is text as a gzip file of one block that is not compressed (RFC 1951, 3.2.4; RFC 1952, 2.3).
func uncompressedGzip(text []byte) []byte {
	b := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255, 1}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	b = binary.LittleEndian.AppendUint16(b, ^uint16(len(text)))
	b = append(b, text...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(text))
	return binary.LittleEndian.AppendUint32(b, uint32(len(text)))
}
