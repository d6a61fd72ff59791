package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"

	"concilia/export/words"
	"concilia/jobs/api/mask"
)

// payerMembers are the members of a slip with name, document, address or telephone of its payer, in lower case.
var payerMembers = map[string]bool{
	"payerdocument": true, "payername": true, "payerstreetandnumber": true, "payerzipcode": true, "payercity": true,
	"payercitystate": true, "payerneighborhood": true, "payerphonenumber": true,
}

const payerDocument = "payerdocument"

// ForgetPayer copies a body of slips and replaces, byte for byte, the values of every payer member by stars in the records
// whose payer has the document; punctuation and case of the document are ignored. It returns how many records it changed.
// The copy of a kept body has the same length, and copying it again changes nothing. One record is in memory at a time.
func ForgetPayer(to io.Writer, from io.Reader, document string) (changed int, err error) {
	in, out := bufio.NewReader(from), bufio.NewWriter(to)
	want := bareDocument(document)
	for {
		c, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			return changed, out.Flush()
		}
		if err != nil {
			return changed, err
		}
		if c != '{' {
			if err := out.WriteByte(c); err != nil {
				return changed, err
			}
			continue
		}
		record, err := readRecord(in)
		if err != nil {
			return changed, err
		}
		if blankPayer(record, want) {
			changed++
		}
		if _, err := out.Write(record); err != nil {
			return changed, err
		}
	}
}

// ForgetPayerInRow returns a row of slips that could not be parsed without the payer of the document, or nil if the payer is not in
// it. Of a row that is no whole object but has the document every letter and digit is replaced.
func ForgetPayerInRow(row []byte, document string) []byte {
	var out bytes.Buffer
	changed, err := ForgetPayer(&out, bytes.NewReader(row), document)
	switch {
	case err == nil && changed > 0:
		return out.Bytes()
	case !strings.Contains(bareDocument(string(row)), bareDocument(document)):
		return nil
	}
	return bytes.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return rune(mask.Star)
		}
		return r
	}, row)
}

// readRecord reads the object whose opening brace has been read.
func readRecord(in *bufio.Reader) ([]byte, error) {
	record := []byte{'{'}
	f := framer{}
	for {
		if n := f.findEnd(record); n >= 0 {
			return record, nil
		}
		if len(record) > maxRecord+readSize {
			return nil, words.NewFault("service_fault.long_row", "", "most", maxRecord)
		}
		c, err := in.ReadByte()
		if err != nil {
			return nil, words.NewFault("service_fault.endless_row", "", "cause", io.ErrUnexpectedEOF)
		}
		record = append(record, c)
	}
}

// bareDocument returns the letters and digits of a document, in upper case, for comparing.
func bareDocument(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9', 'A' <= r && r <= 'Z':
			return r
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		}
		return -1
	}, s)
}

// blankPayer replaces the payer members of a record whose payer has the document, and reports whether it changed any.
func blankPayer(record []byte, want string) (changed bool) {
	var values [][]byte // of payer members, as parts of record
	of := false
	for name, value := range membersOf(record) {
		name = strings.ToLower(name)
		if !payerMembers[name] {
			continue
		}
		values = append(values, value)
		of = of || name == payerDocument && isDocument(value, want)
	}
	if !of {
		return false
	}
	for _, v := range values {
		changed = starOutValue(v) || changed
	}
	return changed
}

// isDocument compares a value, a text or a number that lost its leading zeros.
func isDocument(value []byte, want string) bool {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text != "" && bareDocument(text) == want
	}
	return len(value) > 0 && strings.TrimLeft(string(value), "0") == strings.TrimLeft(want, "0")
}

// starOutValue replaces the content of a value's texts, and the digits of its numbers, by stars. It reports whether that
// changed anything.
func starOutValue(value []byte) (changed bool) {
	text, escaped := false, false
	for i, c := range value {
		switch {
		case c == '"' && !escaped:
			text = !text
			continue
		case text:
			escaped = c == '\\' && !escaped
		case c < '0' || c > '9':
			continue
		}
		changed = changed || c != mask.Star
		value[i] = mask.Star
	}
	return changed
}

// membersOf yields the members of an object, each value as a part of record. It stops where the object is invalid.
func membersOf(record []byte) func(yield func(string, []byte) bool) {
	return func(yield func(string, []byte) bool) {
		d := json.NewDecoder(bytes.NewReader(record))
		if _, err := d.Token(); err != nil {
			return
		}
		for d.More() {
			t, err := d.Token()
			name, ok := t.(string)
			if err != nil || !ok {
				return
			}
			var raw json.RawMessage
			if d.Decode(&raw) != nil {
				return
			}
			end := int(d.InputOffset())
			if !yield(name, record[end-len(raw):end]) {
				return
			}
		}
	}
}
