package books

import (
	"reflect"
	"strings"
	"testing"

	"concilia/store/ledger/bookkeeping"
)

// fillValue gives every member of a value another number or text than the one before it has, so that none can take the place of another.
func fillValue(v reflect.Value, n *int64) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			fillValue(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fillValue(v.Index(i), n)
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		*n++
		v.SetString(strings.Repeat(`|\p`, int(*n)))
	default:
		*n++
		v.SetInt(-*n)
	}
}

// TestStateOfAnEvent: whatever a title has is read as it was written, and a text that was cut off or goes on is an error.
func TestStateOfAnEvent(t *testing.T) {
	t.Parallel()
	whole := &bookkeeping.TitleState{}
	n := int64(0)
	fillValue(reflect.ValueOf(whole).Elem(), &n)
	card, slip := *whole, *whole
	card.Slip, card.Booked, slip.Card = nil, nil, nil
	for says, state := range map[string]*bookkeeping.TitleState{"every member": whole, "a card": &card, "a slip": &slip, "none": nil, "zeros": {}} {
		text := encodeState(state)
		var got *bookkeeping.TitleState
		if err := decodeState(text, &got); err != nil || !reflect.DeepEqual(got, state) {
			t.Errorf("%s: %+v, %v\nwant %+v\nfrom %s", says, got, err, state, text)
		}
		for end := 1; end < len(text); end++ {
			if decodeState(text[:end], &got) == nil {
				t.Errorf("%s: %q was read", says, text[:end])
			}
		}
		if text != "" && decodeState(text+"0|", &got) == nil {
			t.Errorf("%s: what follows was not seen", says)
		}
	}
}
