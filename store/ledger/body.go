package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"time"

	"github.com/klauspost/compress/gzip"
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
	// One byte more than expected is enough to detect a body that is too long.
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

// readErrorRecorder records whether reading failed, since io.Copy does not distinguish errors of reading and writing.
type readErrorRecorder struct {
	from   io.Reader
	failed bool
}

func (n *readErrorRecorder) Read(p []byte) (int, error) {
	k, err := n.from.Read(p)
	n.failed = n.failed || err != nil && !errors.Is(err, io.EOF)
	return k, err
}

// BodyPacker compresses what is written to it. The same bytes give the same result: it contains neither time nor name.
type BodyPacker struct {
	start       []byte // the beginning of the body, until there is enough of it to compress
	packed      bytes.Buffer
	gzip        *gzip.Writer // nil until a body is compressed; Reset keeps it for the next
	compressing bool         // the body is no longer in start
	sum         hash.Hash
	size        int64
}

// compressFrom is how many bytes are buffered before compression starts: a compressor takes near a megabyte of memory, too
// much for many short or slow answers at once.
const compressFrom = 64 << 10

// storeUpTo is the size in bytes up to which a body is stored uncompressed. Most answers are an empty list.
const storeUpTo = 256

// NewBodyPacker returns an empty BodyPacker.
func NewBodyPacker() *BodyPacker { return &BodyPacker{sum: sha256.New()} }

// Reset empties the packer for another body. It keeps its compressor, which costs more to make than most bodies to compress.
func (p *BodyPacker) Reset() {
	p.start, p.compressing, p.size = p.start[:0], false, 0
	p.packed.Reset()
	p.sum.Reset()
}

// Write adds bytes as they are to be kept. It does not fail.
func (p *BodyPacker) Write(b []byte) (int, error) {
	p.size += int64(len(b))
	p.sum.Write(b)
	if !p.compressing && len(p.start)+len(b) <= compressFrom {
		p.start = append(p.start, b...)
		return len(b), nil
	}
	if err := p.startCompression(); err != nil {
		return 0, err
	}
	return p.gzip.Write(b)
}

// startCompression starts the compressor and writes the buffered beginning to it.
func (p *BodyPacker) startCompression() error {
	if p.compressing {
		return nil
	}
	p.compressing = true
	if p.gzip == nil {
		// The fastest level: bodies repeat their member names in every row, and the best level gains little at five times the
		// cost. The level is valid, so there is no error.
		p.gzip, _ = gzip.NewWriterLevel(&p.packed, gzip.BestSpeed)
	} else {
		p.gzip.Reset(&p.packed)
	}
	_, err := p.gzip.Write(p.start)
	return err
}

// TakePacked takes out what is compressed so far if it is so many bytes at least; nil if it is less. What Pack returns follows it.
func (p *BodyPacker) TakePacked(atLeast int) []byte {
	if p.packed.Len() < atLeast {
		return nil
	}
	part := bytes.Clone(p.packed.Bytes())
	p.packed.Reset()
	return part
}

// CloneSum returns a SHA-256 of what was written so far, which goes on by itself.
func (p *BodyPacker) CloneSum() hash.Hash {
	sum, _ := p.sum.(hash.Cloner).Clone() // of the standard library's hashes each can
	return sum
}

// Pack ends the body; received is the SHA-256, in hex, of what arrived.
func (p *BodyPacker) Pack(received string) (*Body, error) {
	b := &Body{SHA256: received, Kept: hex.EncodeToString(p.sum.Sum(nil)), Size: p.size}
	if !p.compressing && len(p.start) <= storeUpTo {
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

// uncompressedGzip returns text as a gzip file of one uncompressed block (RFC 1951, 3.2.4; RFC 1952, 2.3).
func uncompressedGzip(text []byte) []byte {
	b := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255, 1}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	b = binary.LittleEndian.AppendUint16(b, ^uint16(len(text)))
	b = append(b, text...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(text))
	return binary.LittleEndian.AppendUint32(b, uint32(len(text)))
}

// FileHash is the SHA-256 of a file's bytes.
type FileHash [32]byte

func (h FileHash) String() string { return hex.EncodeToString(h[:]) }
