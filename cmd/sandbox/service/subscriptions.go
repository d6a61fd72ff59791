package service

import (
	"context"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// maxURL is the documented limit of the gateway's other callback addresses.
	maxURL = 500
	// reachTimeout bounds the look whether a URL can be reached.
	reachTimeout = 3 * time.Second
)

// subscriptionReply is what all three methods answer; null stands for no URL.
type subscriptionReply struct {
	URL *string `json:"url"`
}

// handleSubscriptions registers, tells and removes the URL an account's notifications go to.
func (s *Service) handleSubscriptions(rw http.ResponseWriter, r *http.Request) {
	var bad problems
	account := s.readAccount(r, paramsOf(r), &bad)
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
func (s *Service) subscribe(rw http.ResponseWriter, r *http.Request, account int64) {
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

// unsubscribe removes the URL and tells which it was. Choice: removing none is 200 with a null url.
func (s *Service) unsubscribe(rw http.ResponseWriter, account int64) {
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

// isReachable tells whether something takes connections at the URL. Choice: a connection is enough, since a
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

// isUserAndPassword tells whether text is Base64 of username:password, without a scheme word.
func isUserAndPassword(text string) bool {
	b, err := base64.StdEncoding.DecodeString(text)
	return err == nil && isBase64(text) && strings.Contains(string(b), ":")
}

// subscriptionOf is where an account's notifications go: the URL and, if one was given with it, the Base64
// of username:password; ok is false when the account has none.
func (s *Service) subscriptionOf(account int64) (url, basicAuth string, ok bool) {
	sub, ok := s.state.view().Subscriptions[account]
	return sub.URL, sub.BasicAuth, ok
}
