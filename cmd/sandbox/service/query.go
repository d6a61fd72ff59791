package service

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"concilia/cmd/sandbox/world"
)

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
func (s *Service) readWindow(rw http.ResponseWriter, r *http.Request, others ...problem) (window, bool) {
	var bad problems
	q := paramsOf(r)
	win := window{account: s.readAccount(r, q, &bad), from: readDate(q, "startDate", &bad), to: readDate(q, "endDate", &bad)}
	if len(bad) == 0 && win.to < win.from {
		bad.add("endDate", "Data final anterior à data inicial")
	}
	bad = append(bad, others...)
	return win, !bad.writeIfAny(rw)
}

// readAccount reads accountNumber. Choice: an account the operator does not know is 400, as the gateway
// answers what it cannot find; another client's account is told alike, so that nobody learns it exists.
func (s *Service) readAccount(r *http.Request, q params, bad *problems) int64 {
	text := q.get("accountNumber")
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case text == "":
		bad.add("accountNumber", "Campo accountNumber é obrigatório")
	case err != nil || n <= 0:
		bad.add("accountNumber", "Campo accountNumber inválido")
	case !s.world.HasAccount(n), !mayUse(callerOf(r).accounts, n):
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
