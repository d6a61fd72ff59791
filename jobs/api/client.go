package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"concilia/export/words"
)

// Client calls one service with one credential (or two, see Options). It is safe for concurrent use and need not be
// closed.
type Client struct {
	*caller
	searchBase *url.URL
	blocks     *sync.Pool // of rows: see rowList
}

// New checks all options at once. It sends nothing.
func New(o Options) (*Client, error) {
	o.fillDefaults()
	if err := o.checkValues(); err != nil {
		return nil, fmt.Errorf("service: %w", err)
	}
	c := &Client{caller: &caller{opts: o, bases: map[Family]*url.URL{}, breakers: map[string]*breaker{}, packers: &sync.Pool{}}, blocks: &sync.Pool{}}
	// Redirects are not followed: a redirected POST becomes a GET, and the token would be sent to another address.
	c.http = &http.Client{
		Transport:     o.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.bases[Gateway], _ = parseBaseURL(o.GatewayURL)
	c.bases[Integration], _ = parseBaseURL(o.IntegrationURL)
	c.searchBase, _ = parseBaseURL(o.SearchURL)
	for _, base := range []*url.URL{c.bases[Gateway], c.bases[Integration], c.searchBase} {
		c.breakers[base.String()] = newBreaker(base.Host, o.BreakAfter, o.BreakFor)
	}
	c.tokens = map[Family]*tokenSource{
		Gateway:     {family: Gateway, path: "/api/auth/token", user: o.GatewayUserName, password: o.GatewayPassword},
		Integration: {family: Integration, path: "/api/authentication/login", user: o.UserName, password: o.Password},
	}
	for _, t := range c.tokens {
		t.caller = c.caller
	}
	return c, nil
}

// String and GoString name the addresses and nothing secret.
func (c Client) String() string {
	return "api.Client{" + c.opts.String() + "}"
}

// GoString is String.
func (c Client) GoString() string { return c.String() }

// Format is String for every verb, so that no verb prints the tokens.
func (c Client) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// newTransport is the standard transport with enough idle connections for the requests that workers make in parallel.
func newTransport(timeout time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          64,
		MaxIdleConnsPerHost:   32,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   timeout,
		ExpectContinueTimeout: time.Second,
	}
}

// Family is one of the two API families of the service. Each has its own base address, login and token.
type Family string

// The families (interface document, Authentication).
const (
	Integration Family = "integration" // Conciliation & Bank Slips API
	Gateway     Family = "gateway"     // Gateway API
)

// Limits of the credentials (interface document, Limits), in characters.
const (
	maxUserName = 30
	maxPassword = 256
)

// Options is where the service is and how to call it.
type Options struct {
	GatewayURL     string // base address of the gateway family, path prefix included
	IntegrationURL string // base address of the conciliation and slips family, path prefix included
	SearchURL      string // base address of the card search; empty is GatewayURL
	SearchToken    Family // whose token the card search carries; empty is Integration

	UserName        string
	Password        string
	GatewayUserName string // empty: UserName and Password serve both logins
	GatewayPassword string

	// Timeout is the longest time without progress: the wait for the header of an answer and each wait for more of its
	// body. Zero is a minute.
	Timeout time.Duration
	// MinRate is how many bytes a minute an answer must bring while it is waited for; a slower one fails and is not asked for again.
	// Zero: any.
	MinRate int
	// Limiter is called before each request, including logins and retries. Nil: no limit.
	Limiter interface{ Wait(context.Context) error }
	// Now is the wall clock. It dates answers and ages tokens. It must not be nil.
	Now func() time.Time
	// Zone shows instants that carry an offset on a local clock. Nil is UTC.
	Zone *time.Location
	// Transport sends the requests. Nil is the standard transport with the timeout above.
	Transport http.RoundTripper
	// MaxTries is the maximum number of tries of one call, including the first. Zero is 5.
	MaxTries int
	// Backoff is the delay before the second try; later ones double. Zero is 500 ms.
	Backoff time.Duration
	// BreakAfter is how many consecutive requests to one base address fail, without an answer or with a status of 500
	// and above, before the circuit breaker opens for BreakFor. Zeros are 40, which is eight whole calls, and 15 s.
	BreakAfter int
	BreakFor   time.Duration
	// UserAgent is sent with every request. Empty is "concilia".
	UserAgent string
	// OnRequest is called after every request, on the goroutine that made it. Nil: no call.
	OnRequest func(Request)
}

