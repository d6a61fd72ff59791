package cnab_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"concilia/export/cnab"
)

func TestWriterStartsANewLote(t *testing.T) {
	t.Parallel()
	h := cnab.Header{Account: shop, Profile: cnab.Febraban, AsOf: on(11, 20), NSA: 1}
	shares := func(n int) cnab.Title {
		title := installments[2]
		title.Splits = make([]cnab.SplitLine, n)
		for i := range title.Splits {
			title.Splits[i].Ordinal = i + 1
		}
		return title
	}
	for _, tc := range []struct {
		why    string
		titles []cnab.Title
		want   []int // titles of each lote
	}{
		{"49 999 titles fill a lote, the next one opens another", repeated(installments[3], 50_000), []int{49_999, 1}},
		{"99 999 records fill it too", []cnab.Title{shares(99_997), shares(0)}, []int{1, 1}},
		{"a title is never parted", []cnab.Title{shares(0), shares(99_996), shares(0)}, []int{1, 1, 1}},
		{"and one that just fits stays", []cnab.Title{shares(0), shares(99_995), shares(0)}, []int{2, 1}},
	} {
		raw, totals := write(t, h, tc.titles...)
		got := make([]int, totals.Lotes)
		file, err := cnab.Read(bytes.NewReader(raw), cnab.ReadOptions{StrictIdentities: true})
		for i, l := range file.Lotes {
			got[i] = len(l.Titles)
		}
		if err != nil || file.Totals != totals {
			t.Errorf("%s: %v, totals %+v and %+v", tc.why, err, totals, file.Totals)
		}
		if len(got) != len(tc.want) {
			t.Fatalf("%s: lotes %v, want %v", tc.why, got, tc.want)
		}
		for i := range got {
			if got[i] != tc.want[i] {
				t.Errorf("%s: lotes %v, want %v", tc.why, got, tc.want)
			}
		}
	}
}

func repeated(title cnab.Title, n int) []cnab.Title {
	out := make([]cnab.Title, n)
	for i := range out {
		out[i] = title
	}
	return out
}

func TestWriterFillsAFile(t *testing.T) {
	t.Parallel()
	w, err := cnab.NewWriter(io.Discard, cnab.Header{Account: shop, Profile: cnab.Febraban, AsOf: on(11, 20), NSA: 1})
	if err != nil {
		t.Fatal(err)
	}
	title := installments[2]
	title.Splits = make([]cnab.SplitLine, 19_998) // 20 000 records, five titles a lote but for its last record
	for i := range title.Splits {
		title.Splits[i].Ordinal = i + 1
	}
	for err == nil {
		err = w.WriteTitle(title)
	}
	if !errors.Is(err, cnab.ErrFileFull) {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	// Four titles a lote: 12 lotes of 80 002 records, and the file's own two, are 960 026; one title more fits.
	if n := w.Totals(); n.Records != 980_028 || n.Titles != 49 || n.Lotes != 13 {
		t.Errorf("%d records, %d titles, %d lotes", n.Records, n.Titles, n.Lotes)
	}
	if err := w.WriteTitle(title); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a title after the end: %v", err)
	}
}

// failing takes a number of bytes and then fails.
type failing struct{ left int }

var errDisk = errors.New("disk full")

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errDisk
	}
	return len(b), nil
}

func TestWriterReportsAFailingDisk(t *testing.T) {
	t.Parallel()
	w, err := cnab.NewWriter(&failing{left: 70_000}, cnab.Header{Account: shop, Profile: cnab.Febraban, AsOf: on(11, 20), NSA: 1})
	for range 1000 {
		err = errors.Join(err, w.WriteTitle(installments[3]))
	}
	if !errors.Is(err, errDisk) || !errors.Is(w.Close(), errDisk) {
		t.Errorf("error %v", err)
	}
}
