package service

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"

	"concilia/cmd/sandbox/world"
)

// maxBody bounds request bodies: the largest legitimate one is a login of under a kilobyte.
const maxBody = 64 << 10

// problem is one element of an error body: a JSON array of these, in both families.
// Choice: the slip and conciliation family shows no error shape, so it uses the gateway's.
type problem struct {
	Tag         string `json:"tag"`
	Description string `json:"description"`
}

// problems of one request, told all at once.
type problems []problem

func (p *problems) add(tag, description string) { *p = append(*p, problem{tag, description}) }

// writeIfAny writes 400 when there are any problems, and tells whether it did.
func (p problems) writeIfAny(rw http.ResponseWriter) bool {
	if len(p) > 0 {
		writeJSON(rw, http.StatusBadRequest, p)
	}
	return len(p) > 0
}

// joinDescriptions tells them in one text, for the one answer that has no array of them.
func (p problems) joinDescriptions() string {
	words := make([]string, len(p))
	for i, one := range p {
		words[i] = one.Description
	}
	return strings.Join(words, "; ")
}

func writeError(rw http.ResponseWriter, status int, tag, description string) {
	writeJSON(rw, status, problems{{tag, description}})
}

// writeInternalError is the service's answer to a failure of its own.
func writeInternalError(rw http.ResponseWriter) {
	writeError(rw, http.StatusInternalServerError, "", "Não foi possível executar comando. Erro desconhecido.")
}

func writeJSON(rw http.ResponseWriter, status int, v any) {
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(v) // the client is gone if this fails
}

// readJSON decodes one JSON object; it answers 400 and returns false for anything else.
// Choice: unknown members are ignored and the content type is not looked at.
func readJSON(rw http.ResponseWriter, r *http.Request, v any) bool {
	d := json.NewDecoder(http.MaxBytesReader(rw, r.Body, maxBody))
	if err := d.Decode(v); err != nil {
		writeError(rw, http.StatusBadRequest, "", "Corpo da requisição inválido.")
		return false
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		writeError(rw, http.StatusBadRequest, "", "Corpo da requisição inválido.")
		return false
	}
	return true
}

// streamJSON writes a JSON array one record at a time, so that memory does not grow with the answer.
func streamJSON[T, W any](rw http.ResponseWriter, records iter.Seq[T], wire func(T) W) {
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	out := bufio.NewWriterSize(rw, 64<<10)
	_ = out.WriteByte('[')
	first := true
	for record := range records {
		if !first {
			_ = out.WriteByte(',')
		}
		first = false
		b, err := json.Marshal(wire(record))
		if err != nil {
			panic(http.ErrAbortHandler) // a half-written array must not look whole
		}
		if _, err := out.Write(b); err != nil {
			return
		}
	}
	_ = out.WriteByte(']')
	_ = out.Flush()
}

// money4 prints four decimals, as every figure of a card record.
type money4 world.Money

// MarshalJSON prints the digits of the integer; no float in between.
func (m money4) MarshalJSON() ([]byte, error) { return []byte(world.Money(m).Fixed()), nil }

// rate4 prints four decimals of a percent.
type rate4 world.Rate

// MarshalJSON prints the digits of the integer.
func (r rate4) MarshalJSON() ([]byte, error) { return []byte(world.Rate(r).Fixed()), nil }

// money2 prints two decimals, as every figure of a slip.
type money2 world.Money

// MarshalJSON prints the digits of the integer.
func (m money2) MarshalJSON() ([]byte, error) { return []byte(world.Money(m).Cents()), nil }

// rate2 prints two decimals of a percent.
type rate2 world.Rate

// MarshalJSON prints the digits of the integer.
func (r rate2) MarshalJSON() ([]byte, error) { return []byte(world.Money(r).Cents()), nil }

// date prints YYYY-MM-DD, or null for no date.
type date world.Date

// MarshalJSON prints the date or null.
func (d date) MarshalJSON() ([]byte, error) {
	if d == 0 {
		return []byte("null"), nil
	}
	return []byte(`"` + world.Date(d).String() + `"`), nil
}

// nullIfEmpty is null when empty.
func nullIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
