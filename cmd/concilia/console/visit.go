package console

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"

	"concilia/cmd/concilia/console/people"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// visit is a request that is being answered.
type visit struct {
	c     *Console
	w     http.ResponseWriter
	r     *http.Request   // its context has the time of a page
	asked context.Context // ends when the client is gone
	// source answers as of one instant to who asks for a page, so that its head and its tables agree while a night commits.
	source Source
	page   string // the route's name, for the menu and for metrics
	under  string
	lang   string
	head   Heading
	// knowsHead is set once head was read: a refusal may come before, and nothing is read of a ledger that is away.
	knowsHead bool

	person people.Person
	known  bool // a person is signed in, or no sign-in is asked for
}

// frame is what the layout shows around a page.
type frame struct {
	Lang  string
	Page  string
	Title string
	Head  Heading
	// KnowsHead says whether Head was read.
	KnowsHead bool
	Keys      bool           // single keys are on
	Who       *people.Person // nil: no person is signed in
	Acts      bool           // the person may act on cases
	Alone     bool           // no sign-in is asked for
	Menu      []menuEntry    // of who is signed in
	Query     string         // what was searched for, on the page of what was found
	Data      any
}

// accounts are those that the person may see; none means all.
func (v *visit) accounts() []ledger.Account { return v.person.Accounts }

// maySee says whether an account, digits or all, is for this person.
func (v *visit) maySee(account string) bool {
	if account == "all" {
		return len(v.person.Accounts) == 0
	}
	return slices.ContainsFunc(v.head.Accounts, func(a AccountName) bool {
		return a.Number.String() == account && (len(v.person.Accounts) == 0 || slices.Contains(v.person.Accounts, a.Number))
	})
}

// asOf is the day that pages are about where nothing else is asked for: that of the last night, before the first one today.
func (v *visit) asOf() ledger.Date { return cmp.Or(v.head.AsOf, ledger.DateOf(v.c.Wall(), v.c.Zone)) }

// mayAct says whether the person may act on cases here.
func (v *visit) mayAct() bool {
	return v.known && !v.c.ReadOnly && v.person.Role.Includes(people.Actor)
}

// text is a text of the desk in the language of the visit.
func (v *visit) text(id string, values ...any) string { return words.Text(v.lang, id, values...) }

// render sends a page whole.
func (v *visit) render(name, title string, data any) error {
	return v.renderAs(http.StatusOK, name, title, data)
}

func (v *visit) renderAs(code int, name, title string, data any) error {
	var b bytes.Buffer
	f := frame{Lang: v.lang, Page: v.page, Title: title, Head: v.head, KnowsHead: v.knowsHead, Keys: !v.hasCookie(keysCookie, "off"), Data: data, Alone: v.c.People == nil && v.c.IdentityHeader == ""}
	if v.known {
		f.Who, f.Acts, f.Menu = &v.person, v.mayAct(), v.listMenu()
	}
	if name == "find" {
		f.Query = v.r.URL.Query().Get("q")
	}
	if err := v.c.views[v.lang].execute(&b, name, &f); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Content-Language", v.lang)
	v.w.WriteHeader(code)
	if v.r.Method != http.MethodHead {
		_, _ = v.w.Write(b.Bytes()) // who is gone needs no answer
	}
	return nil
}

// redirect leads to another page of ours.
func (v *visit) redirect(path string) error {
	http.Redirect(v.w, v.r, v.c.Prefix+path, http.StatusSeeOther)
	return nil
}

// failure is what a page shows of an error.
type failure struct {
	Title, Text, Detail string
	Hint, Command       string // what can be done, and the command that does it
	Again               string // address to ask for again; empty: that would not help
}

// refusedAct is what a person may not do, with the id of the text that says why.
type refusedAct struct{ why string }

// Error names the text.
func (e *refusedAct) Error() string { return "not for this person: " + e.why }

// Unwrap is what every refusal is.
func (e *refusedAct) Unwrap() error { return errForbidden }

// refuseAct refuses what a person may not do, and logs it. why is the id of the text that says so.
func (v *visit) refuseAct(why string) error {
	address, _ := v.c.clientAddress(v.r)
	v.c.Log.Warn().Str("person", v.person.Name).Str("address", address).Str("path", v.r.URL.Path).Str("why", why).Msg("an act was refused")
	return &refusedAct{why}
}

// explainConflict is what keeps an act from being done, in the language of the page where it has words in it.
func (v *visit) explainConflict(err error) string {
	var refused *casework.RequestError
	if errors.As(err, &refused) {
		return refused.Explain(v.lang)
	}
	return err.Error()
}

