package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"

	"concilia/export/words"
)

const (
	// packBlock is how many bytes are compressed by themselves: so many that their result is hardly larger than with those before them, and
	// so few that a file of some megabytes occupies two cores.
	packBlock = 512 << 10
	// maxPackedBlocks is how many blocks of a file are compressed at once: each takes two megabytes.
	maxPackedBlocks = 2
)

// packFile compresses a file that has to have the hash. It becomes one gzip member for each block, which read as one file.
func (a *Archive) packFile(ctx context.Context, sum, local, packed string) error {
	from, err := os.Open(local)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(packed, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	have, err := a.packBlocks(ctx, to, from)
	if err := errors.Join(err, to.Close()); err != nil {
		return err
	}
	if hex.EncodeToString(have[:]) != sum {
		return words.NewFault("target_fault.changed_before", "", "name", filepath.Base(local), "have", hex.EncodeToString(have[:]), "want", sum)
	}
	return nil
}

// packBlocks compresses until the end of from, and returns the SHA-256 of what it read.
func (a *Archive) packBlocks(ctx context.Context, to io.Writer, from io.Reader) (sum digest, err error) {
	var packing []*blockPacker // in the order of their blocks
	defer func() {
		for _, b := range packing { // after an error, which is the one that counts
			if <-b.done == nil {
				a.packers.Put(b)
			}
		}
	}()
	writeFirst := func() error {
		b := packing[0]
		packing = packing[1:]
		defer a.packers.Put(b)
		if err := <-b.done; err != nil {
			return err
		}
		_, err := to.Write(b.packed.Bytes())
		return err
	}
	h := sha256.New()
	for isFirst, more := true, true; more; isFirst = false {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		if len(packing) == maxPackedBlocks {
			if err := writeFirst(); err != nil {
				return sum, err
			}
		}
		b, err := a.takePacker()
		if err != nil {
			return sum, err
		}
		n, err := io.ReadFull(from, b.plain)
		switch more = err == nil; {
		case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return sum, err
		case n == 0 && !isFirst: // an empty file has one block
			continue
		}
		packing = append(packing, b)
		go b.compressBlock(n)
		h.Write(b.plain[:n])
	}
	for len(packing) > 0 {
		if err := writeFirst(); err != nil {
			return sum, err
		}
	}
	return digest(h.Sum(nil)), nil
}

// blockPacker compresses one block after another.
type blockPacker struct {
	plain  []byte // the block is at its beginning
	packed bytes.Buffer
	gzip   *gzip.Writer
	done   chan error // has a value once a block is packed
}

// takePacker returns one that is free. It costs more to make than most files to compress.
func (a *Archive) takePacker() (*blockPacker, error) {
	if b, ok := a.packers.Get().(*blockPacker); ok {
		return b, nil
	}
	b := &blockPacker{plain: make([]byte, packBlock), done: make(chan error, 1)}
	var err error
	b.gzip, err = gzip.NewWriterLevel(&b.packed, gzip.BestSpeed)
	return b, err
}

// compressBlock compresses the first n bytes of plain.
func (b *blockPacker) compressBlock(n int) {
	b.packed.Reset()
	b.gzip.Reset(&b.packed)
	_, err := b.gzip.Write(b.plain[:n])
	b.done <- errors.Join(err, b.gzip.Close())
}
