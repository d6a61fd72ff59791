package world_test

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
)

// Equal options give equal files, byte for byte, and what is planted is what is to be found in them: each once, in a world that is
// long enough.
func TestStoreFiles(t *testing.T) {
	t.Parallel()
	a, b, other := draw(t, world.Options{Seed: 7, Plant: true}), draw(t, world.Options{Seed: 7}), draw(t, world.Options{Seed: 8})
	from, to := a.Days()
	for i, s := range a.Stores() {
		clean, planted := b.StoreFiles(s, from, to, false), a.StoreFiles(s, from, to, true)
		if !areEqual(planted, draw(t, world.Options{Seed: 7, Plant: true}).StoreFiles(s, from, to, true)) {
			t.Errorf("%s: two worlds of one seed differ", s.ID)
		}
		if areEqual(clean, planted) || areEqual(clean, other.StoreFiles(s, from, to, false)) {
			t.Errorf("%s: what is planted or the seed changes nothing", s.ID)
		}
		if wantFiles := 2 - i; len(planted) != wantFiles || len(clean) != 1 {
			t.Errorf("%s: %d and %d files", s.ID, len(planted), len(clean))
		}
	}
	var codes []string
	for _, p := range a.PlantedInStores() {
		codes = append(codes, p.Code)
	}
	slices.Sort(codes)
	want := []string{
		"SALE_AMOUNT_MISMATCH", "SALE_AMOUNT_MISMATCH", "SALE_AUTH_UNKNOWN", "SALE_BRAND_MISMATCH", "SALE_CANCELLED_ONE_SIDE", "SALE_DUPLICATE_IN_ERP", "SALE_FILE_MISSING",
		"SALE_INSTALLMENTS_MISMATCH", "SALE_NOT_AT_ACQUIRER", "SALE_NOT_IN_ERP", "SALE_NOT_IN_ERP",
	}
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Errorf("planted (-want +got):\n%s", diff)
	}
}

func areEqual(a, b []world.StoreFile) bool {
	return slices.EqualFunc(a, b, func(x, y world.StoreFile) bool { return x.Name == y.Name && bytes.Equal(x.Bytes, y.Bytes) })
}

// A day more changes neither what is planted nor what the days before say; a world too short for differences has none.
func TestStoresOfALongerWorld(t *testing.T) {
	t.Parallel()
	o := world.Options{Seed: 1, Plant: true, AsOf: date(t, "2026-11-18"), Days: 60, To: date(t, "2026-11-20")}
	long := draw(t, o)
	from, _ := long.Days()
	before := map[string][]world.StoreFile{}
	eve := date(t, "2026-11-17")
	for _, s := range long.Stores() {
		before[s.ID] = long.StoreFiles(s, from, eve, true)
	}
	planted := long.PlantedInStores()
	long.SetNow(date(t, "2026-11-21").At(6 * 60 * 60))
	if diff := cmp.Diff(planted, long.PlantedInStores()); diff != "" {
		t.Errorf("three days later (-before +after):\n%s", diff)
	}
	for _, s := range long.Stores() {
		if files := long.StoreFiles(s, from, eve, true); !s.Notes && !areEqual(before[s.ID][:1], files[:1]) {
			t.Errorf("%s: the first file is another one three days later", s.ID)
		}
	}
	if none := draw(t, world.Options{Seed: 1, Plant: true, Days: 5}).PlantedInStores(); len(none) != 0 {
		t.Errorf("planted in five days: %+v", none)
	}
}

// The notes of a store have every number, used or declared unused, some are void, and each note of a sale names who bought.
func TestStoreNotes(t *testing.T) {
	t.Parallel()
	w := draw(t, world.Options{Seed: 1})
	from, to := w.Days()
	s := w.Stores()[1]
	file := w.StoreFiles(s, from, to, false)[0]
	z, err := zip.NewReader(bytes.NewReader(file.Bytes), int64(len(file.Bytes)))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, f := range z.File {
		name, _ := strings.CutSuffix(f.Name, ".xml")
		kind := name[strings.LastIndex(name, "-")+1:]
		kinds[kind]++
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		_, err = text.ReadFrom(in)
		if strings.Contains(text.String(), "<dest><CPF>") != (kind == "procNFe") || err != nil {
			t.Errorf("who bought by %s: %v\n%s", f.Name, err, text.String())
		}
	}
	if kinds["procNFe"] < 300 || kinds["procEventoNFe"] == 0 || kinds["inut"] == 0 {
		t.Errorf("documents: %v", kinds)
	}
}
