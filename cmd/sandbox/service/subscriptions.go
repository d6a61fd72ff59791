package service

import (
	"context"
	"encoding/base64"
	"errors"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"concilia/cmd/sandbox/world"
)

const (
	// maxURL is the documented limit of the gateway's other callback addresses.
	maxURL = 500
	// reachTimeout bounds the look whether a URL can be reached.
	reachTimeout = 3 * time.Second
)

// subscriptionReply is the answer of all three methods; null: no URL.
type subscriptionReply struct {
	URL *string `json:"url"`
}

// subscriptions answer which URL the notifications of an account go to, and with which credential.
type subscriptions struct {
	world        *world.World
	state        *State
	users        []User
	skipURLCheck bool
}

// handleSubscriptions registers, returns and removes the URL an account's notifications go to.
func (s *subscriptions) handleSubscriptions(rw http.ResponseWriter, r *http.Request) {
	var bad problems
	account := readAccount(s.world, r, paramsOf(r), &bad)
	if bad.writeIfAny(rw) {
		return
	}
	switch r.Method {
	case http.MethodPost:
		s.subscribe(rw, r, account)
	case http.MethodDelete:
		s.unsubscribe(rw, account)
	default:
		// Choice: an account without a subscription is no error: 200 with a null url.
		writeJSON(rw, http.StatusOK, subscriptionReply{nullIfEmpty(s.state.view().Subscriptions[account].URL)})
	}
}

// subscribe registers a URL. Choice: 201 like webhook-auth, and a second registration replaces the first,
// as an account has one URL.
func (s *subscriptions) subscribe(rw http.ResponseWriter, r *http.Request, account int64) {
	var wanted subscription
	if !readJSON(rw, r, &wanted) {
		return
	}
	var bad problems
	target := parseTargetURL(wanted.URL, &bad)
	if wanted.BasicAuth != "" && !isUserAndPassword(wanted.BasicAuth) {
		bad.add("basicAuth", "Base64 inválido")
	}
	if len(bad) == 0 && !s.skipURLCheck && !isReachable(r.Context(), target) {
		bad.add("url", "URL inacessível")
	}
	if bad.writeIfAny(rw) {
		return
	}
	err := s.state.changeState(func(d *stateData) error {
		d.Subscriptions[account] = wanted
		return nil
	})
	if err != nil {
		writeInternalError(rw)
		return
	}
	writeJSON(rw, http.StatusCreated, subscriptionReply{&wanted.URL})
}

// unsubscribe removes the URL and answers which it was. Choice: removing none is 200 with a null url.
func (s *subscriptions) unsubscribe(rw http.ResponseWriter, account int64) {
	var was subscription
	err := s.state.changeState(func(d *stateData) error {
		was = d.Subscriptions[account]
		delete(d.Subscriptions, account)
		return nil
	})
	if err != nil {
		writeInternalError(rw)
		return
	}
	writeJSON(rw, http.StatusOK, subscriptionReply{nullIfEmpty(was.URL)})
}

// parseTargetURL reads the url member. Choice: http and https only, up to 500 characters, and no user in it,
// since credentials have a member of their own.
func parseTargetURL(address string, bad *problems) *url.URL {
	u, err := url.Parse(address)
	switch {
	case address == "":
		bad.add("url", "Campo url é obrigatório")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.User != nil, utf8.RuneCountInString(address) > maxURL:
		bad.add("url", "Campo url inválido")
	}
	return u
}

// isReachable reports whether a TCP connection to the URL's host succeeds. Choice: a connection is enough, since a
// receiver may refuse every request but a notification.
func isReachable(ctx context.Context, u *url.URL) bool {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	d := net.Dialer{Timeout: reachTimeout}
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return false
	}
	_ = c.Close() // nothing was sent
	return true
}

// isUserAndPassword reports whether text is Base64 of username:password, without a scheme word.
func isUserAndPassword(text string) bool {
	b, err := base64.StdEncoding.DecodeString(text)
	return err == nil && isBase64(text) && strings.Contains(string(b), ":")
}

// subscriptionOf is where an account's notifications go: the URL and, if one was given with it, the Base64
// of username:password; ok is false when the account has none.
func (s *subscriptions) subscriptionOf(account int64) (url, basicAuth string, ok bool) {
	sub, ok := s.state.view().Subscriptions[account]
	return sub.URL, sub.BasicAuth, ok
}

