package config

import (
	"net"
	"time"

	"concilia/export/words"
)

// Console is the desk in the browser.
type Console struct {
	// Listen is host:port; empty: serve has no console. Defaults to empty. Beyond this machine it needs people and an encrypted way.
	Listen string `yaml:"listen" env:"LISTEN"`
	// PublicURL is the address by which people reach it; its path goes before every address. Defaults to empty.
	PublicURL string `yaml:"public_url" env:"PUBLIC_URL"`
	// CertFile and KeyFile are the certificate and key of TLS, PEM, read again when they change. Default to none.
	CertFile string `yaml:"cert_file" env:"CERT_FILE" path:"input"`
	KeyFile  string `yaml:"key_file" env:"KEY_FILE" path:"input"`
	// UsersFile has the people, as concilia console user writes it. Defaults to none.
	UsersFile string `yaml:"users_file" env:"USERS_FILE" path:"input"`
	// IdentityHeader is a header, such as Remote-User, by which a proxy of TrustedProxies names the person. Defaults to none.
	IdentityHeader string `yaml:"identity_header" env:"IDENTITY_HEADER"`
	// IdentityRole, reader, actor or manager, is of people whom the header names and UsersFile has not. Defaults to empty: they are
	// refused.
	IdentityRole string `yaml:"identity_role" env:"IDENTITY_ROLE"`
	// TrustedProxies are addresses or networks (10.0.0.0/8) of proxies in front. Defaults to none.
	TrustedProxies []string `yaml:"trusted_proxies" env:"TRUSTED_PROXIES"`
	// Idle, 5m to 8h, and Absolute, 1h to 24h, are after how long without a request, and at all, a person has to sign in again.
	// Default to 30m and 12h.
	Idle     time.Duration `yaml:"idle" env:"IDLE"`
	Absolute time.Duration `yaml:"absolute" env:"ABSOLUTE"`
	// ReadOnly forbids every act, whatever the role. Defaults to false.
	ReadOnly bool `yaml:"read_only" env:"READ_ONLY"`
	// PageRows is how many cases a page has, 10 to 500. Defaults to 100.
	PageRows int `yaml:"page_rows" env:"PAGE_ROWS"`
	// QueryTime is the time for all that a page asks, 1s to 1m. Defaults to 5s.
	QueryTime time.Duration `yaml:"query_time" env:"QUERY_TIME"`
}

// HasPeople says whether anybody is asked who they are.
func (c *Console) HasPeople() bool { return c.UsersFile != "" || c.IdentityHeader != "" }

// CheckListen says why the console cannot listen at an address, or nothing.
func (c *Console) CheckListen(listen string) error {
	host, port, err := net.SplitHostPort(listen)
	switch {
	case err != nil || !portNumber(port):
		return words.NewFault("want.host_port", "")
	case isLoopback(host):
		return nil
	case !c.HasPeople():
		return words.NewFault("want.people", "")
	case c.CertFile == "" && len(c.TrustedProxies) == 0:
		return words.NewFault("want.tls", "")
	}
	return nil
}

func checkConsole(v *validator, c *Console) {
	if c.Listen != "" {
		if err := c.CheckListen(c.Listen); err != nil {
			v.addProblem("console.listen", c.Listen, words.NewMessage("problem.text", "cause", err))
		}
	}
	v.checkAddress("console.public_url", c.PublicURL, words.NewMessage("want.pages"), false)
	switch {
	case c.CertFile != "" && c.KeyFile == "":
		v.addMissing("console.key_file", words.NewMessage("want.key_of_cert"))
	case c.CertFile == "" && c.KeyFile != "":
		v.addMissing("console.cert_file", words.NewMessage("want.cert_of_key"))
	}
	if c.IdentityHeader != "" {
		if !headerName(c.IdentityHeader) {
			v.addProblem("console.identity_header", c.IdentityHeader, words.NewMessage("want.header"))
		}
		if len(c.TrustedProxies) == 0 {
			v.addMissing("console.trusted_proxies", words.NewMessage("want.proxies"))
		}
	}
	if c.IdentityRole != "" {
		v.checkOneOf("console.identity_role", c.IdentityRole, "reader", "actor", "manager")
		if c.IdentityHeader == "" {
			v.addMissing("console.identity_header", words.NewMessage("want.identity_header"))
		}
	}
	v.checkNetworks("console.trusted_proxies", c.TrustedProxies)
	v.checkSpan("console.idle", c.Idle, 5*time.Minute, 8*time.Hour, words.NewMessage("want.between", "least", "5m", "most", "8h"))
	v.checkSpan("console.absolute", c.Absolute, time.Hour, 24*time.Hour, words.NewMessage("want.between", "least", "1h", "most", "24h"))
	v.checkRange("console.page_rows", c.PageRows, 10, 500, words.NewMessage("want.cases"))
	v.checkSpan("console.query_time", c.QueryTime, time.Second, time.Minute, words.NewMessage("want.between", "least", "1s", "most", "1m"))
}

// headerName reports whether text can be the name of a header.
func headerName(text string) bool {
	for _, r := range text {
		if r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return text != ""
}
