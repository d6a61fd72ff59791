package people

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
	register, err := OpenRegister(path, at.wall, func(error) { warned++ })
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := register.SignIn("ANA", goodPassword); !ok || p.FullName != "Ana Lima" {
		t.Error("ana cannot sign in by her name in another case")
	}
	for why, pair := range map[string][2]string{"a wrong password": {"ana", "x"}, "another's": {"ana", "outra senha comprida"}, "nobody": {"eva", goodPassword}, "no name": {"", ""}} {
		if _, ok := register.SignIn(pair[0], pair[1]); ok {
			t.Errorf("%s signs in", why)
		}
	}
	for _, name := range []string{"Ana", "nobody"} {
		if err := register.KeepLanguage(name, "en"); err != nil {
			t.Error(err)
		}
	}
	if p, _ := register.Find("ana"); p.Language != "en" || p.FullName != "Ana Lima" || p.Password != ana.Password {
		t.Errorf("ana reads %q, as %+v", p.Language, p)
	}
	if p, ok := register.Find("nobody"); ok {
		t.Errorf("%+v came into the file by choosing a language", p)
	}
	if err := ChangePerson(path, "rui@loja", func(*Person) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if _, ok := register.Find("rui@loja"); ok {
		t.Error("who was removed is still there")
	}
	// A file that others may read from now on is refused, though nothing was written.
	if err := os.Chmod(path, 0o644); err != nil { //nolint:gosec // what is refused
		t.Fatal(err)
	}
	if _, ok := register.Find("ana"); !ok || warned != 1 || register.Check() == nil {
		t.Errorf("others may read the file: ana is there %v, %d warnings, check %v", ok, warned, register.Check())
	}
	at.now = at.now.Add(time.Hour)
	// A file that is spoiled later leaves the last good one in force, and says so once a minute.
	if err := os.WriteFile(path, []byte("people: {"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, ok := register.Find("ana"); !ok {
			t.Error("a spoiled file locks everybody out")
		}
	}
	if warned != 2 || register.Check() == nil {
		t.Errorf("%d warnings, check %v", warned, register.Check())
	}
}

// Who changes the file at the same time loses nothing of each other: every person who was added is there, with the language chosen last,
// and none who was removed.
func TestPeopleFileChangedByManyAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "people.yaml")
	const all = 12
	var begin, end sync.WaitGroup
	begin.Add(1)
	for i := range all {
		end.Go(func() {
			name := fmt.Sprintf("person-%02d", i)
			begin.Wait()
			err := AddPerson(path, Person{Name: name, Role: Reader})
			err = errors.Join(err, ChangePerson(path, name, func(p *Person) bool { p.Language = "en"; return true }))
			if i%2 == 1 {
				err = errors.Join(err, ChangePerson(path, name, func(*Person) bool { return false }))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	begin.Done()
	end.Wait()
	people, err := ReadFile(path)
	if err != nil || len(people) != all/2 {
		t.Fatalf("%d people, want %d, %v: %+v", len(people), all/2, err, people)
	}
	for i, p := range people {
		if p.Name != fmt.Sprintf("person-%02d", 2*i) || p.Language != "en" {
			t.Errorf("%+v is there", p)
		}
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
		if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), row.want) {
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

func TestRolesInclude(t *testing.T) {
	t.Parallel()
	if !Manager.Includes(Actor) || !Actor.Includes(Actor) || Reader.Includes(Actor) || Role("root").Includes(Reader) {
		t.Error("roles do not include each other as they should")
	}
}
