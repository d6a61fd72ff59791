package service

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// loopbackPrefixes is where a user without registered addresses may come from.
func loopbackPrefixes() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

func anyContains(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// clientAddress is the address a request comes from; an invalid one, which no list contains, when it can't be told.
//
// Choice: X-Forwarded-For counts only when the connection itself comes from a trusted proxy, and then the
// last address in it that is no trusted proxy: what stands before that one anybody may have written.
func (s *Service) clientAddress(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	at := peer.Addr().Unmap().WithZone("")
	if !anyContains(s.proxies, at) {
		return at
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		hop = strings.TrimSpace(hop)
		if hop == "" {
			continue
		}
		a, err := netip.ParseAddr(hop)
		if err != nil {
			return netip.Addr{}
		}
		if at = a.Unmap().WithZone(""); !anyContains(s.proxies, at) {
			break
		}
	}
	return at
}
