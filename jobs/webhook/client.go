package webhook

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddress is whom a request comes from, for logs: the peer, or whom a trusted proxy names. Names are added at the
// right, so the rightmost that is not a trusted proxy itself is the last one that somebody trusted wrote.
func clientAddress(r *http.Request, trusted []netip.Prefix) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	at := peer.Addr().Unmap()
	if !within(at, trusted) {
		return at.String()
	}
	var named []string
	for _, line := range r.Header.Values("X-Forwarded-For") {
		named = append(named, strings.Split(line, ",")...)
	}
	for _, text := range slices.Backward(named) {
		a, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil {
			break
		}
		if at = a.Unmap().WithZone(""); !within(at, trusted) {
			break
		}
	}
	return at.String()
}

func within(a netip.Addr, networks []netip.Prefix) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(a) })
}
