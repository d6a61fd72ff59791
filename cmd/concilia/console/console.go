package console

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/console/signin"
)

// Options are what a console is made with. Every field is required but where it says otherwise.
type Options struct {
	Source    Source
	Language  string         // of people who choose none and whose browser names none of ours: pt-BR or en
	Zone      *time.Location // of instants
	Prefix    string         // path before every URL, such as /concilia; may be empty
	Hosts     []string       // names that requests may be for, besides this machine's own
	Origin    string         // scheme and host of the public address, whose forms are trusted; may be empty
	PageRows  int            // cases on a page
	QueryTime time.Duration  // for all that a page asks
	ActTime   time.Duration  // for an act, which waits for the account that a night may hold
	MonthWait time.Duration  // that a page waits for an act on a month, which goes on beyond it
	Log       zerolog.Logger
	Wall      func() time.Time
	// People are those who may sign in; nil: no sign-in is asked for, and every visitor is a reader of all accounts.
	People *people.Register
	// IdentityHeader names the person where a proxy of TrustedProxies sets it; IdentityRole is of those whom People does not have,
	// empty: they are refused.
	IdentityHeader string
	IdentityRole   people.Role
	TrustedProxies []netip.Prefix
	Secure         bool // people reach it over TLS
	ReadOnly       bool // no acts, whatever the role
	HasBanks       bool // bank accounts are configured; without them there is no page about them
	HasStores      bool // stores are configured, likewise
	Idle           time.Duration
	Absolute       time.Duration
	OnSignIn       func(result string) // ok, refused or throttled; may be nil
	// Observe is called after every request that was answered; may be nil.
	Observe func(page string, code int, took time.Duration)
}

const (
	// pagesAtOnce are rendered at the same time; another request waits for roomWait before it is sent away.
	pagesAtOnce = 16
	roomWait    = 2 * time.Second
	// maxBody bounds a form.
	maxBody = 64 << 10
)

// Console answers the requests of people.
type Console struct {
	Options
	views map[string]*templates // by language
	room  chan struct{}

	sessions *signin.Sessions
	throttle *signin.Throttle

	// acts are what goes on when who asked for it has an answer; they end with open.
	acts  sync.WaitGroup
	open  context.Context
	close context.CancelFunc
}

// New makes a console.
func New(o Options) (*Console, error) {
	c := &Console{Options: o, views: map[string]*templates{}, room: make(chan struct{}, pagesAtOnce)}
	c.open, c.close = context.WithCancel(context.Background())
	c.sessions, c.throttle = signin.NewSessions(o.Idle, o.Absolute, o.Wall), signin.NewThrottle(o.Wall)
	for _, lang := range people.Languages() {
		t, err := c.parseTemplates(lang)
		if err != nil {
			return nil, err
		}
		c.views[lang] = t
	}
	return c, nil
}

// Close breaks off what still goes on, and waits until it has ended. It comes after the last answer.
func (c *Console) Close() {
	c.close()
	c.acts.Wait()
}

// Handler answers every request.
func (c *Console) Handler() (http.Handler, error) {
	mux := http.NewServeMux()
	for _, route := range routes() {
		if !c.servesRoute(&route) {
			continue
		}
		method, path, _ := cutPattern(route.pattern)
		mux.Handle(method+" "+c.Prefix+path, c.serve(route))
	}
	mux.Handle("GET "+c.Prefix+"/static/", http.StripPrefix(c.Prefix, staticFiles()))
	mux.Handle("/", c.serve(route{page: "unknown", do: leadOn}))
	forms := http.NewCrossOriginProtection()
	if c.Origin != "" {
		if err := forms.AddTrustedOrigin(c.Origin); err != nil {
			return nil, fmt.Errorf("public_url: %w", err)
		}
	}
	forms.SetDenyHandler(c.serve(route{page: "refused", open: true, do: func(v *visit) error {
		v.c.Log.Warn().Str("address", v.r.RemoteAddr).Str("origin", v.r.Header.Get("Origin")).Msg("a form from another site was refused")
		return errForeignForm
	}}))
	return c.guard(forms.Handler(mux)), nil
}

