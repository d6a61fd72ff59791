package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/mailtest"
)

// mailConfig adds mail to the configuration of a demo.
func mailConfig(t *testing.T, dir string, port int, more string) {
	t.Helper()
	path := filepath.Join(dir, "concilia.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, fmt.Sprintf("\nmail: {host: 127.0.0.1, port: %d, tls: none, from: concilia@loja.example, %s}\n", port, more)...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// runMailCommand runs a command in this process.
func runMailCommand(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	code = run(t.Context(), environment{
		args: args, stdout: &out, stderr: &said, wall: time.Now, lookup: func(string) (string, bool) { return "", false },
	})
	return code, out.String(), said.String()
}

// TestMorningByMail: the process that ends a run sends the mail about the last night, to each person once, with the figures of status; no amount
// is in a subject, and no payer anywhere.
func TestMorningByMail(t *testing.T) {
	t.Parallel()
	there := mailtest.NewServer(t, mailtest.Plain)
	dir := copyDemo(t, 5)
	mailConfig(t, dir, there.Port, `digest: [{to: [ana@loja.example, bia@loja.example]}, {to: [ti@loja.example], language: en, accounts: [1001], when: breaks}]`)
	config := "--config=" + filepath.Join(dir, "concilia.yaml")
	for range 2 { // the second time it is done already
		if code, _, said := runMailCommand(t, config, "--quiet", "reconcile", "--as-of", "2026-11-18"); code != exit.Breaks {
			t.Fatalf("exit %d: %s", code, said)
		}
	}
	taken := there.Take()
	if len(taken) != 3 {
		t.Fatalf("%d messages to three people", len(taken))
	}
	code, text, said := runMailCommand(t, config, "--json", "status")
	if code != exit.OK {
		t.Fatalf("status: %d: %s", code, said)
	}
	var status struct {
		Figures map[string]string `json:"figures"`
	}
	if err := json.Unmarshal([]byte(text), &status); err != nil {
		t.Fatal(err)
	}
	code, shown, said := runMailCommand(t, config, "--json", "--lang", "pt-BR", "mail", "show", "--html", filepath.Join(dir, "m.html"))
	if code != exit.OK {
		t.Fatalf("mail show: %d: %s", code, said)
	}
	var message struct{ Subject, Text, HTML string }
	if err := json.Unmarshal([]byte(shown), &message); err != nil {
		t.Fatal(err)
	}
	missing := strings.NewReplacer(".", ",").Replace(status.Figures["missing"])
	if plain := strings.NewReplacer(".", "", "\u00a0", " ").Replace(message.Text); !strings.Contains(plain, "Falta: R$ "+missing) {
		t.Errorf("status has %q missing, the mail says:\n%s", status.Figures["missing"], message.Text)
	}
	html, err := os.ReadFile(filepath.Join(dir, "m.html"))
	if err != nil || string(html) != message.HTML || len(html) > 60_000 {
		t.Errorf("the file differs: %d bytes, %v", len(html), err)
	}
	for _, m := range taken {
		subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		if err != nil || strings.Contains(subject, "R$") || !regexp.MustCompile(`^concilia (18/11: divergências|11-18: breaks)`).MatchString(subject) {
			t.Errorf("the subject is %q, %v", subject, err)
		}
		// Its id and those of runs are of any digits.
		id, _, _ := strings.Cut(strings.Trim(m.Header.Get("Message-Id"), "<>"), "@")
		said := strings.NewReplacer("=\r\n", "", "=\n", "", id, "an id").Replace(m.Raw)
		if strings.Contains(m.To, "ti@") && (id == "" || strings.Contains(runIDPattern.ReplaceAllString(said, "a run"), "1002")) {
			t.Errorf("the mail about account 1001 names another:\n%s", m.Raw)
		}
	}
	if found := regexp.MustCompile(`\d{3}\.\d{3}\.\d{3}-\d{2}`).FindString(message.Text + message.HTML); found != "" {
		t.Errorf("a payer's document is in the mail: %s", found)
	}
}

// TestMailNeverChangesARun: a mail server that is away changes neither the output nor the exit code of a run, which says once that mail waits.
func TestMailNeverChangesARun(t *testing.T) {
	t.Parallel()
	dir := copyDemo(t, 5)
	config := "--config=" + filepath.Join(dir, "concilia.yaml")
	run := func() (int, string, string) {
		return runMailCommand(t, config, "--quiet", "reconcile", "--as-of", "2026-11-18")
	}
	code, line, _ := run()
	mailConfig(t, dir, 1, `digest: [{to: [ana@loja.example]}]`)
	then, again, said := run()
	if name := regexp.MustCompile(`, [^,]*, run \d{8}T\S+`); then != code || name.ReplaceAllString(again, "") != name.ReplaceAllString(line, "") {
		t.Errorf("without mail %d %q, with mail %d %q", code, line, then, again)
	}
	if strings.Count(said, "mail waits") != 1 {
		t.Errorf("it says:\n%s", said)
	}
}

func TestMailTest(t *testing.T) {
	t.Parallel()
	there := mailtest.NewServer(t, mailtest.Plain)
	dir := copyDemo(t, 5)
	config := "--config=" + filepath.Join(dir, "concilia.yaml")
	for _, row := range []struct {
		says   string
		args   []string
		before func()
		code   int
		words  string
	}{
		{"without a server", []string{"--to", "ana@loja.example"}, nil, exit.Config, "mail.host"},
		{"no address", []string{"--to", "ana"}, func() { mailConfig(t, dir, there.Port, "digest: []") }, exit.Usage, "no address"},
		{"a server that takes it", []string{"--to", "ana@loja.example"}, nil, exit.OK, "Sent to ana@loja.example"},
		{"a server that refuses it", []string{"--to", "ana@loja.example"}, func() {
			there.AnswerRecipients(func(string) error { return mailtest.Refuse(550, "no such person") })
		}, exit.Config, "no such person"},
		{"a server that is busy", []string{"--to", "ana@loja.example"}, func() {
			there.AnswerRecipients(func(string) error { return mailtest.Refuse(451, "later") })
		}, exit.Unreachable, "later"},
	} {
		if row.before != nil {
			row.before()
		}
		code, out, said := runMailCommand(t, append([]string{config, "mail", "test"}, row.args...)...)
		if code != row.code || !strings.Contains(out+said, row.words) {
			t.Errorf("%s: exit %d, %s%s", row.says, code, out, said)
		}
	}
	if n := len(there.Take()); n != 1 {
		t.Errorf("%d messages came", n)
	}
}
