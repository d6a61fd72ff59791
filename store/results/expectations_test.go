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
	if err := putExpectation(&a, &e); err != nil {
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
8452d6abe7d52c6bfb772c32bb7a06df
9c16cc60f78bcb6e3c1932c156b4a814
35bace6226e26461897602449ddcaf69
f98f9f1de572277f8c7684288e42c857
654ca768c45a9510bbf0b24899179046
0ee19aa67424d05b5309241423df55f2
d0d12db6e41eab8b3f50060916496ed2
ddf81cce6fa8d10eb91db659a8caa430
a23b170beffbd93fd3314d7c3b922528
7864dc17f7534ed57915753dc17e910f
0a14b5fd62d39e9c62d6ff9ad7b5a24d
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
			if err := putExpectation(&a, &e); err != nil {
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
