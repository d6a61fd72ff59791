package console

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// policy is what a page may load: our own style sheet, script and images, and nothing inline.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// guard refuses requests for another host and puts the headers of every answer.
func (c *Console) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // with no-referrer a browser sends Origin: null, and our own forms would be refused
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if r.TLS != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !c.mayConnect(r) {
			c.Log.Warn().Str("address", r.RemoteAddr).Msg("a connection without TLS from elsewhere was refused")
			http.Error(w, "not without TLS", http.StatusForbidden)
			return
		}
		if !c.isKnownHost(r.Host) {
			c.Log.Warn().Str("host", r.Host).Str("address", r.RemoteAddr).Msg("a request for another host was refused")
			http.Error(w, "no such host here", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isKnownHost says whether a request may be for this host: a page elsewhere may give its own name our address.
func (c *Console) isKnownHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if ip, err := netip.ParseAddr(name); err == nil && ip.IsLoopback() || name == "localhost" {
		return true
	}
	return slices.Contains(c.Hosts, name)
}
