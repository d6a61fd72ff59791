package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/config"
)

func TestWebhookProblems(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		because, text string
		vars          []string
		want          []string
	}{
		{
			"a port is a number, an address is of the web, proxies are addresses",
			`{listen: ":https", public_url: "https://u:hunter2@h/x", trusted_proxies: [10.0.0.0/8, proxy.example]}`, nil,
			[]string{
				` line 5 webhook.listen: ":https": a host and a port, such as :8443 or 127.0.0.1:8443`,
				` line 5 webhook.public_url: an address such as https://host/prefix, without user, query or fragment (it has a user in it, so it is not shown)`,
				` line 5 webhook.trusted_proxies[1]: "proxy.example": an address or a network, such as 10.0.0.7 or 10.0.0.0/8`,
			},
		},
		{
			"a certificate needs its key", `{cert_file: cert.pem}`, nil,
			[]string{` line 5 webhook.key_file: missing: cert_file needs its key`},
		},
		{
			"and the key its certificate", `{key_file: key.pem}`, nil,
			[]string{` line 5 webhook.cert_file: missing: key_file needs its certificate`},
		},
		{
			"secrets stand elsewhere", `{access_key: hunter2, basic_user: u, basic_password: hunter2}`,
			[]string{"CONCILIA_WEBHOOK_BASIC_PASSWORD", "p"},
			[]string{
				` line 5 webhook.access_key: never in this file: name a file with it in access_key_file, or set CONCILIA_WEBHOOK_ACCESS_KEY`,
				` line 5 webhook.basic_password: never in this file: name a file with it in basic_password_file, or set CONCILIA_WEBHOOK_BASIC_PASSWORD`,
			},
		},
		{
			"a user needs its password", `{basic_user: hooks}`, nil,
			[]string{` line 5 webhook.basic_password_file: missing: basic_user needs its password: a file with it, or CONCILIA_WEBHOOK_BASIC_PASSWORD`},
		},
		{
			"and a password its user", `{}`,
			[]string{"CONCILIA_WEBHOOK_BASIC_PASSWORD", "p"},
			[]string{` line 5 webhook.basic_user: missing: the Basic password needs its user`},
		},
		{
			"a colon would end the name of a Basic pair", `{basic_user: "a:b"}`,
			[]string{"CONCILIA_WEBHOOK_BASIC_PASSWORD", "p"},
			[]string{` line 5 webhook.basic_user: "a:b": a name without a colon and control characters`},
		},
		{
			"what cannot travel in a header is not shown either", `{basic_user: u}`,
			[]string{"CONCILIA_WEBHOOK_ACCESS_KEY", "hunter2 ", "CONCILIA_WEBHOOK_BASIC_PASSWORD", "hunter2\n2", "CONCILIA_WEBHOOK_LISTEN", "8443"},
			[]string{
				`environment CONCILIA_WEBHOOK_LISTEN: "8443": a host and a port, such as :8443 or 127.0.0.1:8443`,
				`environment CONCILIA_WEBHOOK_ACCESS_KEY: the Access-Key alone, as one line of plain signs without blanks around it`,
				`environment CONCILIA_WEBHOOK_BASIC_PASSWORD: a password on one line, without control characters`,
			},
		},
		{
			"files of secrets are there", `{access_key_file: /nowhere/k}`, nil,
			[]string{` line 5 webhook.access_key_file: "/nowhere/k": a file with the Access-Key that can be read: no such file or directory`},
		},
	} {
		path := write(t, good+"webhook: "+row.text+"\n")
		_, err := config.Load(path, vars(append([]string{"CONCILIA_SERVICE_PASSWORD", "p"}, row.vars...)...))
		if err == nil {
			t.Errorf("%s: accepted", row.because)
			continue
		}
		if diff := cmp.Diff(strings.Join(row.want, "\n"), strings.ReplaceAll(err.Error(), path, "")); diff != "" {
			t.Errorf("%s:\n%s", row.because, diff)
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: a secret is shown", row.because)
		}
	}
}

func TestWebhookSecretsAndAddress(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("callback-id-123\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := good + "webhook: {public_url: \"http://10.0.0.9/hooks/\", basic_user: hooks}\n"
	with := func(password string) *config.Config {
		return loadConfig(t, text, "CONCILIA_WEBHOOK_ACCESS_KEY_FILE", key, "CONCILIA_WEBHOOK_BASIC_PASSWORD", password)
	}
	c := with("geheim")
	if c.Webhook.AccessKey.Reveal() != "callback-id-123" || c.Webhook.BasicPassword.Reveal() != "geheim" || c.Webhook.Listen != ":8443" {
		t.Errorf("got %+v", c.Webhook)
	}
	if got := c.Webhook.AccountURL(1001); got != "http://10.0.0.9/hooks/notifications/1001" {
		t.Errorf("the address of account 1001 is %s", got)
	}
	if got := loadConfig(t, good).Webhook.AccountURL(1001); got != "" {
		t.Errorf("without public_url an account has the address %s", got)
	}
	want := []string{
		"webhook.public_url: http sends the Access-Key readable to 10.0.0.9: use https",
		"webhook.listen: :8443 is open to other machines without TLS: set cert_file and key_file, or trusted_proxies for the proxy in front",
		"webhook.access_key_file: so short an Access-Key can be found by trying: ask the operator for one of 16 characters or more",
	}
	if diff := cmp.Diff(want, textsOf(c.Warnings())); diff != "" {
		t.Error(diff)
	}
	if all := string(c.Text()); strings.Contains(all, "callback") || strings.Contains(all, "geheim") {
		t.Errorf("a secret is shown:\n%s", all)
	}
	if c.Hash() != with("another").Hash() {
		t.Error("the hash depends on a secret")
	}
}
