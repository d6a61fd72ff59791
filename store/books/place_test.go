package books

import "testing"

// Titles fill the lotes of a file one after the other: the record that a title gets is the one that its writer gives it.
func TestPlaceTitles(t *testing.T) {
	t.Parallel()
	type place struct{ lote, record int }
	for _, row := range []struct {
		why     string
		records int // of each title
		at      map[int]place
		fits    int // titles of a file
	}{
		{"two records a title: 49,999 titles fill a lote", 2, map[int]place{
			1: {1, 1}, 2: {1, 3}, 49_999: {1, 99_997}, 50_000: {2, 1}, 99_999: {3, 1},
		}, 9*49_999 + 49_997},
		{"a lote has 99,999 records at most, before it has that many titles", 5, map[int]place{
			1: {1, 1}, 19_999: {1, 99_991}, 20_000: {2, 1},
		}, 10*19_999 + 5},
	} {
		p, fits := placer{}, 0
		for p.placeTitle(row.records) {
			fits++
			if want, ok := row.at[fits]; ok && (place{p.lote, p.last}) != want {
				t.Errorf("%s: title %d is at %d, %d; want %v", row.why, fits, p.lote, p.last, want)
			}
		}
		if fits != row.fits {
			t.Errorf("%s: %d titles are in a file, want %d", row.why, fits, row.fits)
		}
		// A file has a header and a trailer, and so has each lote.
		if p.records+2 > fileRecords || p.records+2+row.records <= fileRecords {
			t.Errorf("%s: a full file has %d records", row.why, p.records+2)
		}
	}
	var p placer
	p.placeTitle(4)
	p.placeShare()
	p.placeShare()
	if p.last != 4 {
		t.Errorf("the second share of a title is record %d, want 4", p.last)
	}
	if p.placeTitle(2); p.last != 5 {
		t.Errorf("the title after it is record %d, want 5", p.last)
	}
}
