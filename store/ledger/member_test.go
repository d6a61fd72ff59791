package ledger_test

import (
	"encoding/hex"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"concilia/store/ledger"
)

// fillRecord gives every member of a record a value that the seed decides: texts of any bytes, numbers of any sign, and
// members that may be absent, which have no value then.
func fillRecord(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		text := make([]byte, r.IntN(12))
		for i := range text {
			text[i] = byte(r.UintN(256))
		}
		v.SetString(string(text))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(int32(r.Uint32())) >> r.UintN(24))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		for i := range v.Len() {
			fillRecord(r, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fillRecord(r, v.Field(i))
		}
		if ok := v.FieldByName("OK"); ok.IsValid() && !ok.Bool() {
			v.SetZero()
		}
	}
}

func recordsOf(seed uint64) (i ledger.Installment, v ledger.SlipView) {
	r := rand.New(rand.NewPCG(seed, 1))
	fillRecord(r, reflect.ValueOf(&i).Elem())
	fillRecord(r, reflect.ValueOf(&v).Elem())
	return i, v
}

// Rows keep the hash of their content for ever, so a change of the hash would make every row a changed one. A member that the service
// adds changes it all the same: its line is the last of the list, and the hashes below are renewed with it.
func TestContentHashesStay(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for seed := range uint64(4) {
		i, v := recordsOf(seed)
		for _, h := range []ledger.Hash{i.ContentHash(), v.ContentHash(), (&ledger.Installment{Account: ledger.Account(seed)}).ContentHash()} {
			got.WriteString(hex.EncodeToString(h[:]) + "\n")
		}
	}
	if got.String() != contentHashes {
		t.Errorf("the hashes of known records changed; only a new member may do that, and then contentHashes is:\n%s", got.String())
	}
}

const contentHashes = `479dd04f436a0d0aba044a12e7bce0ec
0137a507978e32eed4543014d79c0260
6a3a9301bb8dd782bb5c170bedfa73e9
c92657f6519b2e9fc9a84c35db825bef
27432c50bf9625d1dcdfb74853a446f5
367c080df1325f3c4e6b80743ebd9f3b
e2ad9dbd81b1548c9207c01d5da19ad8
102e3dd4bdbe86510d5ca2d7bed2a5de
087dac4a46f45a59def433b933e3e4cb
0edd647be56dc019d13691f8944e7af7
66c45bbcd733321c6a0cf3a9bf6a6fe1
d476f123471fdf5ac9f6cda6a02e6385
`

// FuzzContentHash changes each member of a record in turn: each change is seen, and those of what the ledger itself assigns
// are not.
func FuzzContentHash(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		i, v := recordsOf(seed)
		seen := 0
		for n := range reflect.TypeOf(i).NumField() {
			changed := i
			change(reflect.ValueOf(&changed).Elem().Field(n))
			name := reflect.TypeOf(i).Field(n).Name
			assigned := name == "Occurrence" || name == "SaleOccurrence"
			if same := changed.ContentHash() == i.ContentHash(); same != assigned {
				t.Errorf("another %s: the same hash: %t", name, same)
			}
			if !assigned {
				seen++
			}
		}
		if seen != len(ledger.InstallmentMembers()) {
			t.Errorf("%d members of an installment, %d in the list", seen, len(ledger.InstallmentMembers()))
		}
		for n := range reflect.TypeOf(v).NumField() {
			changed := v
			change(reflect.ValueOf(&changed).Elem().Field(n))
			if changed.ContentHash() == v.ContentHash() {
				t.Errorf("another %s of a slip has the same hash", reflect.TypeOf(v).Field(n).Name)
			}
		}
		if n := reflect.TypeOf(v).NumField(); n != len(ledger.SlipMembers()) {
			t.Errorf("%d members of a slip's view, %d in the list", n, len(ledger.SlipMembers()))
		}
	})
}

// change gives a value another one.
func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case reflect.Struct: // an optional value: one that is absent is there now, one that is there is another
		if ok := v.FieldByName("OK"); !ok.Bool() {
			ok.SetBool(true)
			return
		}
		change(v.FieldByName("V"))
	default:
		v.SetInt(v.Int() ^ 1)
	}
}
