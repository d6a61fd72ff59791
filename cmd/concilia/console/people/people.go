package people

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"concilia/export/words"
	"concilia/store/ledger"
)

// Role is what a person may do.
type Role string

// The roles. Each may what the one before it may.
const (
	Reader  Role = "reader"  // sees the accounts given to them
	Actor   Role = "actor"   // also acts on cases
	Manager Role = "manager" // also confirms what others proposed, and closes months
)

// Roles are all roles, the least first.
func Roles() []Role { return []Role{Reader, Actor, Manager} }

// Includes says whether the role may what another may.
func (r Role) Includes(other Role) bool {
	return slices.Index(Roles(), r) >= slices.Index(Roles(), other)
}

// Languages are those that people may choose for pages.
func Languages() []string { return []string{"pt-BR", "en"} }

// Person is somebody who may sign in.
type Person struct {
	Name     string           `yaml:"name" json:"name"` // unique without regard to case
	FullName string           `yaml:"full_name,omitempty" json:"full_name"`
	Role     Role             `yaml:"role" json:"role"`
	Accounts []ledger.Account `yaml:"accounts,omitempty" json:"accounts"` // none: all
	Payers   bool             `yaml:"payers,omitempty" json:"payers"`     // may see payers where the configuration allows it
	Language string           `yaml:"language,omitempty" json:"-"`        // that they chose for pages; empty: their browser's
	Password string           `yaml:"password,omitempty" json:"-"`        // argon2id, as a PHC string; empty: only a proxy signs them in
}

var personName = regexp.MustCompile(`^[a-z0-9._@-]{1,60}$`)

// Check says what is wrong with a person, or nothing.
func (p *Person) Check() error {
	switch {
	case !personName.MatchString(p.Name):
		return words.NewFault("error.person_name", "", "name", p.Name)
	case !slices.Contains(Roles(), p.Role):
		return words.NewFault("error.person_role", "", "name", p.Name, "role", p.Role)
	case utf8.RuneCountInString(p.FullName) > 100 || strings.ContainsFunc(p.FullName, func(r rune) bool { return r < ' ' }):
		return words.NewFault("error.person_full_name", "", "name", p.Name)
	case p.Language != "" && !slices.Contains(Languages(), p.Language):
		return words.NewFault("error.person_language", "", "name", p.Name, "language", p.Language)
	}
	for _, a := range p.Accounts {
		if a <= 0 {
			return words.NewFault("error.person_account", "", "name", p.Name, "account", a)
		}
	}
	return nil
}

// peopleFile is the file of people.
type peopleFile struct {
	People []Person `yaml:"people"`
}

// ReadFile reads the file of people. A file that others can read is refused.
func ReadFile(path string) ([]Person, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, words.NewFault("error.people_readable", "", "path", path)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var f peopleFile
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	seen := map[string]bool{}
	var problems []error
	for i := range f.People {
		p := &f.People[i]
		if err := p.Check(); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", path, err))
		}
		if _, err := parsePassword(p.Password); p.Password != "" && err != nil {
			problems = append(problems, words.NewFault("error.person_password", "", "path", path, "name", p.Name, "cause", err))
		}
		if seen[strings.ToLower(p.Name)] {
			problems = append(problems, words.NewFault("error.person_twice", "", "path", path, "name", p.Name))
		}
		seen[strings.ToLower(p.Name)] = true
	}
	return f.People, errors.Join(problems...)
}

// ChangeFile gives change the people of the file and writes those it returns. Who else changes the file waits meanwhile, in this process
// and in others, so that no change is lost; the empty file beside it, whose name ends in .lock, stays. Where there is no file yet, change
// is called with no person.
func ChangeFile(path string, change func([]Person) ([]Person, error)) error {
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() // gives the lock back
	if err := lockWhole(lock); err != nil {
		return fmt.Errorf("%s.lock: %w", path, err)
	}
	people, err := ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if people, err = change(people); err != nil {
		return err
	}
	return writeFile(path, people)
}

// writeFile writes the file whole, for its owner alone: a reader sees the file before or the one after.
func writeFile(path string, people []Person) (err error) {
	slices.SortFunc(people, func(a, b Person) int { return cmp.Compare(a.Name, b.Name) })
	content, err := yaml.Marshal(peopleFile{people})
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".people-") // for its owner alone
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary.Name())
		}
	}()
	_, err = temporary.Write(content)
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

// AddPerson adds a person to the file, which is made where there is none.
func AddPerson(path string, person Person) error {
	if err := person.Check(); err != nil {
		return err
	}
	return ChangeFile(path, func(people []Person) ([]Person, error) {
		if findPerson(people, person.Name) >= 0 {
			return nil, words.NewFault("error.person_there", "", "name", person.Name)
		}
		return append(people, person), nil
	})
}

// ChangePerson changes a person of the file; change returns false to remove them.
func ChangePerson(path, name string, change func(*Person) bool) error {
	return ChangeFile(path, func(people []Person) ([]Person, error) {
		i := findPerson(people, name)
		if i < 0 {
			return nil, words.NewFault("error.no_person", "", "name", name)
		}
		if !change(&people[i]) {
			people = slices.Delete(people, i, i+1)
		}
		return people, nil
	})
}

// findPerson returns the index of the person of a name, without regard to case, or -1.
func findPerson(people []Person, name string) int {
	return slices.IndexFunc(people, func(p Person) bool { return strings.EqualFold(p.Name, name) })
}