// serve answers a route: it waits for room, gives the page its time, renders it whole, and counts it.
func (c *Console) serve(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := c.Wall()
		answer := &heldWriter{ResponseWriter: w, code: http.StatusOK, passes: route.sends}
		takeBody(w, r)
		v := &visit{c: c, w: answer, r: r, source: c.Source, page: route.page, under: route.under, lang: c.languageOf(r)}
		defer func() {
			if p := recover(); p != nil {
				if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(p)
				}
				answer.dropKept()
				v.failInternally(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			}
			answer.sendKept()
			if c.Observe != nil {
				c.Observe(route.page, answer.code, c.Wall().Sub(began))
			}
		}()
		select {
		case c.room <- struct{}{}:
			defer func() { <-c.room }()
		case <-time.After(roomWait):
			v.fail(&UnavailableError{Text: "desk.no_room"})
			return
		case <-r.Context().Done():
			return // the client is gone
		}
		ctx, cancel := context.WithTimeout(r.Context(), c.QueryTime)
		defer cancel()
		v.asked = r.Context()
		v.r = r.WithContext(ctx)
		if err := c.visitRoute(v, route); err != nil {
			answer.dropKept()
			v.fail(err)
		}
	})
}

// takeBody reads a form before it takes room: a client that sends it slowly keeps no other from the pages.
func takeBody(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	r.Body = &takenBody{bytes.NewReader(body), err}
}

// takenBody is a body that was read, and then the error that ended it.
type takenBody struct {
	*bytes.Reader
	err error
}

// Read gives the body, and then its error.
func (b *takenBody) Read(to []byte) (int, error) {
	n, err := b.Reader.Read(to)
	if err != nil && b.err != nil {
		err = b.err
	}
	return n, err
}

// Close has nothing to do.
func (b *takenBody) Close() error { return nil }

// visitRoute finds out who asks, and lets the route answer.
func (c *Console) visitRoute(v *visit, route route) error {
	person, err := c.identifyRequest(v.r)
	switch {
	case err == nil:
		v.person, v.known, v.lang = person, true, cmp.Or(person.Language, v.lang)
	case errors.Is(err, errSignIn) && route.open:
	case errors.Is(err, errSignIn) && route.keeps:
		return v.keepThroughLogin()
	case errors.Is(err, errSignIn):
		return v.leadToLogin()
	default:
		return err
	}
	if !route.open {
		if err := v.requireRole(route.role()); err != nil {
			return err
		}
	}
	show := func(at Source) error {
		v.source = at
		head, err := at.Heading(v.r.Context())
		if err != nil && !route.open {
			return err
		}
		v.head, v.knowsHead = head, err == nil
		return route.do(v)
	}
	if method, _, _ := cutPattern(route.pattern); method != http.MethodGet || route.open || route.sends {
		return show(c.Source)
	}
	return c.Source.Snapshot(v.r.Context(), show)
}

// heldWriter keeps an answer until it is whole, so that nothing is held open for who reads it slowly, and remembers its status.
type heldWriter struct {
	http.ResponseWriter
	code   int
	body   bytes.Buffer
	passes bool // what is written is sent at once
}

// WriteHeader notes the status.
func (w *heldWriter) WriteHeader(code int) {
	w.code = code
	if w.passes {
		w.ResponseWriter.WriteHeader(code)
	}
}

// Write keeps a part of the answer.
func (w *heldWriter) Write(b []byte) (int, error) {
	if w.passes {
		return w.ResponseWriter.Write(b)
	}
	return w.body.Write(b)
}

// dropKept forgets what was kept.
func (w *heldWriter) dropKept() {
	w.code = http.StatusOK
	w.body.Reset()
}

// sendKept sends what was kept.
func (w *heldWriter) sendKept() {
	if w.passes {
		return
	}
	w.ResponseWriter.WriteHeader(w.code)
	_, _ = w.ResponseWriter.Write(w.body.Bytes()) // who is gone needs no answer
}

// errForeignForm is a form that a page of another site sent.
var errForeignForm = errors.New("a form from another site")
