package console

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"concilia/cmd/concilia/console/people"
	"concilia/store/ledger"
)

func signInRoutes() []route {
	return []route{
		{pattern: "GET /login", page: "login", do: showLogin, open: true},
		{pattern: "POST /login", page: "login", do: signIn, open: true},
		{pattern: "POST /logout", page: "logout", do: signOut},
	}
}

// The errors of who may not come in.
var (
	errSignIn    = errors.New("nobody is signed in")
	errForbidden = errors.New("not for this person")
	errHeader    = errors.New("an identity from a stranger")
)

// identifyRequest finds out who asks: by the header of a trusted proxy, or by a session. Without people everybody here is a reader.
func (c *Console) identifyRequest(r *http.Request) (people.Person, error) {
	if c.People == nil && c.IdentityHeader == "" {
		return people.Person{Role: people.Reader}, nil
	}
	if c.IdentityHeader != "" {
		values := r.Header.Values(c.IdentityHeader)
		trusted := c.isTrusted(r.RemoteAddr)
		switch {
		case len(values) > 0 && !trusted, len(values) > 1:
			c.Log.Warn().Str("address", r.RemoteAddr).Int("times", len(values)).Msg("an identity header that does not count was refused")
			return people.Person{}, errHeader
		case len(values) == 1 && values[0] != "":
			return c.findNamedPerson(values[0])
		case c.People == nil:
			return people.Person{}, errForbidden
		}
	}
	if cookie, err := r.Cookie(c.cookieName()); err == nil {
		if person, ok := c.sessions.Find(cookie.Value, c.People); ok {
			return person, nil
		}
	}
	return people.Person{}, errSignIn
}

// findNamedPerson returns the person that a trusted proxy names.
func (c *Console) findNamedPerson(name string) (people.Person, error) {
	if c.People != nil {
		if person, ok := c.People.Find(name); ok {
			return person, nil
		}
	}
	if c.IdentityRole == "" || ledger.CheckPlainText(name, ledger.MaxActor) != nil {
		return people.Person{}, errForbidden
	}
	return people.Person{Name: name, Role: c.IdentityRole}, nil
}

// isTrusted says whether a peer of a connection is a trusted proxy.
func (c *Console) isTrusted(peer string) bool {
	address, err := netip.ParseAddrPort(peer)
	return err == nil && c.isProxy(address.Addr().Unmap())
}

// isProxy says whether an address is that of a trusted proxy.
func (c *Console) isProxy(address netip.Addr) bool {
	return slices.ContainsFunc(c.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(address) })
}

// mayConnect says whether a peer is answered: without TLS only this machine and the trusted proxies are.
func (c *Console) mayConnect(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	address, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && (address.Addr().Unmap().IsLoopback() || c.isTrusted(r.RemoteAddr))
}

// cookieName binds the cookie to this host wherever the connection is encrypted.
func (c *Console) cookieName() string {
	if c.Secure {
		return "__Host-concilia"
	}
	return "concilia"
}

func (c *Console) setSession(w http.ResponseWriter, secret string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: c.cookieName(), Value: secret, Path: "/", MaxAge: age, HttpOnly: true, Secure: c.Secure, SameSite: http.SameSiteLaxMode,
	})
}

// loginPage is the form to sign in.
type loginPage struct {
	Name  string
	Next  string
	Kept  string // form that came without a session, to be shown again afterwards
	Wrong string
}

func showLogin(v *visit) error {
	if v.c.People == nil {
		return ErrNotFound
	}
	return v.render("login", v.text("desk.login"), &loginPage{Next: localPath(v.r.URL.Query().Get("next"))})
}

