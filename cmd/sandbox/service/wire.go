package service

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

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

// problems are all the problems of one request.
type problems []problem

func (p *problems) add(tag, description string) { *p = append(*p, problem{tag, description}) }

// writeIfAny answers 400 when there are any problems, and reports whether it did.
func (p problems) writeIfAny(rw http.ResponseWriter) bool {
	if len(p) > 0 {
		writeJSON(rw, http.StatusBadRequest, p)
	}
	return len(p) > 0
}

// joinDescriptions joins them to one text, for the one answer that has no array of them.
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

// params are the query parameters of a request. Choice: names are matched without regard to case, since
// the document writes them both ways (Brand, netValue); of a repeated one the first counts.
type params map[string]string

func paramsOf(r *http.Request) params {
	p := params{}
	// Malformed pairs are dropped: the parameter then counts as missing.
	values, _ := url.ParseQuery(r.URL.RawQuery)
	for name, v := range values {
		p[strings.ToLower(name)] = v[0]
	}
	return p
}

func (p params) get(name string) string { return p[strings.ToLower(name)] }

// window is what the search and every list ask for.
type window struct {
	account  int64
	from, to world.Date
}

// readWindow reads accountNumber, startDate and endDate, all required, or answers 400 with every problem; those
// the caller found in other parameters come last.
// Choice: bounds are inclusive everywhere, as the list by payment date says; no range is too long.
func readWindow(w *world.World, rw http.ResponseWriter, r *http.Request, others ...problem) (window, bool) {
	var bad problems
	q := paramsOf(r)
	win := window{account: readAccount(w, r, q, &bad), from: readDate(q, "startDate", &bad), to: readDate(q, "endDate", &bad)}
	if len(bad) == 0 && win.to < win.from {
		bad.add("endDate", "Data final anterior à data inicial")
	}
	bad = append(bad, others...)
	return win, !bad.writeIfAny(rw)
}

// readAccount reads accountNumber. Choice: an account the operator does not know is 400, as the gateway
// answers what it cannot find; another client's account is answered alike, so that its existence is not disclosed.
func readAccount(w *world.World, r *http.Request, q params, bad *problems) int64 {
	text := q.get("accountNumber")
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case text == "":
		bad.add("accountNumber", "Campo accountNumber é obrigatório")
	case err != nil || n <= 0:
		bad.add("accountNumber", "Campo accountNumber inválido")
	case !w.HasAccount(n), !mayUse(callerOf(r).accounts, n):
		bad.add("accountNumber", "Conta não localizada")
	}
	return n
}

func readDate(q params, name string, bad *problems) world.Date {
	text := q.get(name)
	d, err := world.ParseDate(text)
	switch {
	case text == "":
		bad.add(name, "Campo "+name+" é obrigatório")
	case err != nil:
		bad.add(name, "Campo "+name+" inválido, use AAAA-MM-DD")
	}
	return d
}

// readStrictJSON is readJSON for the sandbox's own paths. Unknown members are an error that names them, since a test with
// a misspelled order would pass without testing anything.
func readStrictJSON(rw http.ResponseWriter, r *http.Request, v any) bool {
	d := json.NewDecoder(http.MaxBytesReader(rw, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, end := d.Token(); errors.Is(end, io.EOF) {
			return true
		}
		err = errors.New("want one JSON object and nothing behind it")
	}
	writeError(rw, http.StatusBadRequest, decodeErrorTag(err), decodeErrorText(err))
	return false
}

// decodeErrorTag returns the member a decoding error is about, if it is known.
func decodeErrorTag(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return kind.Field
	}
	return ""
}

// decodeErrorText returns a decoding error as a sentence for the user of the sandbox.
func decodeErrorText(err error) string {
	var kind *json.UnmarshalTypeError
	var instant *time.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return "want a JSON object, the body is empty"
	case errors.As(err, &kind) && kind.Field == "":
		return "want a JSON object, not this: " + kind.Value
	case errors.As(err, &kind):
		return fmt.Sprintf("want a value of type %s, not a %s", kind.Type, kind.Value)
	case errors.As(err, &instant):
		return fmt.Sprintf("%s is no instant: want one like 2026-11-18T09:00:00Z", instant.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
