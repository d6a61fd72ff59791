package sales

import (
	gocmp "cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store/ledger/ownsales"
)

// fillMembers sets every member of a struct to a value of its own, so that one that is not passed on is missed.
func fillMembers(v reflect.Value, draw *rand.Rand) {
	for _, field := range v.Fields() {
		switch field.Kind() {
		case reflect.Struct:
			fillMembers(field, draw)
		case reflect.String:
			field.SetString(fmt.Sprintf("ç%d", 1+draw.IntN(1_000_000)))
		case reflect.Bool:
			field.SetBool(true)
		default:
			field.SetInt(1 + draw.Int64N(1_000_000)*(1-2*draw.Int64N(2)))
		}
	}
}

// Records in any order come back in order of their keys with all their members, from memory and from a file of many parts, again and again.
func TestSpoolSortsRecords(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(2026, 7))
	var all []ownsales.Record
	for i := range 500 {
		p, v, n := &ownsales.Payment{}, &ownsales.Void{}, &ownsales.Numbers{}
		for _, one := range []any{p, v, n} {
			fillMembers(reflect.ValueOf(one).Elem(), draw)
		}
		p.Sale, p.Number = fmt.Sprintf("S%d", draw.IntN(200)), 1+draw.IntN(300) // some twice
		v.Sale, n.From = p.Sale, int64(i)
		all = append(all, ownsales.Record{Payment: p}, ownsales.Record{Void: v}, ownsales.Record{Numbers: n})
	}
	draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	want := slices.Clone(all)
	slices.SortStableFunc(want, compareRecords)
	for _, size := range []int{1 << 20, 4 << 10} {
		s := newSpool(size)
		for i := range all {
			if err := s.add(&all[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.EndAdding(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			var got []ownsales.Record
			err := s.read(func(r *ownsales.Record) error {
				got = append(got, *r)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("parts of %d bytes: put in (-) and read (+):\n%s", size, diff)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func compareRecords(a, b ownsales.Record) int {
	kind := func(r *ownsales.Record) int {
		switch {
		case r.Payment != nil:
			return 0
		case r.Void != nil:
			return 1
		}
		return 2
	}
	if c := kind(&a) - kind(&b); c != 0 {
		return c
	}
	switch {
	case a.Payment != nil:
		return keyOf(a.Payment).compare(keyOf(b.Payment))
	case a.Void != nil:
		return strings.Compare(a.Void.Sale, b.Void.Sale)
	}
	x, y := a.Numbers, b.Numbers
	return gocmp.Or(strings.Compare(x.Emitter+x.Model+x.Series, y.Emitter+y.Model+y.Series), gocmp.Compare(x.From, y.From))
}
