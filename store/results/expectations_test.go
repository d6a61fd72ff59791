package results

import (
	"encoding/hex"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"concilia/store/ledger"
)

// fillRecord gives every member of a record a value that the seed decides.
func fillRecord(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.Repeat("a\"é<", r.IntN(3)))
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

func expectationsOf(seed uint64) (e ledger.Expectation, s ledger.SlipExpectation) {
	r := rand.New(rand.NewPCG(seed, 2))
	fillRecord(r, reflect.ValueOf(&e).Elem())
	fillRecord(r, reflect.ValueOf(&s).Elem())
	return e, s
}

func expectationHashes(t testing.TB, seed uint64) (card, slip ledger.Hash) {
	t.Helper()
	e, s := expectationsOf(seed)
	var a, b encodedRow
	if err := new(ExpectationRow).putExpectation(&a, &e); err != nil {
		t.Fatal(err)
	}
	putSlipExpectation(&b, &s)
	return a.contentHash(), b.contentHash()
}

// Expectations keep the hash of their content, so a change of the hash would write every expectation anew.
func TestExpectationHashesStay(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for seed := range uint64(6) {
		card, slip := expectationHashes(t, seed)
		got.WriteString(hex.EncodeToString(card[:]) + "\n" + hex.EncodeToString(slip[:]) + "\n")
	}
	if got.String() != knownHashes {
		t.Errorf("the hashes of known expectations changed:\n%s", got.String())
	}
}

const knownHashes = `731244e87196c606f13b50138cb4d185
29d33ea0a57144617b4e53356a458e46
9c16cc60f78bcb6e3c1932c156b4a814
9f4410f9e8052b5c39aaacbcb5da7c19
f98f9f1de572277f8c7684288e42c857
b5558da4268f9a673ab0d81d8ccede09
0ee19aa67424d05b5309241423df55f2
f566234c50d4134849bf7c82bd194d6f
ddf81cce6fa8d10eb91db659a8caa430
15982af5e91c99f0fab50e164a1abf43
7864dc17f7534ed57915753dc17e910f
812f63b3fffa3ee257267d26e684a75a
`

// FuzzExpectationHash changes each member of an expectation in turn: each change of a conclusion is seen, and the key, the
// run and what a report adds are no part of it.
func FuzzExpectationHash(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		e, s := expectationsOf(seed)
		hashes := func() string {
			var a, b encodedRow
			if err := new(ExpectationRow).putExpectation(&a, &e); err != nil {
				t.Fatal(err)
			}
			putSlipExpectation(&b, &s)
			return string(a) + string(b)
		}
		before := hashes()
		for _, record := range []reflect.Value{reflect.ValueOf(&e).Elem(), reflect.ValueOf(&s).Elem()} {
			for n := range record.NumField() {
				name := record.Type().Field(n).Name
				was := reflect.New(record.Field(n).Type()).Elem()
				was.Set(record.Field(n))
				changeValue(record.Field(n))
				if same := hashes() == before; same != (name == "Key" || name == "Account" || name == "ID" || name == "Run") {
					t.Errorf("another %s of %s: the same content: %t", name, record.Type(), same)
				}
				record.Field(n).Set(was)
			}
		}
	})
}

// changeValue gives a value another one.
func changeValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case reflect.Struct:
		if ok := v.FieldByName("OK"); ok.IsValid() && !ok.Bool() {
			ok.SetBool(true)
			return
		}
		changeValue(v.Field(0))
	default:
		v.SetInt(v.Int() ^ 1)
	}
}
