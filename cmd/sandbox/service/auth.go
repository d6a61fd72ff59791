package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
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

// authority checks passwords and holds the valid tokens. It stores no password: of the users of the options
// and of every pair it has verified only a salted hash, of onboarded clients what the state holds.
type authority struct {
	lifetime time.Duration
	now      func() time.Time
	salt     []byte
	users    map[string][32]byte
	state    *State
	decoy    func() string // a hash of a random password, compared with for unknown names

	argonMu  sync.Mutex // one costly hash at a time bounds the memory they take
	mu       sync.Mutex
	verified map[[32]byte]bool
	tokens   map[string]grant
}

// grant is the API family, user and expiry of a token.
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

// saltedHash hashes with a salt drawn at the start of the process; each part is preceded by its length, so that
// ("ab", "c") and ("a", "bc") differ.
func (a *authority) saltedHash(parts ...string) [32]byte {
	b := append([]byte(nil), a.salt...)
	for _, p := range parts {
		b = append(binary.AppendUvarint(b, uint64(len(p))), p...)
	}
	return sha256.Sum256(b)
}

// checkPassword reports whether the pair is a user's or an onboarded client's. A user of the options hides a client
// of the same name. For clients, an unknown name takes as long as a known one, so that names can't be guessed.
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

// verifyClient checks a client's password. A verified pair of password and stored hash is cached, so that only the
// first login is slow.
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

// tokenUser returns the user of a token; ok is false unless it is valid for the family.
func (a *authority) tokenUser(token string, f family) (user string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g, ok := a.tokens[token]
	return g.user, ok && g.family == f && a.now().Before(g.expires)
}

// gate lets requests through by their token and address.
type gate struct {
	auth    *authority
	users   []User
	state   *State
	proxies []netip.Prefix
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
func (g *gate) handleLogin(f family) http.HandlerFunc {
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
		if !g.auth.checkPassword(c.UserName, c.Password) {
			writeJSON(rw, http.StatusUnauthorized, tokenResult{Message: "Usuário ou senha inválidos."})
			return
		}
		// Choice: the address is checked after the password, so that only clients learn that it is the problem.
		if who, ok := g.findCaller(c.UserName); !ok || !anyContains(who.addresses, g.clientAddress(r)) {
			refuseAddress(rw, g.clientAddress(r))
			return
		}
		token, created, expires := g.auth.issueToken(f, c.UserName)
		writeJSON(rw, http.StatusOK, tokenResult{
			Authenticated: true, Created: formatInstant(created), Expiration: formatInstant(expires), AccessToken: &token, Message: "OK",
		})
	}
}

// checkLength adds a problem unless the member has 1 to limit characters.
func (p *problems) checkLength(name, value string, limit int) {
	switch n := utf8.RuneCountInString(value); {
	case n == 0:
		p.add(name, "Campo "+name+" é obrigatório")
	case n > limit:
		p.add(name, "Campo "+name+" excede o tamanho máximo")
	}
}

// formatInstant formats an instant as ISO 8601 in UTC with milliseconds, like the documented sample.
func formatInstant(t time.Time) *string {
	s := t.UTC().Format("2006-01-02T15:04:05.000Z")
	return &s
}

// Cost of a password hash: 19 MiB in two passes, some tens of milliseconds. It is paid once per client and
// process, since the authority remembers what it has verified.
const (
	argonMemory = 19 << 10 // KiB
	argonTime   = 2
	argonLanes  = 1
	argonSalt   = 16
	argonKey    = 32
)

// Limits on the parameters in a state file, so that a corrupt one can't exhaust the machine.
const (
	maxArgonMemory = 64 << 10 // KiB
	maxArgonTime   = 8
)

// hashPassword hashes under a fresh salt, in the usual text form of Argon2id.
func hashPassword(password string) string {
	salt := randomBytes(argonSalt)
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, argonKey)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, argonMemory, argonTime, argonLanes, b64.EncodeToString(salt), b64.EncodeToString(key))
}

// matchesPassword reports whether a hash of hashPassword's form is that of the password; false for a hash that can't be
// parsed.
func matchesPassword(hash, password string) bool {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return false
	}
	var memory, passes uint32
	var lanes uint8
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes); err != nil {
		return false
	}
	if memory > maxArgonMemory || passes < 1 || passes > maxArgonTime || lanes < 1 {
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) < 16 || len(want) > 64 {
		return false
	}
	got := argon2.IDKey([]byte(password), salt, passes, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1
}

// caller is the user or client of a request.
type caller struct {
	name      string
	addresses []netip.Prefix
	accounts  []int64 // none: every account
}

// callerKey is where withToken leaves the caller in the request's context.
type callerKey struct{}

// callerOf is the caller of a request that passed withToken.
func callerOf(r *http.Request) caller {
	c, _ := r.Context().Value(callerKey{}).(caller)
	return c
}

// findCaller finds a user of the options or an onboarded client by name.
func (g *gate) findCaller(name string) (caller, bool) {
	for _, u := range g.users {
		if u.Name == name {
			return caller{u.Name, u.Addresses, u.Accounts}, true
		}
	}
	for _, c := range g.state.view().Clients {
		if c.UserName == name {
			return caller{c.UserName, c.Addresses, c.Accounts}, true
		}
	}
	return caller{}, false
}

// mayUse reports whether an account is among those listed; an empty list means every account.
func mayUse(accounts []int64, account int64) bool {
	return len(accounts) == 0 || slices.Contains(accounts, account)
}

// withToken lets a request through when it carries a token of the family and comes from an address of the
// client. Choice: a missing, unknown, expired or other family's token is the same 401.
func (g *gate) withToken(f family, h http.HandlerFunc) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		var who caller
		if ok {
			var name string
			if name, ok = g.auth.tokenUser(token, f); ok {
				who, ok = g.findCaller(name)
			}
		}
		switch {
		case !ok:
			rw.Header().Set("WWW-Authenticate", "Bearer")
			writeError(rw, http.StatusUnauthorized, "", "Token inválido ou expirado.")
		case !anyContains(who.addresses, g.clientAddress(r)):
			refuseAddress(rw, g.clientAddress(r))
		default:
			h(rw, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
		}
	}
}

// refuseAddress answers 403 with the address in the text, since behind a proxy or in a container it is not obvious.
// Choice: 403, in the shape of every other error.
func refuseAddress(rw http.ResponseWriter, from netip.Addr) {
	text := "Endereço de origem não autorizado."
	if from.IsValid() {
		text = "Endereço de origem não autorizado: " + from.String()
	}
	writeError(rw, http.StatusForbidden, "", text)
}

// loopbackPrefixes are the addresses allowed for a user without registered ones.
func loopbackPrefixes() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

func anyContains(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// clientAddress returns the address a request comes from; an invalid one, which no list contains, when it is unknown.
//
// Choice: X-Forwarded-For counts only when the connection itself comes from a trusted proxy, and then the
// last address in it that is no trusted proxy: the client itself may have written the ones before.
func (g *gate) clientAddress(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	at := peer.Addr().Unmap().WithZone("")
	if !anyContains(g.proxies, at) {
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
		if at = a.Unmap().WithZone(""); !anyContains(g.proxies, at) {
			break
		}
	}
	return at
}
