package config

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"concilia/export/words"
)

// shortestKey is the length below which an Access-Key can be found by trying.
const shortestKey = 16

// warnOfExposure warns of what is valid and may show data or secrets to others.
func warnOfExposure(v *validator, c *Config) {
	warnOfDSN(v, c.Ledger.DSN)
	if u, err := url.Parse(c.Reports.S3.Endpoint); err == nil && u.Scheme == "http" && !isLoopback(u.Hostname()) {
		v.addWarning(words.NewMessage("warning.s3_in_clear", "host", u.Host))
	}
	if w := &c.Webhook; w.hasCredentials() {
		if reachesOthers(w.Listen) && w.CertFile == "" && len(w.TrustedProxies) == 0 {
			v.addWarning(words.NewMessage("warning.webhook_open", "listen", w.Listen))
		}
		if key := w.AccessKey.Reveal(); key != "" && len(key) < shortestKey {
			v.addWarning(words.NewMessage("warning.short_key"))
		}
	}
	if reachesOthers(c.Metrics.Listen) {
		v.addWarning(words.NewMessage("warning.metrics_open", "listen", c.Metrics.Listen))
	}
}

// hasCredentials says whether a sender of notifications is asked for a key or a Basic pair: without one none is accepted.
func (w *Webhook) hasCredentials() bool {
	return !w.AccessKey.Empty() || w.AccessKeyFile != "" || w.BasicUser != ""
}

// reachesOthers says whether a server that listens there can be asked by other machines.
func reachesOthers(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err == nil && !isLoopback(host)
}

// warnOfDSN warns of a PostgreSQL server that is spoken to in plain text, and of a password in the file.
func warnOfDSN(v *validator, dsn DSN) {
	u, err := url.Parse(dsn.Reveal())
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return
	}
	q := u.Query()
	host := u.Hostname()
	if h := q.Get("host"); h != "" {
		host = h
	}
	plain := []string{"", "disable", "allow", "prefer"}
	if !isLoopback(host) && !strings.HasPrefix(host, "/") && slices.Contains(plain, q.Get("sslmode")) {
		v.addWarning(words.NewMessage("warning.ledger_in_clear", "host", host))
	}
	_, inUser := u.User.Password()
	if (inUser || q.Get("password") != "") && v.variables["ledger.dsn"] == "" {
		v.addWarning(words.NewMessage("warning.password_in_file", "variable", variableName("ledger.dsn")))
	}
}

// maskPassword replaces what may be a password in the address of a server, also where the address is mistyped.
func maskPassword(s string) string {
	s = dsnPassword.ReplaceAllString(s, "${1}"+mask)
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return s
	}
	from := 0
	if i := strings.Index(s[:at], "://"); i >= 0 {
		from = i + len("://")
	}
	colon := strings.IndexByte(s[from:at], ':')
	if colon < 0 {
		return s
	}
	return s[:from+colon+1] + mask + s[at:]
}