// Request is the argument of OnRequest. It carries no secret.
type Request struct {
	Operation string // as in errors: "search installments 2026-11-02..2026-11-02 account 1001"
	Try       int    // from 1; a repeat after a renewed token has a number of its own
	Status    int    // 0 when no answer came
	Bytes     int64  // of the body, as far as it was read
	Began     time.Time
	Ended     time.Time
	Err       error // nil when the answer was accepted
}

// String and GoString never show names or passwords, whatever verb prints the options.
func (o Options) String() string {
	return fmt.Sprintf("api.Options{gateway: %s, integration: %s, search: %s, user: [redacted], password: [redacted]}",
		redactURL(o.GatewayURL), redactURL(o.IntegrationURL), redactURL(o.SearchURL))
}

// GoString is String.
func (o Options) GoString() string { return o.String() }

// Format is String for every verb, %d and %x included.
func (o Options) Format(f fmt.State, _ rune) { fmt.Fprint(f, o.String()) }

func redactURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "[unreadable]"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// fillDefaults sets the defaults of options that are zero.
func (o *Options) fillDefaults() {
	if o.SearchURL == "" {
		o.SearchURL = o.GatewayURL
	}
	if o.SearchToken == "" {
		o.SearchToken = Integration
	}
	if o.GatewayUserName == "" && o.GatewayPassword == "" {
		o.GatewayUserName, o.GatewayPassword = o.UserName, o.Password
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	if o.Transport == nil {
		o.Transport = newTransport(o.Timeout)
	}
	if o.MaxTries == 0 {
		o.MaxTries = 5
	}
	if o.Backoff == 0 {
		o.Backoff = 500 * time.Millisecond
	}
	if o.BreakAfter == 0 {
		o.BreakAfter = 40
	}
	if o.BreakFor == 0 {
		o.BreakFor = 15 * time.Second
	}
	if o.UserAgent == "" {
		o.UserAgent = "concilia"
	}
}

// checkValues returns all problems of options whose defaults are set.
func (o *Options) checkValues() error {
	var all []error
	if o.Now == nil {
		all = append(all, words.NewFault("service_fault.wants_clock", ""))
	}
	if o.SearchToken != Integration && o.SearchToken != Gateway {
		all = append(all, words.NewFault("service_fault.search_token", "", "value", words.Quote(string(o.SearchToken), 40)))
	}
	if o.Timeout < 0 || o.Backoff < 0 || o.MaxTries < 0 || o.BreakAfter < 0 || o.BreakFor < 0 {
		all = append(all, words.NewFault("service_fault.negative", ""))
	}
	all = append(all, checkCredential("user name and password", o.UserName, o.Password))
	if o.GatewayUserName != o.UserName || o.GatewayPassword != o.Password {
		all = append(all, checkCredential("gateway user name and password", o.GatewayUserName, o.GatewayPassword))
	}
	for _, a := range []struct{ name, url string }{
		{"gateway address", o.GatewayURL}, {"integration address", o.IntegrationURL}, {"search address", o.SearchURL},
	} {
		if _, err := parseBaseURL(a.url); err != nil {
			all = append(all, fmt.Errorf("%s: %w", a.name, err))
		}
	}
	return errors.Join(all...)
}

// checkCredential returns what is wrong with a credential; the error repeats none of it.
func checkCredential(what, user, password string) error {
	switch {
	case user == "" || password == "":
		return fmt.Errorf("%s: %w", what, words.NewFault("service_fault.wants_both", ""))
	case len([]rune(user)) > maxUserName:
		return fmt.Errorf("%s: %w", what, words.NewFault("service_fault.long_name", "", "most", maxUserName))
	case len([]rune(password)) > maxPassword:
		return fmt.Errorf("%s: %w", what, words.NewFault("service_fault.long_password", "", "most", maxPassword))
	}
	return nil
}

// parseBaseURL reads a base address: http or https, a host, and perhaps a path prefix; nothing else.
func parseBaseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case s == "":
		return nil, words.NewFault("service_fault.no_base", "")
	case err != nil:
		return nil, words.NewFault("service_fault.bad_base", "")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, words.NewFault("service_fault.base_scheme", "")
	case u.Host == "":
		return nil, words.NewFault("service_fault.base_host", "")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, words.NewFault("service_fault.base_extra", "")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = strings.TrimRight(u.RawPath, "/")
	return u, nil
}
