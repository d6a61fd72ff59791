package xlsx

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// resolve puts characters in place of entities, in the bytes handed in: no entity is shorter than its character.
func resolve(b []byte) ([]byte, error) {
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
		r, ok := entity(string(b[i+1 : i+end]))
		if !ok {
			return nil, fmt.Errorf("%w: entity %.12q", errXML, b[i:i+end+1])
		}
		i += end + 1
		out = utf8.AppendRune(out, r)
	}
	return out, nil
}

func entity(name string) (rune, bool) {
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

// attr is the value of an attribute of the element that has just started, by its name without prefix; "" when it has none.
func (s *xmlScanner) attr(name string) (string, error) {
	rest := s.attrs
	for {
		i := bytes.IndexByte(rest, '=')
		if i < 0 {
			return "", nil
		}
		key := bytes.TrimRight(rest[:i], " \t\r\n")
		if j := bytes.LastIndexAny(key, " \t\r\n"); j >= 0 {
			key = key[j+1:]
		}
		rest = bytes.TrimLeft(rest[i+1:], " \t\r\n")
		if len(rest) == 0 || (rest[0] != '"' && rest[0] != '\'') {
			return "", fmt.Errorf("%w: an attribute without quotes", errXML)
		}
		end := bytes.IndexByte(rest[1:], rest[0])
		if end < 0 {
			return "", fmt.Errorf("%w: an attribute without end", errXML)
		}
		value := rest[1 : 1+end]
		rest = rest[end+2:]
		if string(local(key)) != name {
			continue
		}
		if bytes.IndexByte(value, '&') < 0 {
			return string(value), nil
		}
		resolved, err := resolve(bytes.Clone(value))
		return string(resolved), err
	}
}

// local is a name without its prefix.
func local(name []byte) []byte {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[i+1:]
	}
	return name
}
