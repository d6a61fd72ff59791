package config

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// shortestKey is the length below which an Access-Key can be found by trying.
const shortestKey = 16

// warnOfExposure warns of what is valid and may show data or secrets to others.
func warnOfExposure(v *validator, c *Config) {
	warnOfDSN(v, c.Ledger.DSN)
	if u, err := url.Parse(c.Reports.S3.Endpoint); err == nil && u.Scheme == "http" && !isLoopback(u.Hostname()) {
		v.addWarning("reports.s3.endpoint: http shows the reports to everybody on the way to " + u.Host + ": use https")
	}
	if w := &c.Webhook; w.hasCredentials() {
		if reachesOthers(w.Listen) && w.CertFile == "" && len(w.TrustedProxies) == 0 {
			v.addWarning("webhook.listen: " + w.Listen + " is open to other machines without TLS: set cert_file and key_file, or trusted_proxies for the proxy in front")
		}
		if key := w.AccessKey.Reveal(); key != "" && len(key) < shortestKey {
			v.addWarning("webhook.access_key_file: so short an Access-Key can be found by trying: ask the operator for one of 16 characters or more")
		}
	}
	if reachesOthers(c.Metrics.Listen) {
		v.addWarning("metrics.listen: " + c.Metrics.Listen + " shows account numbers and counts to other machines, without a password: 127.0.0.1 is for this one alone")
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
		v.addWarning("ledger.dsn: what goes to " + host + " may go in plain text: add sslmode=verify-full")
	}
	_, inUser := u.User.Password()
	if (inUser || q.Get("password") != "") && v.variables["ledger.dsn"] == "" {
		v.addWarning("ledger.dsn: the password stands in the configuration: put it into a file for ledger.password_file, or the whole into " + variableName("ledger.dsn"))
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
