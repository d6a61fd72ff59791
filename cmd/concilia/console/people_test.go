package console

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/store/ledger"
)

// clock is a clock that a test moves.
type clock struct{ now time.Time }

func (c *clock) wall() time.Time { return c.now }

func newClock() *clock { return &clock{time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)} }

const goodPassword = "quatro palavras bem longas"

func TestPeopleFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "people.yaml")
	ana := Person{Name: "ana", FullName: "Ana Lima", Role: Manager, Password: HashPassword(goodPassword)}
	rui := Person{Name: "rui@loja", Role: Reader, Accounts: []ledger.Account{1001}, Password: HashPassword("outra senha comprida")}
	for _, p := range []Person{ana, rui} {
		if err := AddPerson(path, p); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := AddPerson(path, Person{Name: "ana", Role: Reader}); err == nil || !strings.Contains(err.Error(), "there already") {
		t.Errorf("a second ana: %v", err)
	}
	at, warned := newClock(), 0
	people, err := OpenPeople(path, at.wall, func(error) { warned++ })
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := people.signIn("ANA", goodPassword); !ok || p.FullName != "Ana Lima" {
		t.Error("ana cannot sign in by her name in another case")
	}
	for why, pair := range map[string][2]string{"a wrong password": {"ana", "x"}, "another's": {"ana", "outra senha comprida"}, "nobody": {"eva", goodPassword}, "no name": {"", ""}} {
		if _, ok := people.signIn(pair[0], pair[1]); ok {
			t.Errorf("%s signs in", why)
		}
	}
	if err := ChangePerson(path, "rui@loja", func(*Person) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at.now, at.now); err != nil {
		t.Fatal(err)
	}
	if _, ok := people.find("rui@loja"); ok {
		t.Error("who was removed is still there")
	}
	// A file that is spoiled later leaves the last good one in force, and says so once a minute.
	if err := os.WriteFile(path, []byte("people: {"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, ok := people.find("ana"); !ok {
			t.Error("a spoiled file locks everybody out")
		}
	}
	if warned != 1 || people.Check() == nil {
		t.Errorf("%d warnings, check %v", warned, people.Check())
	}
}

func TestPeopleFileIsRefused(t *testing.T) {
	t.Parallel()
	hash := HashPassword(goodPassword)
	for _, row := range []struct {
		why, content, want string
		mode               fs.FileMode
	}{
		{"others can read it", "people: []", "chmod 600", 0o640},
		{"no YAML", "people: {", "yaml", 0o600},
		{"an unknown key", "people: [{name: ana, role: reader, password: x, admin: true}]", "admin", 0o600},
		{"an unknown role", "people: [{name: ana, role: root, password: '" + hash + "'}]", "no role", 0o600},
		{"no name", "people: [{name: 'a b', role: reader, password: '" + hash + "'}]", "is no name", 0o600},
		{"a plain password", "people: [{name: ana, role: reader, password: geheim}]", "argon2id", 0o600},
		{"a hash that costs too much", "people: [{name: ana, role: reader, password: '" + strings.Replace(hash, "m=19456", "m=9999999", 1) + "'}]", "argon2id", 0o600},
		{"twice the same name", fmt.Sprintf("people: [{name: ana, role: reader, password: '%[1]s'}, {name: ana, role: reader, password: '%[1]s'}]", hash), "there twice", 0o600},
	} {
		path := filepath.Join(t.TempDir(), "people.yaml")
		if err := os.WriteFile(path, []byte(row.content), row.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, row.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPeople(path); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", row.why, err, row.want)
		}
	}
}

func TestNewPasswords(t *testing.T) {
	t.Parallel()
	for why, password := range map[string]string{
		"short": "elevenchars", "long": strings.Repeat("ab", 65), "the name": "ana.da.silva", "one sign": strings.Repeat("a", 20), "common": "Password1234",
	} {
		if CheckNewPassword("ana.da.silva", password) == nil {
			t.Errorf("%s is taken", why)
		}
	}
	if err := CheckNewPassword("ana", goodPassword); err != nil {
		t.Error(err)
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	path, at := filepath.Join(t.TempDir(), "people.yaml"), newClock()
	if err := AddPerson(path, Person{Name: "ana", Role: Reader, Password: HashPassword(goodPassword)}); err != nil {
		t.Fatal(err)
	}
	people, err := OpenPeople(path, at.wall, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	ana, _ := people.find("ana")
	s := newSessions(30*time.Minute, 2*time.Hour, at.wall)
	holds := func(secret string) bool { _, ok := s.find(secret, people); return ok }
	first := s.begin(&ana)
	at.now = at.now.Add(29 * time.Minute)
	if !holds(first) {
		t.Fatal("a session ends before it is idle")
	}
	at.now = at.now.Add(30 * time.Minute)
	if holds(first) {
		t.Error("an idle session stays")
	}
	busy := s.begin(&ana)
	for range 4 {
		at.now = at.now.Add(29 * time.Minute)
		holds(busy)
	}
	at.now = at.now.Add(10 * time.Minute)
	if holds(busy) {
		t.Error("a session stays past its absolute end")
	}
	var all []string
	for range sessionsOfPerson + 1 {
		at.now = at.now.Add(time.Second)
		all = append(all, s.begin(&ana))
	}
	if holds(all[0]) || !holds(all[1]) || s.count("ana") != sessionsOfPerson {
		t.Errorf("%d sessions of a person", s.count("ana"))
	}
	s.end(all[1])
	if holds(all[1]) || holds("") || holds("AAAA") {
		t.Error("an ended or unknown session holds")
	}
	if err := ChangePerson(path, "ana", func(p *Person) bool { p.Password = HashPassword("uma senha bem diferente"); return true }); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at.now, at.now); err != nil {
		t.Fatal(err)
	}
	if holds(all[2]) {
		t.Error("a session survives another password")
	}
}

func TestTriesAreThrottled(t *testing.T) {
	t.Parallel()
	at := newClock()
	th := newThrottle(at.wall)
	for range freeTries - 1 {
		th.fail("name ana")
	}
	if th.pause("name ana") != 0 {
		t.Fatal("the first tries are slowed down")
	}
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		th.fail("name ana")
		if got := th.pause("name ana", "address x"); got != want*time.Second {
			t.Errorf("a pause of %s, want %ds", got, want)
		}
	}
	if th.pause("name rui") != 0 {
		t.Error("another name waits too")
	}
	at.now = at.now.Add(triesWindow)
	th.fail("name ana")
	if th.pause("name ana") != 0 {
		t.Error("old failures count for ever")
	}
	for i := range 2 * mostTries {
		th.fail(fmt.Sprint("name ", i))
	}
	if len(th.tries) > mostTries {
		t.Errorf("%d names are remembered", len(th.tries))
	}
}

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

func TestRolesInclude(t *testing.T) {
	t.Parallel()
	if !Manager.Includes(Actor) || !Actor.Includes(Actor) || Reader.Includes(Actor) || Role("root").Includes(Reader) {
		t.Error("roles do not include each other as they should")
	}
}

// Somebody whom a proxy signs in needs no password in the file, and then none lets them in.
func TestPersonWithoutAPasswordIsKnownAndSignsInByTheProxyAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "people.yaml")
	if err := os.WriteFile(path, []byte("people: [{name: ana, role: manager, accounts: [1001]}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	people, err := OpenPeople(path, newClock().wall, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	c := &Console{Options: Options{People: people, IdentityHeader: "Remote-User"}}
	if p, err := c.identified("Ana"); err != nil || p.Role != Manager || len(p.Accounts) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, password := range []string{"", goodPassword} {
		if _, ok := people.signIn("ana", password); ok {
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
