package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// field is one member of a wire shape: its name in the interface document and how its value becomes part of a T.
type field[T any] struct {
	name     string
	required bool
	// set reads raw, which is never absent, null or "", and says in a few words what is wrong with it, or nothing. The
	// words never repeat the value.
	set func(raw []byte, in *reading, to *T) string
	// fast reads the value at the start of b if it is spelled as the service spells it, and returns its length; 0 means
	// that set has to look. Nil is always 0.
	fast func(b []byte, s *scanner, to *T) int
}

// must is the field with its presence demanded.
func (f field[T]) must() field[T] {
	f.required = true
	return f
}

// shape is a wire shape: its fields in the order of the interface document.
type shape[T any] struct {
	fields []field[T]
	fold   map[string]int // lower-case name to place
	exact  map[string]int // name to place
	keys   []string       // "name": as it stands on the wire without blanks
	needed uint64         // bits of the required places
}

func newShape[T any](fields ...field[T]) *shape[T] {
	s := &shape[T]{fields: fields, fold: map[string]int{}, exact: map[string]int{}}
	for i, f := range fields {
		s.fold[strings.ToLower(f.name)], s.exact[f.name] = i, i
		s.keys = append(s.keys, `"`+f.name+`":`)
		if f.required {
			s.needed |= 1 << i
		}
	}
	return s
}

// reading is what is found while an object is read, beside its value.
type reading struct {
	zone    *time.Location
	bad     []problem
	unknown []string // members the shape does not have
}

// problem is a member that could not be read exactly.
type problem struct{ member, why string }

// object is a JSON object read by a shape.
type object[T any] struct {
	reading
	value T
}

// read reads raw, which is valid JSON, by encoding/json. Members match without regard to case; a member that is
// there twice, in whatever cases, is bad unless both say the same.
//
// Spec gap: null, "" and an absent member are read alike as "not said"; where a member is required, all three are bad.
func (s *shape[T]) read(raw []byte, zone *time.Location) object[T] {
	o := object[T]{reading: reading{zone: zone}}
	given := make([]json.RawMessage, len(s.fields))
	twice := make([]bool, len(s.fields))
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		o.bad = append(o.bad, problem{"row", "not an object"})
		return o
	}
	for d.More() {
		var value json.RawMessage
		t, err := d.Token()
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			o.bad = append(o.bad, problem{"row", "not readable"})
			return o
		}
		name, _ := t.(string)
		i, ok := s.fold[strings.ToLower(name)]
		switch {
		case !ok:
			o.unknown = append(o.unknown, name)
		case given[i] != nil && !bytes.Equal(given[i], value):
			twice[i] = true
		default:
			given[i] = value
		}
	}
	for i, f := range s.fields {
		var why string
		switch {
		case twice[i]:
			why = "given twice"
		case !absent(given[i]):
			why = f.set(given[i], &o.reading, &o.value)
		default:
			why = unsaid
		}
		if why == unsaid && f.required {
			why = "missing"
		} else if why == unsaid {
			why = ""
		}
		if why != "" {
			o.bad = append(o.bad, problem{f.name, why})
		}
	}
	return o
}

// readable says whether none of the members is bad.
func (r *reading) readable(members ...string) bool {
	return !slices.ContainsFunc(r.bad, func(p problem) bool { return p.member == "row" || slices.Contains(members, p.member) })
}

func absent(raw []byte) bool {
	return len(raw) == 0 || string(raw) == "null" || string(raw) == `""`
}