// localPath is a path of ours; anything else is the first page.
func localPath(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.Contains(text, `\`) {
		return "/"
	}
	return text
}

// signIn checks name and password. Unknown names and wrong passwords look the same and take as long.
func signIn(v *visit) error {
	if v.c.People == nil {
		return ErrNotFound
	}
	if err := v.r.ParseForm(); err != nil {
		return &badRequest{map[string]string{"form": err.Error()}}
	}
	// No name is longer: what is remembered and logged of a stranger is bounded.
	name := fmt.Sprintf("%.60s", strings.ToLower(strings.TrimSpace(v.r.PostForm.Get("name"))))
	page := &loginPage{Name: name, Next: localPath(v.r.PostForm.Get("next")), Kept: v.r.PostForm.Get("kept")}
	address, own := v.c.clientAddress(v.r)
	keys := []string{"name " + page.Name}
	if own {
		keys = append(keys, "address "+networkOf(address))
	}
	log := v.c.Log.Info().Str("person", page.Name).Str("address", address)
	if wait := v.c.throttle.NoteTry(keys...); wait > 0 {
		seconds := int(math.Ceil(wait.Seconds()))
		v.w.Header().Set("Retry-After", strconv.Itoa(seconds))
		page.Wrong = v.text("desk.too_many_tries", "n", seconds)
		v.c.noteSignIn("throttled")
		log.Msg("a sign-in was made to wait")
		return v.renderAs(http.StatusTooManyRequests, "login", v.text("desk.login"), page)
	}
	person, ok := v.c.People.SignIn(page.Name, v.r.PostForm.Get("password"))
	if !ok {
		page.Wrong = v.text("desk.wrong_password")
		v.c.noteSignIn("refused")
		log.Msg("a sign-in was refused")
		return v.renderAs(http.StatusUnauthorized, "login", v.text("desk.login"), page)
	}
	v.c.throttle.Forget(keys[0])
	for _, key := range keys[1:] {
		v.c.throttle.TakeTryBack(key)
	}
	if old, err := v.r.Cookie(v.c.cookieName()); err == nil {
		v.c.sessions.End(old.Value)
	}
	v.c.setSession(v.w, v.c.sessions.Begin(&person), 0)
	v.c.noteSignIn("ok")
	log.Msg("signed in")
	if page.Kept != "" {
		return v.showKept(person, page.Kept)
	}
	return v.redirect(page.Next)
}

// clientAddress is where a request comes from, and whether that is the address of one client. A trusted proxy speaks for many: then it is
// the last address of X-Forwarded-For that is none of our proxies, which the proxy itself has added. Where it names none, all that is
// known is the proxy's own address, and tries to sign in count for their name alone: everybody behind it would wait for each other. The
// addresses serve to slow down guesses and are logged; no request is let in by its address.
func (c *Console) clientAddress(r *http.Request) (address string, own bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr, true
	}
	address = peer.Addr().Unmap().String()
	if !c.isTrusted(r.RemoteAddr) {
		return address, true
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		ip, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break // no address before this one can be relied on
		}
		if ip = ip.Unmap().WithZone(""); !c.isProxy(ip) {
			return ip.String(), true
		}
	}
	return address, false
}

// networkOf is what tries of an address count for: itself, and of IPv6 its network of 64 bits, within which a host may take any
// address it likes.
func networkOf(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Unmap().Is4() {
		return address
	}
	network, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return address
	}
	return network.String()
}

// keepThroughLogin asks who sent a form too late to sign in. The form travels in the page: nothing is kept here for a stranger.
func (v *visit) keepThroughLogin() error {
	if v.c.People == nil {
		return v.leadToLogin()
	}
	if err := v.r.ParseForm(); err != nil {
		return &badRequest{map[string]string{"form": err.Error()}}
	}
	kept := url.Values{}
	for name, values := range v.r.PostForm {
		// The cases are looked at anew: what they were like is not kept, nor that it was confirmed.
		if name != "confirm" && !strings.HasPrefix(name, "version-") {
			kept[name] = values
		}
	}
	return v.renderAs(http.StatusUnauthorized, "login", v.text("desk.login"), &loginPage{Next: "/cases", Kept: kept.Encode()})
}

// showKept shows the form of an act again as it was filled. Nothing is done until the person confirms it.
func (v *visit) showKept(person people.Person, kept string) error {
	form, err := url.ParseQuery(kept)
	if err != nil {
		return v.redirect("/cases")
	}
	form.Del("confirm")
	v.person, v.known, v.page, v.r.PostForm = person, true, "act", form
	if err := v.requireRole(people.Actor); err != nil {
		return err
	}
	return actOnCases(v)
}

func signOut(v *visit) error {
	if cookie, err := v.r.Cookie(v.c.cookieName()); err == nil {
		v.c.sessions.End(cookie.Value)
	}
	v.c.setSession(v.w, "", -1)
	v.c.Log.Info().Str("person", v.person.Name).Msg("signed out")
	if v.c.People == nil {
		return v.redirect("/")
	}
	return v.redirect("/login")
}

func (c *Console) noteSignIn(result string) {
	if c.OnSignIn != nil {
		c.OnSignIn(result)
	}
}

// leadToLogin asks who does not have a session to sign in, and leads back afterwards.
func (v *visit) leadToLogin() error {
	next := strings.TrimPrefix(v.r.URL.RequestURI(), v.c.Prefix)
	if v.r.Method != http.MethodGet && v.r.Method != http.MethodHead {
		next = "/"
		if from, err := url.Parse(v.r.Referer()); err == nil && from.Path != "" {
			next = strings.TrimPrefix(from.RequestURI(), v.c.Prefix)
		}
	}
	if next = localPath(next); next == "/" {
		return v.redirect("/login")
	}
	return v.redirect("/login?next=" + url.QueryEscape(next))
}

// requireRole refuses who has too low a role for a route.
func (v *visit) requireRole(role people.Role) error {
	if v.person.Role.Includes(role) {
		return nil
	}
	return v.refuseAct("desk.forbidden_text")
}