// fail answers with the page of an error.
func (v *visit) fail(err error) {
	var code int
	var f failure
	var bad *badRequest
	var refused *refusedAct
	switch {
	case errors.Is(err, context.Canceled), errors.Is(v.r.Context().Err(), context.Canceled):
		return // the client is gone
	case errors.As(err, &bad):
		code = http.StatusBadRequest
		f = failure{Title: v.text("desk.bad_request"), Text: v.text("desk.bad_request_text"), Detail: strings.Join(bad.lines(v.spellField), "\n")}
	case errors.Is(err, ErrNotFound):
		code, f = http.StatusNotFound, failure{Title: v.text("desk.not_found"), Text: v.text("desk.not_found_text")}
	case errors.Is(err, ErrConflict):
		code, f = http.StatusConflict, failure{Title: v.text("desk.nothing_done"), Text: v.text("desk.nothing_done_text"), Detail: v.explainConflict(err)}
	case errors.Is(err, errPayers):
		code, f = http.StatusForbidden, failure{Title: v.text("desk.forbidden"), Text: v.text("desk.payers_refused")}
	case errors.As(err, &refused):
		code, f = http.StatusForbidden, failure{Title: v.text("desk.forbidden"), Text: v.text(refused.why)}
	case errors.Is(err, errForbidden):
		code, f = http.StatusForbidden, failure{Title: v.text("desk.forbidden"), Text: v.text("desk.forbidden_text")}
	case errors.Is(err, errHeader):
		code, f = http.StatusBadRequest, failure{Title: v.text("desk.foreign_form"), Text: v.text("desk.identity_refused")}
	case errors.Is(err, errForeignForm):
		code, f = http.StatusForbidden, failure{Title: v.text("desk.foreign_form"), Text: v.text("desk.foreign_form_text")}
	case errors.Is(err, ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(v.r.Context().Err(), context.DeadlineExceeded):
		// A query that its time interrupted may say so in words of its own.
		code, f = http.StatusServiceUnavailable, v.explainUnavailable(err)
	default:
		v.failInternally(err)
		return
	}
	if err := v.renderAs(code, "fail", f.Title, f); err != nil {
		v.failInternally(err)
	}
}

// spellField is how people call a field of a form; a field of an address is not changed.
func (v *visit) spellField(name string) string {
	switch name {
	case "reason":
		return v.text("desk.reason")
	case "verb":
		return v.text("desk.act")
	}
	return name
}

// explainUnavailable is what a page says of what cannot be read now: why, in the language of the page, and what helps. The error itself is
// for the log, which has it by a reference.
func (v *visit) explainUnavailable(err error) failure {
	v.w.Header().Set("Retry-After", "5")
	f := failure{Title: v.text("desk.unavailable"), Text: v.text("desk.unavailable_text")}
	var why *UnavailableError
	if v.r.Context().Err() == nil && errors.As(err, &why) { // not only slow
		f.Text, f.Command = v.text(why.Text), why.Command
		if why.Err != nil {
			f.Hint = v.text("desk.cause_in_log", "reference", v.log("a page is not available now", why.Err))
		}
	}
	if v.r.Method == http.MethodGet {
		f.Again = localPath(v.r.URL.RequestURI())
	}
	return f
}

// log keeps the cause of a page that could not be shown, and returns the reference under which the log has it.
func (v *visit) log(what string, err error) (reference string) {
	reference = strings.ToLower(rand.Text()[:8])
	v.c.Log.Error().Str("reference", reference).Str("path", v.r.URL.Path).AnErr("why", err).Msg(what)
	return reference
}

// failInternally answers with a reference to the log, which alone has the cause.
func (v *visit) failInternally(err error) {
	f := failure{Title: v.text("desk.failed"), Text: v.text("desk.failed_text", "reference", v.log("a page failed", err))}
	if err := v.renderAs(http.StatusInternalServerError, "fail", f.Title, f); err != nil {
		http.Error(v.w, f.Text, http.StatusInternalServerError)
	}
}

// The cookies of what a person chose. They hold no secret.
const (
	languageCookie = "concilia-language"
	keysCookie     = "concilia-keys"
)

func (v *visit) hasCookie(name, value string) bool {
	cookie, err := v.r.Cookie(name)
	return err == nil && cookie.Value == value
}

// languageOf is the language chosen in this browser, else the browser's own, else the one of the reports. What a person of the file
// chose comes before it, once it is known who asks.
func (c *Console) languageOf(r *http.Request) string {
	if chosen, err := r.Cookie(languageCookie); err == nil && slices.Contains(people.Languages(), chosen.Value) {
		return chosen.Value
	}
	for _, part := range strings.Split(r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		switch tag, _, _ = strings.Cut(strings.ToLower(tag), "-"); tag {
		case "pt":
			return "pt-BR"
		case "en":
			return "en"
		}
	}
	return c.Language
}