// webhookAuth registers and removes the Basic credential that goes with a client's notifications.
func (s *subscriptions) webhookAuth(rw http.ResponseWriter, r *http.Request) {
	// Choice: the document demands this header on both methods; without it the answer is 400.
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		writeError(rw, http.StatusBadRequest, "Content-Type", "Content-Type deve ser application/json")
		return
	}
	if r.Method == http.MethodPost {
		s.registerCredential(rw, r)
	} else {
		s.removeCredential(rw, r)
	}
}

// credentialBody is the body of a registration.
type credentialBody struct {
	Basic string `json:"basic"`
}

// messageReply answers both methods.
type messageReply struct {
	Message string `json:"message"`
}

// errCredentialExists refuses a second credential: the first must be removed before.
var errCredentialExists = errors.New("a credential is registered already")

func (s *subscriptions) registerCredential(rw http.ResponseWriter, r *http.Request) {
	var c credentialBody
	if !readJSON(rw, r, &c) {
		return
	}
	if why := badBasic(c.Basic); why != "" {
		writeError(rw, http.StatusBadRequest, "basic", why)
		return
	}
	user := callerOf(r).name
	err := s.state.changeState(func(d *stateData) error {
		if d.Credentials[user] != "" {
			return errCredentialExists
		}
		d.Credentials[user] = c.Basic
		return nil
	})
	switch {
	case errors.Is(err, errCredentialExists):
		writeError(rw, http.StatusBadRequest, "basic", "Já existe autenticação")
	case err != nil:
		writeInternalError(rw)
	default:
		writeJSON(rw, http.StatusCreated, messageReply{"Autenticação de webhook cadastrada com sucesso"})
	}
}

// removeCredential answers alike whether or not there was one. Choice: 200, so that removing twice is safe.
func (s *subscriptions) removeCredential(rw http.ResponseWriter, r *http.Request) {
	user := callerOf(r).name
	err := s.state.changeState(func(d *stateData) error {
		delete(d.Credentials, user)
		return nil
	})
	if err != nil {
		writeInternalError(rw)
		return
	}
	writeJSON(rw, http.StatusOK, messageReply{"Autenticação de webhook removida com sucesso"})
}

// badBasic returns what is wrong with a credential, in the service's words; "" when it is valid. Choice: the
// scheme word is taken as written, with one space after it, and no content is no Base64.
func badBasic(basic string) string {
	content, ok := strings.CutPrefix(basic, "Basic ")
	switch {
	case basic == "":
		return "Campo basic é obrigatório"
	case !ok:
		return "Formato inválido"
	case !isBase64(content):
		return "Base64 inválido"
	}
	return ""
}

// isBase64 reports whether text is padded standard Base64 of at least a byte. The decoder skips line ends,
// which would let a header be split: they are refused here.
func isBase64(text string) bool {
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	return err == nil && len(b) > 0 && !strings.ContainsAny(text, "\r\n")
}

// webhookCredential is the Basic credential, scheme word and all, that goes with an account's
// notifications. Choice: of the clients that may use the account, one that names it comes first, then
// onboarded ones for every account, then the users of the options; the first with a credential counts.
func (s *subscriptions) webhookCredential(account int64) (basic string, ok bool) {
	d := s.state.view()
	names := make([]string, 0, len(d.Clients)+len(s.users))
	for _, named := range []bool{true, false} {
		for _, c := range d.Clients {
			if named == (len(c.Accounts) > 0) && mayUse(c.Accounts, account) {
				names = append(names, c.UserName)
			}
		}
	}
	for _, u := range s.users {
		if mayUse(u.Accounts, account) {
			names = append(names, u.Name)
		}
	}
	for _, name := range names {
		if basic := d.Credentials[name]; basic != "" {
			return basic, true
		}
	}
	return "", false
}

// deliveryTarget is where an account's notifications go. Choice: the subscription's own credential comes before the
// one of webhook-auth.
func (s *subscriptions) deliveryTarget(account int64) (address, authorization string, ok bool) {
	address, basic, ok := s.subscriptionOf(account)
	if basic != "" {
		return address, "Basic " + basic, ok
	}
	authorization, _ = s.webhookCredential(account)
	return address, authorization, ok
}
