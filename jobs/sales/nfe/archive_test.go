package nfe

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/words"
)

// writeArchive writes a ZIP of so many entries without content, which it names in order, with a comment.
func writeArchive(t *testing.T, entries int, comment string) (archive []byte, names []string) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range entries {
		name := fmt.Sprintf("%04d.xml", entries-i)
		if _, err := w.CreateHeader(&zip.FileHeader{Name: name}); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := errors.Join(w.SetComment(comment), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), names
}

// An archive of more than a million entries is refused before one of them is looked at, one of a million is not refused for their number:
// this one does not have them.
func TestArchiveOfTooManyEntries(t *testing.T) {
	t.Parallel()
	for entries, message := range map[uint64]string{maxEntries + 1: "1000001 entries, at most 1000000", maxEntries: "no whole ZIP"} {
		var refusal *words.Refusal
		few, _ := writeArchive(t, 3, "")
		a, err := openArchive(bytes.NewReader(few), int64(len(few)))
		if err != nil {
			t.Fatal(err)
		}
		a.entries = entries
		if err := a.checkEntries(); !errors.As(err, &refusal) || refusal.Message.In("en") != message {
			t.Errorf("%d: %v", entries, err)
		}
	}
}

// Every entry is listed once and in order, however many pieces the directory is read in, and whatever follows it.
func TestArchiveInPieces(t *testing.T) {
	t.Parallel()
	for _, entries := range []int{0, 1, entriesAtOnce, entriesAtOnce + 1, 2*entriesAtOnce + 7} {
		archive, names := writeArchive(t, entries, "exported\nPK\x05\x06")
		for _, form := range []struct {
			name  string
			bytes []byte
		}{{"as it is", archive}, {"with 64-bit numbers", widen(archive)}} {
			var got []string
			a, err := openArchive(bytes.NewReader(form.bytes), int64(len(form.bytes)))
			if err != nil {
				t.Errorf("%d, %s: %v", entries, form.name, err)
				continue
			}
			err = a.eachEntry(func(f *zip.File) error {
				in, err := f.Open()
				if err != nil {
					return err
				}
				got = append(got, f.Name)
				return in.Close()
			})
			if diff := cmp.Diff(names, got); err != nil || diff != "" {
				t.Errorf("%d, %s: %v %s", entries, form.name, err, diff)
			}
		}
	}
}

// widen writes the end of an archive as one of more than four GiB has it.
func widen(archive []byte) []byte {
	at := bytes.LastIndex(archive, []byte("exported")) - endSize
	end, number := slices.Clone(archive[at:]), binary.LittleEndian
	wide := number.AppendUint64([]byte(wideEndMark), wideEndSize-12)
	wide = append(wide, make([]byte, 12)...)
	for range 2 {
		wide = number.AppendUint64(wide, uint64(number.Uint16(end[10:])))
	}
	wide = number.AppendUint64(wide, uint64(number.Uint32(end[12:])))
	wide = number.AppendUint64(wide, uint64(number.Uint32(end[16:])))
	locator := number.AppendUint64(append([]byte(locatorMark), 0, 0, 0, 0), uint64(at))
	locator = append(locator, 1, 0, 0, 0)
	copy(end[8:], bytes.Repeat([]byte{0xff}, 12))
	return slices.Concat(archive[:at], wide, locator, end)
}
