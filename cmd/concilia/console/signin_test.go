package console

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"concilia/cmd/concilia/console/people"
)

// clock is a clock that a test moves.
type clock struct{ now time.Time }

func (c *clock) wall() time.Time { return c.now }

func newClock() *clock { return &clock{time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)} }

const goodPassword = "quatro palavras bem longas"

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/cases?new=1": "/cases?new=1", "": "/", "//evil.example": "/", "https://evil.example/": "/", `/\evil.example`: "/", "cases": "/",
	} {
		if got := localPath(text); got != want {
			t.Errorf("%q leads to %q, want %q", text, got, want)
		}
	}
}

// Somebody whom a proxy signs in needs no password in the file, and then none lets them in.
func TestPersonWithoutAPasswordIsKnownAndSignsInByTheProxyAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "people.yaml")
	if err := os.WriteFile(path, []byte("people: [{name: ana, role: manager, accounts: [1001]}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	register, err := people.OpenRegister(path, newClock().wall, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	c := &Console{Options: Options{People: register, IdentityHeader: "Remote-User"}}
	if p, err := c.findNamedPerson("Ana"); err != nil || p.Role != people.Manager || len(p.Accounts) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, password := range []string{"", goodPassword} {
		if _, ok := register.SignIn("ana", password); ok {
			t.Errorf("password %q lets in", password)
		}
	}
}

// A host with IPv6 has as many addresses as it likes: its tries count for its network.
func TestTriesCountForTheNetworkOfAnAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "::ffff:192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::9": "2001:db8:1:2::/64",
		"fe80::1%eth0": "fe80::/64", "no address": "no address",
	} {
		if got := networkOf(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
