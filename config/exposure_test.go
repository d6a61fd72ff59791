package config_test

import (
	"slices"
	"strings"
	"testing"

	"concilia/config"
)

// TestExposureIsWarnedOf: what others could read or guess is warned of, by the key that mends it; what is not open is not.
func TestExposureIsWarnedOf(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		says, more string // more is appended to a good configuration
		vars       []string
		want       string // begins a warning; empty: there is none
	}{
		{"a server without TLS", "ledger: {dsn: postgres://u@db.example/l}", nil, "ledger.dsn: what goes to db.example may go in plain text"},
		{"a server that TLS may be refused by", "ledger: {dsn: 'postgres://u@db.example/l?sslmode=prefer'}", nil, "ledger.dsn: what goes to db.example"},
		{"a server whose certificate is checked", "ledger: {dsn: 'postgres://u@db.example/l?sslmode=verify-full'}", nil, ""},
		{"a server on this machine", "ledger: {dsn: postgres://u@127.0.0.1/l}", nil, ""},
		{"a server behind a socket", "ledger: {dsn: 'postgres:///l?host=/run/postgresql'}", nil, ""},
		{"a password in the file", "ledger: {dsn: 'postgres://u:hunter2@127.0.0.1/l'}", nil, "ledger.dsn: the password stands in the configuration"},
		{"a password in the environment", "", []string{"CONCILIA_LEDGER_DSN", "postgres://u:hunter2@127.0.0.1/l"}, ""},
		{"S3 over http", "reports: {formats: [csv], out: s3://b/p, s3: {endpoint: http://s3.example}}", nil, "reports.s3.endpoint: http shows the reports"},
		{"S3 over https", "reports: {formats: [csv], out: s3://b/p, s3: {endpoint: https://s3.example}}", nil, ""},
		{
			"an open receiver without TLS", "webhook: {listen: ':8443'}",
			[]string{"CONCILIA_WEBHOOK_ACCESS_KEY", "0123456789abcdef"},
			"webhook.listen: :8443 is open to other machines without TLS",
		},
		{
			"a receiver behind a proxy", "webhook: {listen: ':8443', trusted_proxies: [10.0.0.1]}",
			[]string{"CONCILIA_WEBHOOK_ACCESS_KEY", "0123456789abcdef"},
			"",
		},
		{
			"a short key", "webhook: {listen: '127.0.0.1:8443'}",
			[]string{"CONCILIA_WEBHOOK_ACCESS_KEY", "x"},
			"webhook.access_key_file: so short an Access-Key",
		},
		{"metrics for everybody", "metrics: {listen: ':9464'}", nil, "metrics.listen: :9464 shows account numbers"},
		{"no metrics", "metrics: {listen: ''}", nil, ""},
	} {
		text := good
		if strings.HasPrefix(row.more, "reports:") {
			text = strings.Replace(good, "reports: {formats: [csv]}\n", "", 1)
		}
		c, err := config.Load(write(t, text+row.more+"\n"), vars(append(row.vars, "CONCILIA_SERVICE_PASSWORD", "secret")...))
		if err != nil {
			t.Errorf("%s: %v", row.says, err)
			continue
		}
		got := strings.Join(textsOf(c.Warnings()), "\n")
		if row.want == "" && got != "" || !strings.HasPrefix(got, row.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q", row.says, got)
		}
		if strings.Contains(got, "hunter2") {
			t.Errorf("%s: the password is printed", row.says)
		}
	}
}

// TestMistypedDSNHidesItsPassword spells an address in ways that people mistype: it is refused, and the password is not shown.
func TestMistypedDSNHidesItsPassword(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"postgres//user:hunter2@h/db", "user:hunter2@h/db", "postgres:/user:hunter2@h/db", "postgres:user:hunter2@h/db", "postgre://user:hunter2@h/db",
		"host=h password=hunter2 user=u", "host=h password = 'hunter2 x' user=u", "mysql://user:a@hunter2@h/db", "://user:hunter2@h", "postgres://?password=hunter2",
	} {
		_, err := config.Load(write(t, good), vars("CONCILIA_LEDGER_DSN", dsn))
		if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "CONCILIA_LEDGER_DSN") {
			t.Errorf("%s: %v", dsn, err)
		}
		if text := config.DSN(dsn).String(); strings.Contains(text, "hunter2") {
			t.Errorf("%s prints as %s", dsn, text)
		}
	}
	kept := []string{"sqlite:/var/lib/a.db", "postgres://user@h/db?sslmode=require"}
	if i := slices.IndexFunc(kept, func(s string) bool { return config.DSN(s).String() != s }); i >= 0 {
		t.Errorf("%s is not shown as it is", kept[i])
	}
}
