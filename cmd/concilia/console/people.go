package console

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"golang.org/x/crypto/argon2"

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

// Person is somebody who may sign in.
type Person struct {
	Name     string           `yaml:"name" json:"name"` // unique without regard to case
	FullName string           `yaml:"full_name,omitempty" json:"full_name"`
	Role     Role             `yaml:"role" json:"role"`
	Accounts []ledger.Account `yaml:"accounts,omitempty" json:"accounts"` // none: all
	Payers   bool             `yaml:"payers,omitempty" json:"payers"`     // may see payers where the configuration allows it
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

// ReadPeople reads the file of people. A file that others can read is refused.
func ReadPeople(path string) ([]Person, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: others can read it: chmod 600 %s", path, path)
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
			problems = append(problems, fmt.Errorf("%s: the password of %s: %w", path, p.Name, err))
		}
		if seen[strings.ToLower(p.Name)] {
			problems = append(problems, fmt.Errorf("%s: %s is there twice", path, p.Name))
		}
		seen[strings.ToLower(p.Name)] = true
	}
	return f.People, errors.Join(problems...)
}

// WritePeople writes the file whole, for its owner alone: a reader sees the file before or the one after.
func WritePeople(path string, people []Person) (err error) {
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

// The cost of a password: 19 MiB, 2 passes, 1 lane.
const (
	passwordMemory = 19 << 10
	passwordPasses = 2
	passwordLanes  = 1
	saltLength     = 16
	keyLength      = 32
)

var errCommonPassword = words.NewFault("error.password_common", "")

// CheckNewPassword says why a password is refused for a person, or nothing.
func CheckNewPassword(name, password string) error {
	length := utf8.RuneCountInString(password)
	common := []string{"123456789012", "1234567890123", "password1234", "passwordpassword", "qwertyuiop12", "senha1234567", "senhasenha12", "abcdefghijkl", "111111111111", "000000000000", "administrator"}
	switch {
	case length < 12 || length > 128:
		return words.NewFault("error.password_length", "")
	case strings.EqualFold(password, name):
		return words.NewFault("error.password_name", "")
	case slices.Contains(common, strings.ToLower(password)), strings.Trim(password, password[:1]) == "":
		return errCommonPassword
	}
	return nil
}

// HashPassword is what the file keeps of a password.
func HashPassword(password string) string {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails
	key := argon2.IDKey([]byte(password), salt, passwordPasses, passwordMemory, passwordLanes, keyLength)
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, passwordMemory, passwordPasses, passwordLanes, encode(salt), encode(key))
}

// keptPassword is a parsed PHC string.
type keptPassword struct {
	memory, passes uint32
	lanes          uint8
	salt, key      []byte
}

func parsePassword(text string) (p keptPassword, err error) {
	bad := errors.New("it is no argon2id hash: concilia console user passwd writes one")
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, bad
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.passes, &p.lanes); err != nil {
		return p, bad
	}
	p.salt, err = base64.RawStdEncoding.DecodeString(parts[4])
	key, wrong := base64.RawStdEncoding.DecodeString(parts[5])
	p.key = key
	if err != nil || wrong != nil || len(p.salt) < 8 || len(p.key) < 16 || len(p.key) > 64 || p.passes < 1 || p.passes > 16 ||
		p.lanes < 1 || p.lanes > 4 || p.memory < 8<<10 || p.memory > 256<<10 {
		return p, bad
	}
	return p, nil
}

// matches computes a password and compares it.
func (p *keptPassword) matches(password string) bool {
	key := argon2.IDKey([]byte(password), p.salt, p.passes, p.memory, p.lanes, uint32(len(p.key)))
	return subtle.ConstantTimeCompare(key, p.key) == 1
}

// People is the file of people, read again when it changes.
type People struct {
	path string
	warn func(error)
	wall func() time.Time

	mu      sync.Mutex
	people  map[string]Person // by name in lower case
	changed time.Time
	failed  error // why the file cannot be read now; the last good one stays in use
	warned  time.Time

	computing chan struct{} // passwords that are computed at once
	stranger  keptPassword  // what the password of an unknown name is held against, so that it takes as long
}

// OpenPeople reads the file.
func OpenPeople(path string, wall func() time.Time, warn func(error)) (*People, error) {
	p := &People{path: path, warn: warn, wall: wall, computing: make(chan struct{}, 2), stranger: newStranger()}
	if err := p.reload(); err != nil {
		return nil, err
	}
	return p, nil
}

// newStranger is a hash as HashPassword makes them that no password is known for: nothing has to be computed for it.
func newStranger() keptPassword {
	p := keptPassword{memory: passwordMemory, passes: passwordPasses, lanes: passwordLanes, salt: make([]byte, saltLength), key: make([]byte, keyLength)}
	_, _ = rand.Read(p.salt) // never fails
	_, _ = rand.Read(p.key)
	return p
}

// reload reads the file if it has changed.
func (p *People) reload() error {
	info, err := os.Stat(p.path)
	if err == nil && p.people != nil && info.ModTime().Equal(p.changed) && p.failed == nil {
		return nil
	}
	var all []Person
	if err == nil {
		all, err = ReadPeople(p.path)
	}
	if p.failed = err; err != nil {
		return err
	}
	p.changed, p.people = info.ModTime(), map[string]Person{}
	for _, person := range all {
		p.people[strings.ToLower(person.Name)] = person
	}
	return nil
}

// find is the person of a name.
func (p *People) find(name string) (Person, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.reload(); err != nil && p.wall().Sub(p.warned) >= time.Minute {
		p.warned = p.wall()
		p.warn(err)
	}
	person, ok := p.people[strings.ToLower(name)]
	return person, ok
}

// Check is why the file cannot be read now, for /readyz.
func (p *People) Check() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reload()
}

// signIn is the person of a name and a password. It takes as long for an unknown name.
func (p *People) signIn(name, password string) (Person, bool) {
	person, known := p.find(name)
	kept := p.stranger
	if known {
		if parsed, err := parsePassword(person.Password); err == nil {
			kept = parsed
		}
	}
	p.computing <- struct{}{}
	right := kept.matches(password)
	<-p.computing
	return person, known && right
}

// AddPerson adds a person to the file, which is made where there is none.
func AddPerson(path string, person Person) error {
	if err := person.Check(); err != nil {
		return err
	}
	people, err := ReadPeople(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if slices.ContainsFunc(people, func(p Person) bool { return strings.EqualFold(p.Name, person.Name) }) {
		return words.NewFault("error.person_there", "", "name", person.Name)
	}
	return WritePeople(path, append(people, person))
}

// ChangePerson changes a person of the file; change returns false to remove them.
func ChangePerson(path, name string, change func(*Person) bool) error {
	people, err := ReadPeople(path)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(people, func(p Person) bool { return strings.EqualFold(p.Name, name) })
	if i < 0 {
		return words.NewFault("error.no_person", "", "name", name)
	}
	if !change(&people[i]) {
		people = slices.Delete(people, i, i+1)
	}
	return WritePeople(path, people)
}
