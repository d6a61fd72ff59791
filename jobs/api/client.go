package api

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Client calls one service with one credential (or two, see Options). It is safe for concurrent use and need not be
// closed.
type Client struct {
	opts   Options
	http   *http.Client
	bases  map[Family]*url.URL
	search *url.URL
	tokens map[Family]*tokens
	// breakers are by base address: the search has the gateway's unless it is elsewhere.
	breakers map[string]*breaker
}

// New checks all options at once. It sends nothing.
func New(o Options) (*Client, error) {
	o.complete()
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("service: %w", err)
	}
	c := &Client{opts: o, bases: map[Family]*url.URL{}, breakers: map[string]*breaker{}}
	// Redirects are not followed: a redirected POST becomes a GET, and the token would travel to another address.
	c.http = &http.Client{
		Transport:     o.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.bases[Gateway], _ = parseBase(o.GatewayURL)
	c.bases[Integration], _ = parseBase(o.IntegrationURL)
	c.search, _ = parseBase(o.SearchURL)
	for _, base := range []*url.URL{c.bases[Gateway], c.bases[Integration], c.search} {
		c.breakers[base.String()] = newBreaker(base.Host, o.BreakAfter, o.BreakFor)
	}
	c.tokens = map[Family]*tokens{
		Gateway:     {family: Gateway, path: "/api/auth/token", user: o.GatewayUserName, password: o.GatewayPassword},
		Integration: {family: Integration, path: "/api/authentication/login", user: o.UserName, password: o.Password},
	}
	for _, t := range c.tokens {
		t.client = c
	}
	return c, nil
}

// String and GoString name the addresses and nothing secret.
func (c Client) String() string {
	return "api.Client{" + c.opts.String() + "}"
}

// GoString is String.
func (c Client) GoString() string { return c.String() }

// Format is String for every verb, so that no verb can walk into the tokens.
func (c Client) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// newTransport is the standard transport with room for as many idle connections as workers ask at once.
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
