package service

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// caller is who a request is made for.
type caller struct {
	name      string
	addresses []netip.Prefix
	accounts  []int64 // none: every account
}

// callerKey is where withToken leaves the caller in the request's context.
type callerKey struct{}

// callerOf is the caller of a request that passed withToken.
func callerOf(r *http.Request) caller {
	c, _ := r.Context().Value(callerKey{}).(caller)
	return c
}

// findCaller finds a user of the options or an onboarded client by name.
func (s *Service) findCaller(name string) (caller, bool) {
	for _, u := range s.users {
		if u.Name == name {
			return caller{u.Name, u.Addresses, u.Accounts}, true
		}
	}
	for _, c := range s.state.view().Clients {
		if c.UserName == name {
			return caller{c.UserName, c.Addresses, c.Accounts}, true
		}
	}
	return caller{}, false
}

// mayUse tells whether an account is among those listed; an empty list means every account.
func mayUse(accounts []int64, account int64) bool {
	return len(accounts) == 0 || slices.Contains(accounts, account)
}

// withToken lets a request through when it carries a token of the family and comes from an address of the
// client. Choice: a missing, unknown, expired or other family's token is 401, all told alike.
func (s *Service) withToken(f family, h http.HandlerFunc) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		var who caller
		if ok {
			var name string
			if name, ok = s.auth.tokenUser(token, f); ok {
				who, ok = s.findCaller(name)
			}
		}
		switch {
		case !ok:
			rw.Header().Set("WWW-Authenticate", "Bearer")
			writeError(rw, http.StatusUnauthorized, "", "Token inválido ou expirado.")
		case !anyContains(who.addresses, s.clientAddress(r)):
			refuseAddress(rw, s.clientAddress(r))
		default:
			h(rw, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
		}
	}
}

// refuseAddress refuses an address and says which: behind a proxy or in a container nobody knows it by heart. Choice: 403,
// in the shape of every other error.
func refuseAddress(rw http.ResponseWriter, from netip.Addr) {
	text := "Endereço de origem não autorizado."
	if from.IsValid() {
		text = "Endereço de origem não autorizado: " + from.String()
	}
	writeError(rw, http.StatusForbidden, "", text)
}
