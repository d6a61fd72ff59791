package service

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strings"
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

// authority knows the users and the tokens in force. Passwords are kept only as salted hashes.
type authority struct {
	lifetime time.Duration
	now      func() time.Time
	salt     []byte
	users    map[string][32]byte

	mu     sync.Mutex
	tokens map[string]grant
}

// grant is what a token allows.
type grant struct {
	family  family
	expires time.Time
}

func newAuthority(o Options) *authority {
	a := &authority{lifetime: o.TokenLifetime, now: o.Now, salt: random(16), users: map[string][32]byte{}, tokens: map[string]grant{}}
	for _, u := range o.Users {
		a.users[u.Name] = a.hash(u.Password)
	}
	return a
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // documented never to fail
	return b
}

func (a *authority) hash(password string) [32]byte {
	return sha256.Sum256(append(append([]byte(nil), a.salt...), password...))
}

// knows tells whether the pair is a user's; an unknown name costs the same comparison.
func (a *authority) knows(name, password string) bool {
	want, ok := a.users[name]
	got := a.hash(password)
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && ok
}

// issue makes a token for a family. Choice: tokens are opaque, and earlier ones stay good until they expire.
func (a *authority) issue(f family) (token string, created, expires time.Time) {
	token = base64.RawURLEncoding.EncodeToString(random(32))
	created = a.now().UTC()
	expires = created.Add(a.lifetime)
	a.mu.Lock()
	defer a.mu.Unlock()
	for t, g := range a.tokens {
		if !created.Before(g.expires) {
			delete(a.tokens, t)
		}
	}
	a.tokens[token] = grant{f, expires}
	return token, created, expires
}

// allows tells whether a token is in force for a family.
func (a *authority) allows(token string, f family) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	g, ok := a.tokens[token]
	return ok && g.family == f && a.now().Before(g.expires)
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

// login issues a token of a family. Choice: refused credentials are 401 with authenticated false and the
// other members null; a missing or overlong member is 400 in the error shape.
func (s *Service) login(f family) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		var c credentials
		if !readJSON(rw, r, &c) {
			return
		}
		var p problems
		p.bound("userName", c.UserName, maxUserName)
		p.bound("password", c.Password, maxPassword)
		if p.answer(rw) {
			return
		}
		if !s.auth.knows(c.UserName, c.Password) {
			writeJSON(rw, http.StatusUnauthorized, tokenResult{Message: "Usuário ou senha inválidos."})
			return
		}
		token, created, expires := s.auth.issue(f)
		writeJSON(rw, http.StatusOK, tokenResult{
			Authenticated: true, Created: instant(created), Expiration: instant(expires), AccessToken: &token, Message: "OK",
		})
	}
}

// bound demands a member of 1 to limit characters.
func (p *problems) bound(name, value string, limit int) {
	switch n := utf8.RuneCountInString(value); {
	case n == 0:
		p.add(name, "Campo "+name+" é obrigatório")
	case n > limit:
		p.add(name, "Campo "+name+" excede o tamanho máximo")
	}
}

// instant is ISO 8601 in UTC with milliseconds, as the documented sample.
func instant(t time.Time) *string {
	s := t.UTC().Format("2006-01-02T15:04:05.000Z")
	return &s
}

// withToken lets a request through when it carries a token of the family. Choice: a missing, unknown,
// expired or other family's token is 401, all told alike.
func (s *Service) withToken(f family, h http.HandlerFunc) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !s.auth.allows(token, f) {
			rw.Header().Set("WWW-Authenticate", "Bearer")
			fail(rw, http.StatusUnauthorized, "", "Token inválido ou expirado.")
			return
		}
		h(rw, r)
	}
}
