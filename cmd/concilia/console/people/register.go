package people

import (
	"crypto/rand"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// Register is the file of people, read again when it changes.
type Register struct {
	path string
	warn func(error)
	wall func() time.Time

	mu     sync.Mutex
	people map[string]Person // by name in lower case
	read   fs.FileInfo       // of the file they are of; nil: none was read yet
	failed error             // why the file cannot be read now; the last good one stays in use
	warned time.Time

	computing chan struct{} // passwords that are computed at once
	stranger  keptPassword  // what the password of an unknown name is held against, so that it takes as long
}

// OpenRegister reads the file.
func OpenRegister(path string, wall func() time.Time, warn func(error)) (*Register, error) {
	r := &Register{path: path, warn: warn, wall: wall, computing: make(chan struct{}, 2), stranger: newStranger()}
	if err := r.reloadFile(); err != nil {
		return nil, err
	}
	return r, nil
}

// newStranger is a hash as HashPassword makes them that no password is known for: nothing has to be computed for it.
func newStranger() keptPassword {
	p := keptPassword{memory: passwordMemory, passes: passwordPasses, lanes: passwordLanes, salt: make([]byte, saltLength), key: make([]byte, keyLength)}
	_, _ = rand.Read(p.salt) // never fails
	_, _ = rand.Read(p.key)
	return p
}

// reloadFile reads the file if it has changed.
func (r *Register) reloadFile() error {
	info, err := os.Stat(r.path)
	if err == nil && r.read != nil && r.failed == nil && isSame(info, r.read) {
		return nil
	}
	var all []Person
	if err == nil {
		all, err = ReadFile(r.path)
	}
	if r.failed = err; err != nil {
		return err
	}
	r.read, r.people = info, map[string]Person{}
	for _, person := range all {
		r.people[strings.ToLower(person.Name)] = person
	}
	return nil
}

// isSame says that a file was not changed in between. Each writing puts another file in its place: two of them within one tick of the
// file system's clock differ in that. Who may read it counts, too.
func isSame(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size() && a.Mode() == b.Mode()
}

// Find is the person of a name.
func (r *Register) Find(name string) (Person, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.reloadFile(); err != nil && r.wall().Sub(r.warned) >= time.Minute {
		r.warned = r.wall()
		r.warn(err)
	}
	person, ok := r.people[strings.ToLower(name)]
	return person, ok
}

// KeepLanguage notes in the file which language a person reads; nothing is written of people who are not in it, nor twice.
func (r *Register) KeepLanguage(name, language string) error {
	if person, known := r.Find(name); !known || person.Language == language {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return ChangePerson(r.path, name, func(person *Person) bool {
		person.Language = language
		return true
	})
}

// Check is why the file cannot be read now, for /readyz.
func (r *Register) Check() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reloadFile()
}

// SignIn is the person of a name and a password. It takes as long for an unknown name.
func (r *Register) SignIn(name, password string) (Person, bool) {
	person, known := r.Find(name)
	kept := r.stranger
	if known {
		if parsed, err := parsePassword(person.Password); err == nil {
			kept = parsed
		}
	}
	r.computing <- struct{}{}
	right := kept.matches(password)
	<-r.computing
	return person, known && right
}
