package service

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"

	"concilia/cmd/sandbox/world"
)

// serveWithFaults answers a request, with the fault that takeFault returns for it, if any.
func (f *faults) serveWithFaults(rw http.ResponseWriter, r *http.Request, next http.Handler) {
	endpoint := endpointOf(r.URL.Path)
	if endpoint == "" {
		next.ServeHTTP(rw, r)
		return
	}
	o := f.takeFault(endpoint)
	switch {
	case o == nil:
		next.ServeHTTP(rw, r)
	case o.writeErrorStatus(rw):
	case o.Kind == faultSlow:
		delay := f.delay
		if o.DelayMS != nil {
			delay = time.Duration(*o.DelayMS) * time.Millisecond
		}
		select {
		case <-time.After(delay):
			next.ServeHTTP(rw, r)
		case <-r.Context().Done():
		}
	default:
		o.alterAnswer(rw, r, next)
	}
}

// writeErrorStatus answers with the error status of the fault; false: its kind has none. Choice: the bodies have the
// shape of the service's other errors.
func (o *faultOrder) writeErrorStatus(rw http.ResponseWriter) bool {
	if o.RetryAfter != nil || o.Kind == fault429 {
		if o.Kind == fault429 || o.Kind == fault503 {
			rw.Header().Set("Retry-After", strconv.Itoa(valueOr(o.RetryAfter, 1)))
		}
	}
	switch o.Kind {
	case fault401:
		rw.Header().Set("WWW-Authenticate", "Bearer")
		writeError(rw, http.StatusUnauthorized, "", "Token inválido ou expirado.")
	case fault429:
		writeError(rw, http.StatusTooManyRequests, "", "Limite de requisições excedido.")
	case fault500:
		writeError(rw, http.StatusInternalServerError, "", "Não foi possível executar comando. Erro desconhecido.")
	case fault503:
		writeError(rw, http.StatusServiceUnavailable, "", "Serviço temporariamente indisponível.")
	default:
		return false
	}
	return true
}

// alterAnswer records the service's answer and writes a changed one.
func (o *faultOrder) alterAnswer(rw http.ResponseWriter, r *http.Request, next http.Handler) {
	good := newResponseRecorder()
	next.ServeHTTP(good, r)
	body := good.body.Bytes()
	header := rw.Header()
	maps.Copy(header, good.header)
	switch o.Kind {
	case faultContentType:
		header.Set("Content-Type", "text/html; charset=utf-8")
	case faultCut, faultClose:
	default:
		if good.status != http.StatusOK {
			break // an error stays what it is
		}
		body = o.rewriteBody(body, func() []json.RawMessage { return rowsBeforeWindow(r, next) })
	}
	sent := body
	if o.Kind == faultCut || o.Kind == faultClose {
		sent = body[:len(body)/2]
	}
	if o.Kind == faultCut {
		body = sent
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	rw.WriteHeader(good.status)
	_, _ = rw.Write(sent) // the client is gone if this fails
	if o.Kind == faultClose {
		_ = http.NewResponseController(rw).Flush() // what is not sent now the client misses too
		panic(http.ErrAbortHandler)
	}
}

// rewriteBody changes the rows of a list, or the one object of another answer. A body that is neither stays as
// it is.
func (o *faultOrder) rewriteBody(body []byte, earlier func() []json.RawMessage) []byte {
	var rows []json.RawMessage
	if err := json.Unmarshal(body, &rows); err != nil {
		if !bytes.HasPrefix(body, []byte("{")) {
			return body
		}
		return o.addUnknown(body)
	}
	n := min(valueOr(o.Rows, 1), len(rows))
	switch o.Kind {
	case faultCap:
		rows = rows[:min(valueOr(o.Limit, 100), len(rows))]
	case faultDuplicate:
		rows = append(rows, rows[:n]...)
	case faultLeak:
		others := earlier()
		rows = append(rows, others[:min(valueOr(o.Rows, 1), len(others))]...)
	default:
		for i := range n {
			rows[i] = o.addUnknown(rows[i])
		}
	}
	// A row's digits and order of members stay as they were: only what is between rows is new.
	out := []byte("[")
	for i, row := range rows {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, row...)
	}
	return append(out, ']')
}

// unknownMember is put at the head of an object; a decoder must step over every kind of value.
const unknownMember = `{"membroNovo":{"lista":[1,2.50,null,"texto",{"x":true}]},`

// The members that hold a state: texts on card records, numbers on slips.
var (
	cardState = regexp.MustCompile(`"(installmentStatus|receivedStatus)":"[^"]*"`)
	slipState = regexp.MustCompile(`"(statusBill|StatusBill|status)":\d+`)
)

// addUnknown puts an undocumented member or undocumented states into an object.
func (o *faultOrder) addUnknown(object []byte) []byte {
	switch o.Kind {
	case faultUnknownMember:
		return append([]byte(unknownMember), bytes.TrimPrefix(object, []byte("{"))...)
	case faultUnknownStatus:
		object = cardState.ReplaceAll(object, []byte(`"$1":"EmTransito"`))
		return slipState.ReplaceAll(object, []byte(`"$1":42`))
	}
	return object
}

// maxDaysBefore is how many days before a window are looked through for rows.
const maxDaysBefore = 31

// rowsBeforeWindow are the rows of the last day before the window that has any.
func rowsBeforeWindow(r *http.Request, next http.Handler) []json.RawMessage {
	q := r.URL.Query()
	start, err := world.ParseDate(q.Get("startDate"))
	if err != nil {
		return nil
	}
	for day := start - 1; day > start-maxDaysBefore; day-- {
		q.Set("startDate", day.String())
		q.Set("endDate", day.String())
		other := r.Clone(r.Context())
		other.URL.RawQuery = q.Encode()
		answer := newResponseRecorder()
		next.ServeHTTP(answer, other)
		var rows []json.RawMessage
		if err := json.Unmarshal(answer.body.Bytes(), &rows); err == nil && answer.status == http.StatusOK && len(rows) > 0 {
			return slices.Clone(rows)
		}
	}
	return nil
}

// responseRecorder records an answer so that it can be changed before it is sent.
type responseRecorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newResponseRecorder() *responseRecorder {
	return &responseRecorder{header: http.Header{}, status: http.StatusOK}
}

// Header is what will be sent.
func (r *responseRecorder) Header() http.Header { return r.header }

// WriteHeader keeps the status; the service sets it once.
func (r *responseRecorder) WriteHeader(status int) { r.status = status }

// Write keeps the body.
func (r *responseRecorder) Write(b []byte) (int, error) { return r.body.Write(b) }
