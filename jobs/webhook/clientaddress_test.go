package webhook

import (
	"net/http"
	"net/netip"
	"testing"
)

// FuzzClientAddress: whatever a client writes into the header, the address is empty or one address, and only a trusted proxy's
// word changes it.
func FuzzClientAddress(f *testing.F) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	f.Add("10.0.0.1:443", "192.0.2.7, 10.0.0.2")
	f.Add("192.0.2.7:443", "10.0.0.9")
	f.Add("[::ffff:10.0.0.1]:1", "fe80::1%eth0\x1b,,")
	f.Fuzz(func(t *testing.T, peer, forwarded string) {
		r := &http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": {forwarded}}}
		got := clientAddress(r, trusted)
		at, err := netip.ParseAddrPort(peer)
		if err != nil {
			if got != "" {
				t.Errorf("peer %q gave %q", peer, got)
			}
			return
		}
		if _, err := netip.ParseAddr(got); err != nil {
			t.Errorf("%q and %q gave %q", peer, forwarded, got)
		}
		if direct := at.Addr().Unmap(); !trusted[0].Contains(direct) && got != direct.String() {
			t.Errorf("a client that is no proxy, %q, became %q", peer, got)
		}
	})
}
