package xlsx

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// resolveEntities puts characters in place of entities, in the bytes handed in: no entity is shorter than its character.
func resolveEntities(b []byte) ([]byte, error) {
	out := b[:0]
	for i := 0; i < len(b); {
		if b[i] != '&' {
			out = append(out, b[i])
			i++
			continue
		}
		end := bytes.IndexByte(b[i:], ';')
		if end < 2 || end > 12 {
			return nil, fmt.Errorf("%w: an entity without end", errXML)
		}
		r, ok := entityRune(string(b[i+1 : i+end]))
		if !ok {
			return nil, fmt.Errorf("%w: entity %.12q", errXML, b[i:i+end+1])
		}
		i += end + 1
		out = utf8.AppendRune(out, r)
	}
	return out, nil
}

func entityRune(name string) (rune, bool) {
	switch name {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	if name[0] != '#' || len(name) < 2 {
		return 0, false
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	return rune(n), err == nil && utf8.ValidRune(rune(n)) && n > 0
}

// attribute is the value of an attribute of the element that has just started, by its name without prefix; nil when it has none. It is good until
// the next call.
func (s *xmlScanner) attribute(name string) ([]byte, error) {
	rest := s.attrs
	for {
		i := bytes.IndexByte(rest, '=')
		if i < 0 {
			return nil, nil
		}
		to := i
		for to > 0 && isSpace(rest[to-1]) {
			to--
		}
		from := to
		for from > 0 && !isSpace(rest[from-1]) {
			from--
		}
		key := localName(rest[from:to])
		for i++; i < len(rest) && isSpace(rest[i]); i++ {
		}
		if i == len(rest) || (rest[i] != '"' && rest[i] != '\'') {
			return nil, fmt.Errorf("%w: an attribute without quotes", errXML)
		}
		end := bytes.IndexByte(rest[i+1:], rest[i])
		if end < 0 {
			return nil, fmt.Errorf("%w: an attribute without end", errXML)
		}
		value := rest[i+1 : i+1+end]
		rest = rest[i+end+2:]
		if string(key) != name {
			continue
		}
		if bytes.IndexByte(value, '&') < 0 {
			return value, nil
		}
		return resolveEntities(bytes.Clone(value))
	}
}
