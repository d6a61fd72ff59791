package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/config"
)

func TestMailProblems(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		because, text string
		want          []string
	}{
		{"a server needs a sender, and a login its password", `mail: {host: smtp.loja.example, user_name: u}`, []string{
			` line 5 mail.from: missing: the address of the sender`,
			` line 5 mail.password_file: missing: a file with the password of user_name, or the password in CONCILIA_MAIL_PASSWORD`,
		}},
		{"nothing goes readable to another machine", `mail: {host: smtp.loja.example, tls: none, from: a@loja.example}`, []string{
			` line 5 mail.tls: "none": starttls or tls: none sends what the merchant misses, and the password, readable to smtp.loja.example`,
		}},
		{"a host is a name, without port or user", `mail: {host: "u@smtp.loja.example/x", from: a@loja.example}`, []string{
			` line 5 mail.host: "u@smtp.loja.example/x": the name of an SMTP server, such as smtp.loja.example; the port stands in mail.port`,
		}},
		{"words are known, and a port is one", `mail: {host: smtp.loja.example, port: 0, tls: ssl, from: a@loja.example, digest: [{to: [a@loja.example], when: never, language: fr}]}`, []string{
			` line 5 mail.port: "0": a port, 1 to 65535`,
			` line 5 mail.tls: "ssl": one of starttls, tls, none`,
			` line 5 mail.digest[0].language: "fr": one of pt-BR, en`,
			` line 5 mail.digest[0].when: "never": one of always, change, breaks`,
		}},
		{"an address is one address, in one line, and once", `mail: {host: smtp.loja.example, from: nobody, digest: [{to: ["a@loja.example\r\nBcc: b@loja.example", ana@loja.example, ana@loja.example]}, {to: [], accounts: [7]}]}`, []string{
			` line 5 mail.from: "nobody": an address such as ana@loja.example`,
			` line 5 mail.digest[0].to[0]: "a@loja.example\r\nBcc: b@loja.example": an address such as ana@loja.example`,
			` line 5 mail.digest[0].to[2]: "ana@loja.example": named before: keep one`,
			` line 5 mail.digest[1].to: missing: a list of addresses, such as [ana@loja.example]`,
			` line 5 mail.digest[1].accounts[0]: "7": the number of one of accounts`,
		}},
		{"who is to get mail needs a server, and an alert has one place", "mail: {digest: [{to: [a@loja.example]}]}\nalerts: [{on: silence, mail: [a@loja.example], url: \"https://h/\"}]", []string{
			` line 5 mail.host: missing: the SMTP server that delivers alerts[0].mail`,
			` line 6 alerts[0].mail: one of url, command and mail: write an alert for each`,
		}},
	} {
		path := write(t, good+row.text)
		_, err := config.Load(path, vars("CONCILIA_SERVICE_PASSWORD", "p"))
		if err == nil {
			t.Errorf("%s: accepted", row.because)
			continue
		}
		var got []string
		for line := range strings.SplitSeq(err.Error(), "\n") {
			got = append(got, strings.TrimPrefix(line, path))
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s:\n%s", row.because, diff)
		}
	}
}

// The password of the mail server is read only by who sends, is never shown, and does not enter the hash.
func TestMailPassword(t *testing.T) {
	t.Parallel()
	text := good + "mail: {host: smtp.loja.example, user_name: u, password_file: p, from: a@loja.example}\n"
	path := write(t, text)
	if _, err := config.LoadOffline(path, vars()); err != nil {
		t.Errorf("a command that sends nothing wants the password: %v", err)
	}
	if _, err := config.LoadMailing(path, vars()); err == nil {
		t.Error("a file that is not there is no problem")
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "p"), []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.LoadMailing(path, vars())
	if err != nil {
		t.Fatal(err)
	}
	bare, err := config.LoadOffline(path, vars())
	if err != nil {
		t.Fatal(err)
	}
	if c.Mail.Password.Reveal() != "hunter2" || strings.Contains(string(c.Text()), "hunter2") || c.Hash() != bare.Hash() {
		t.Errorf("the password is %v in:\n%s", c.Mail.Password, c.Text())
	}
}
