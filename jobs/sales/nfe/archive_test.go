package nfe

import (
	"archive/zip"
	"errors"
	"testing"

	"concilia/store/ledger"
)

// An archive of more than a million entries is refused before one of them is looked at, one of a million is not refused for their number.
func TestArchiveOfTooManyEntries(t *testing.T) {
	t.Parallel()
	var refusal *ledger.OwnRefusal
	err := checkArchive(&zip.Reader{File: make([]*zip.File, maxEntries+1)})
	if !errors.As(err, &refusal) || refusal.ID != "limit" || refusal.Message != "1000001 entries, at most 1000000" {
		t.Errorf("one entry too many: %v", err)
	}
	most := make([]*zip.File, maxEntries)
	one := &zip.File{FileHeader: zip.FileHeader{Name: "a.xml"}}
	for i := range most {
		most[i] = one
	}
	if err := checkArchive(&zip.Reader{File: most}); err != nil {
		t.Errorf("a million entries: %v", err)
	}
}
