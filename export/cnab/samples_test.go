package cnab_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"concilia/export/cnab"
)

const samples = "../../testdata/cnab"

// sample reads a file of testdata.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(samples, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// golden compares with a file of testdata, or writes it when UPDATE_GOLDEN is set.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(filepath.Join(samples, name), got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := sample(t, name)
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; UPDATE_GOLDEN=1 writes it anew. Got:\n%s", name, got)
	}
}

func TestSamplesComeBackByteForByte(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bank-collection.ret", "installments.ret", "statement.ret"} {
		raw := sample(t, name)
		again, file, err := reemit(raw)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n := file.Warnings.Count(); n > 0 {
			t.Errorf("%s: %d warnings:\n%v", name, n, file.Warnings)
		}
		if !bytes.Equal(again, raw) {
			t.Errorf("%s does not come back", name)
		}
	}
}

// reemit reads a file and writes the records it is made of again.
func reemit(raw []byte) ([]byte, cnab.File, error) {
	var out bytes.Buffer
	w := cnab.NewRecordWriter(&out)
	file, err := cnab.Read(bytes.NewReader(raw), cnab.ReadOptions{
		StrictIdentities: true,
		OnRecord:         func(_ int, r *cnab.Record) error { return w.Write(r) },
	})
	err = errors.Join(err, w.Flush())
	return out.Bytes(), file, err
}
