package service

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// family is one of the two APIs; a token is good for the one that issued it.
type family string

const (
	gateway     family = "gateway"
	integration family = "integration"
)

// Limits of the login body, from the interface document.
const (
	maxUserName = 30
	maxPassword = 256
)

// authority knows who may log in and the tokens in force. It keeps no password: of the users of the options
// and of every pair it has verified only a salted hash, of onboarded clients what the state holds.
type authority struct {
	lifetime time.Duration
	now      func() time.Time
	salt     []byte
	users    map[string][32]byte
	state    *State
	decoy    func() string // a hash no password has, for names nobody has

	argonMu  sync.Mutex // one costly hash at a time bounds the memory they take
	mu       sync.Mutex
	verified map[[32]byte]bool
	tokens   map[string]grant
}

// grant is what a token allows, and whom.
type grant struct {
	family  family
	user    string
	expires time.Time
}

func newAuthority(o Options) *authority {
	a := &authority{
		lifetime: o.TokenLifetime, now: o.Now, salt: randomBytes(16), users: map[string][32]byte{}, state: o.State,
		decoy:    sync.OnceValue(func() string { return hashPassword(rand.Text()) }),
		verified: map[[32]byte]bool{}, tokens: map[string]grant{},
	}
	for _, u := range o.Users {
		a.users[u.Name] = a.saltedHash(u.Password)
	}
	return a
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // documented never to fail
	return b
}

// saltedHash is salted with what this process drew at its start; each part's length keeps the parts apart.
func (a *authority) saltedHash(parts ...string) [32]byte {
	b := append([]byte(nil), a.salt...)
	for _, p := range parts {
		b = append(binary.AppendUvarint(b, uint64(len(p))), p...)
	}
	return sha256.Sum256(b)
}

// checkPassword tells whether the pair is a user's or an onboarded client's. A user of the options hides a client
// of the same name. An unknown name costs as much as a known one where names are secret: among clients.
func (a *authority) checkPassword(name, password string) bool {
	if want, ok := a.users[name]; ok {
		got := a.saltedHash(password)
		return subtle.ConstantTimeCompare(got[:], want[:]) == 1
	}
	clients := a.state.view().Clients
	if len(clients) == 0 {
		return false
	}
	i := slices.IndexFunc(clients, func(c Client) bool { return c.UserName == name })
	if i < 0 {
		a.argonMu.Lock()
		defer a.argonMu.Unlock()
		_ = matchesPassword(a.decoy(), password)
		return false
	}
	return a.verifyClient(clients[i], password)
}

// verifyClient pays for a hash only the first time a right pair is seen; a changed hash is another pair.
func (a *authority) verifyClient(c Client, password string) bool {
	pair := a.saltedHash(c.UserName, c.PasswordHash, password)
	a.mu.Lock()
	known := a.verified[pair]
	a.mu.Unlock()
	if known {
		return true
	}
	a.argonMu.Lock()
	defer a.argonMu.Unlock()
	if !matchesPassword(c.PasswordHash, password) {
		return false
	}
	a.mu.Lock()
	a.verified[pair] = true
	a.mu.Unlock()
	return true
}

// issueToken makes a token of a family for a user. Choice: tokens are opaque, and earlier ones stay good until
// they expire.
func (a *authority) issueToken(f family, user string) (token string, created, expires time.Time) {
	token = base64.RawURLEncoding.EncodeToString(randomBytes(32))
	created = a.now().UTC()
	expires = created.Add(a.lifetime)
	a.mu.Lock()
	defer a.mu.Unlock()
	for t, g := range a.tokens {
		if !created.Before(g.expires) {
			delete(a.tokens, t)
		}
	}
	a.tokens[token] = grant{f, user, expires}
	return token, created, expires
}

// tokenUser tells whether a token is in force for a family, and whose it is.
func (a *authority) tokenUser(token string, f family) (user string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g, ok := a.tokens[token]
	return g.user, ok && g.family == f && a.now().Before(g.expires)
}

// credentials is the body of both login paths.
type credentials struct {
	UserName string `json:"userName"`
	Password string `json:"password"`
}

// tokenResult answers both login paths.
type tokenResult struct {
	Authenticated bool    `json:"authenticated"`
	Created       *string `json:"created"`
	Expiration    *string `json:"expiration"`
	AccessToken   *string `json:"accessToken"`
	Message       string  `json:"message"`
}

// handleLogin issues a token of a family. Choice: refused credentials are 401 with authenticated false and the
// other members null; a missing or overlong member is 400 in the error shape.
func (s *Service) handleLogin(f family) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		var c credentials
		if !readJSON(rw, r, &c) {
			return
		}
		var p problems
		p.checkLength("userName", c.UserName, maxUserName)
		p.checkLength("password", c.Password, maxPassword)
		if p.writeIfAny(rw) {
			return
		}
		if !s.auth.checkPassword(c.UserName, c.Password) {
			writeJSON(rw, http.StatusUnauthorized, tokenResult{Message: "Usuário ou senha inválidos."})
			return
		}
		// Choice: only who proves to be a client hears that the address is the trouble.
		if who, ok := s.findCaller(c.UserName); !ok || !anyContains(who.addresses, s.clientAddress(r)) {
			refuseAddress(rw, s.clientAddress(r))
			return
		}
		token, created, expires := s.auth.issueToken(f, c.UserName)
		writeJSON(rw, http.StatusOK, tokenResult{
			Authenticated: true, Created: formatInstant(created), Expiration: formatInstant(expires), AccessToken: &token, Message: "OK",
		})
	}
}

// checkLength demands a member of 1 to limit characters.
func (p *problems) checkLength(name, value string, limit int) {
	switch n := utf8.RuneCountInString(value); {
	case n == 0:
		p.add(name, "Campo "+name+" é obrigatório")
	case n > limit:
		p.add(name, "Campo "+name+" excede o tamanho máximo")
	}
}

// formatInstant is ISO 8601 in UTC with milliseconds, as the documented sample.
func formatInstant(t time.Time) *string {
	s := t.UTC().Format("2006-01-02T15:04:05.000Z")
	return &s
}
