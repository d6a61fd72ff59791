package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"concilia/store/ledger"
)

func packed(t *testing.T, text string) *ledger.Body {
	t.Helper()
	p := ledger.NewBodyPacker()
	if _, err := io.WriteString(p, text); err != nil {
		t.Fatal(err)
	}
	b, err := p.Pack("received")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is packed comes back, in the same bytes every time, and is known by its hash.
func TestBody(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", strings.Repeat("a", 256), strings.Repeat("a", 257), strings.Repeat("ab", 32<<10), strings.Repeat("ab", 32<<10) + "c", strings.Repeat(`{"nsu":"1"},`, 50_000)} {
		b := packed(t, text)
		sum := sha256.Sum256([]byte(text))
		if b.Kept != hex.EncodeToString(sum[:]) || b.Size != int64(len(text)) || b.SHA256 != "received" || !b.Changed() {
			t.Errorf("%d bytes packed as %s, %d bytes, of %s", len(text), b.Kept, b.Size, b.SHA256)
		}
		var out strings.Builder
		if _, err := b.WriteTo(&out); err != nil || out.String() != text {
			t.Errorf("%d bytes came back as %d: %v", len(text), out.Len(), err)
		}
		if again := packed(t, text); !bytes.Equal(again.Packed, b.Packed) {
			t.Errorf("%d bytes are packed in two ways", len(text))
		}
	}
}

// A packer that packed other bodies before packs the next one as a new packer does.
func TestBodyPackerReset(t *testing.T) {
	t.Parallel()
	p := ledger.NewBodyPacker()
	for _, text := range []string{strings.Repeat(`{"nsu":"1"},`, 50_000), "[]", strings.Repeat("ab", 32<<10), "", strings.Repeat(`{"nsu":"2"},`, 50_000), strings.Repeat("a", 257)} {
		p.Reset()
		if _, err := io.WriteString(p, text); err != nil {
			t.Fatal(err)
		}
		b, err := p.Pack("received")
		if err != nil {
			t.Fatal(err)
		}
		if once := packed(t, text); !bytes.Equal(b.Packed, once.Packed) || b.Kept != once.Kept || b.Size != once.Size {
			t.Errorf("%d bytes are packed otherwise after another body: %d bytes for %d", len(text), len(b.Packed), len(once.Packed))
		}
	}
}

// Damage never passes for evidence.
func TestBodyDamaged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		damage func(*ledger.Body)
	}{
		{"no bytes", func(b *ledger.Body) { b.Packed = nil }},
		{"a byte that differs", func(b *ledger.Body) { b.Packed[len(b.Packed)/2] ^= 1 }},
		{"an end that is missing", func(b *ledger.Body) { b.Packed = b.Packed[:len(b.Packed)-9] }},
		{"another body whole", func(b *ledger.Body) { b.Packed = packed(t, strings.Repeat("b", 1000)).Packed }},
		{"a longer body", func(b *ledger.Body) { b.Packed = packed(t, strings.Repeat("a", 1001)).Packed }},
		{"another length", func(b *ledger.Body) { b.Size++ }},
	} {
		b := packed(t, strings.Repeat("a", 1000))
		c.damage(b)
		if _, err := b.WriteTo(io.Discard); !errors.Is(err, ledger.ErrBodyDamaged) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	b, full := packed(t, "[]"), errors.New("the disk is full")
	if _, err := b.WriteTo(failing{full}); !errors.Is(err, full) {
		t.Errorf("a place that takes nothing: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
