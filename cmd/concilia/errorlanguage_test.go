package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
)

// What a person reads about a wrong command line, and what to do about it, is in their language; its exit code is not.
func TestErrorsSpeakBothLanguages(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		because string
		args    []string
		en, pt  string
	}{
		{"a command that there is not", []string{"repor"}, `there is no command "repor"
hint: did you mean report?`, `não há o comando "repor"
dica: seria report?`},
		{"a flag that there is not", []string{"find", "--amout", "1"}, `unknown flag: --amout
hint: concilia find --help`, `não há a opção --amout
dica: concilia find --help`},
		{"a flag without its value", []string{"find", "--from"}, `flag needs an argument: --from
hint: concilia find --help`, `a opção --from exige um valor
dica: concilia find --help`},
		{"a date that is none", []string{"find", "--from", "18/11/2026", "1"}, `invalid argument "18/11/2026" for --from: a date is wanted, YYYY-MM-DD
hint: concilia find --help`, `--from "18/11/2026" não é aceito: use uma data, AAAA-MM-DD
dica: concilia find --help`},
		{"too few arguments", []string{"rules", "show"}, `concilia rules show needs a code
hint: concilia rules show CODE`, `falta dizer em concilia rules show: um código
dica: concilia rules show CODE`},
		{"a rule that there is not", []string{"rules", "show", "X"}, `there is no rule "X"
hint: concilia rules list names them`, `não há a regra "X"
dica: concilia rules list mostra quais há`},
		{"a month that is none", []string{"period", "close", "11/2026"}, `"11/2026" is no month, YYYY-MM
hint: such as 2026-09`, `"11/2026" não é um mês, AAAA-MM
dica: por exemplo 2026-09`},
		{"days the wrong way round", []string{"runs", "list", "--from", "2026-11-02", "--to", "2026-11-01"}, `--to 2026-11-01 lies before --from 2026-11-02
hint: --from is the first day, --to the last`, `--to 2026-11-01 é anterior a --from 2026-11-02
dica: --from é o primeiro dia, --to o último`},
		{"an amount with a comma", []string{"exceptions", "list", "--min-impact", "10,00"}, `--min-impact "10,00" is no amount
hint: reais with a dot, such as 10.00`, `--min-impact "10,00" não é um valor
dica: reais com ponto, como 10.00`},
	} {
		english, code := tellError(t, "en", row.args)
		portuguese, code2 := tellError(t, "pt-BR", row.args)
		if code != exit.Usage || code2 != code {
			t.Errorf("%s: exit %d and %d", row.because, code, code2)
		}
		if want := "concilia: " + row.en + "\n"; !strings.HasPrefix(english, want[:len(want)-1]) {
			t.Errorf("%s: %q, want %q", row.because, english, want)
		}
		if want := "concilia: " + row.pt + "\n"; !strings.HasPrefix(portuguese, want[:len(want)-1]) {
			t.Errorf("%s: %q, want %q", row.because, portuguese, want)
		}
	}
	if text, _ := tellError(t, "", []string{"repor", "--lang", "pt-BR"}); !strings.Contains(text, "não há o comando") {
		t.Errorf("--lang after what is wrong: %q", text)
	}
	if text, code := tellError(t, "fr", []string{"rules", "list"}); code != exit.Usage || !strings.Contains(text, `--lang "fr"`) || !strings.Contains(text, "pt-BR") {
		t.Errorf("a language that there is not: %q, exit %d", text, code)
	}
}

// tellError runs a command line that is wrong, in a language.
func tellError(t *testing.T, lang string, args []string) (string, int) {
	t.Helper()
	if lang != "" {
		args = append([]string{"--lang", lang}, args...)
	}
	var out bytes.Buffer
	code := run(t.Context(), environment{
		args: args, stdout: new(bytes.Buffer), stderr: &out, wall: time.Now, lookup: func(string) (string, bool) { return "", false },
	})
	return out.String(), code
}

// failingCommands are command lines that fail for another reason each, against a folder with these files and no ledger.
var failingCommands = []struct {
	because string
	args    []string
	env     string // NAME=VALUE; empty: none
}{
	{"no configuration", []string{"--config", "nowhere.yaml", "run"}, ""},
	{"no YAML", []string{"--config", "broken.yaml", "config", "check"}, ""},
	{"keys that there are not", []string{"--config", "wrong.yaml", "config", "check"}, ""},
	{"no ledger", []string{"status"}, "CONCILIA_LEDGER_DSN=sqlite:nonesuch.db"},
	{"a ledger that is none", []string{"status"}, "CONCILIA_LEDGER_DSN=sqlite:none.db"},
	{"a ledger in no folder", []string{"migrate"}, "CONCILIA_LEDGER_DSN=sqlite:no/such/folder.db"},
	{"a ledger of another kind", []string{"migrate"}, "CONCILIA_LEDGER_DSN=mysql:x"},
	{"a server that is not there", []string{"migrate"}, "CONCILIA_LEDGER_DSN=postgres://u@127.0.0.1:1/d"},
	{"a target of another kind", []string{"verify", "ftp://host/path"}, ""},
	{"an archive that is not there", []string{"verify", "s3://bucket/x?colour=red"}, ""},
	{"a clock that is none", []string{"status"}, "CONCILIA_CLOCK=tomorrow"},
	{"a clock elsewhere", []string{"--config", "away.yaml", "pull", "--from", "2026-11-01", "--to", "2026-11-01"}, "CONCILIA_CLOCK=+24h"},
	{"a file to inspect that is not there", []string{"inspect", "nothing.ret"}, ""},
	{"a folder to inspect", []string{"inspect", "."}, ""},
	{"a file of another kind to inspect", []string{"inspect", "sales.csv"}, ""},
	{"a file cut off", []string{"inspect", "cut.ret"}, ""},
	{"nothing published", []string{"verify", "."}, ""},
	{"nothing to verify", []string{"verify", "nowhere"}, ""},
	{"no key", []string{"verify", ".", "--key", "sales.csv"}, ""},
	{"sales that are none", []string{"sales", "import", "sales.csv"}, ""},
	{"sales that are not there", []string{"sales", "import", "nothing.csv"}, ""},
	{"a statement that is none", []string{"bank", "import", "sales.csv"}, ""},
	{"a year without a calendar", []string{"calendar", "1900"}, ""},
	{"a case that there is not", []string{"exceptions", "show", "0000000000000000"}, ""},
	{"a service that is away", []string{"webhook", "show"}, ""},
}

// What goes wrong is told in the reader's language, whatever it is: what the command line, the configuration, the ledger, the service,
// the target and files of others do.
func TestFailuresSpeakPortuguese(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"concilia.yaml": "service:\n  gateway_url: http://127.0.0.1:1\n  integration_url: http://127.0.0.1:1\n  user_name: u\n  timeout: 1s\naccounts: [{number: 1001}]\n" +
			"stores: [{id: centro, accounts: [1001], format: neutral}]\n" +
			"banks: [{id: itau-12345, bank: \"341\", branch: \"1234\", account: \"12345-6\", accounts: [1001]}]\nreports: {formats: [csv]}\nledger: {dsn: \"sqlite:" + dir + "/here.db\"}\n",
		"away.yaml":   "service:\n  gateway_url: https://service.example\n  integration_url: https://service.example\n  user_name: u\naccounts: [{number: 1001}]\nreports: {formats: [csv]}\n",
		"broken.yaml": "service: [\n",
		"wrong.yaml":  "service:\n  gatway_url: x\n  timeout: soon\naccounts: [{number: x}, {number: -1}]\ncalendar: {removed: [2026-11-17], extra: [1800-01-01]}\n",
		"none.db":     strings.Repeat("no database at all ", 100),
		"sales.csv":   "nome;valor\nMaria;10,00\n",
		"cut.ret":     strings.Repeat("0", 100) + "\r\n" + strings.Repeat("9", 240),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range failingCommands {
		t.Run(row.because, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"--lang", "pt-BR"}, row.args...)
			if row.args[0] != "--config" {
				args = append([]string{"--config", filepath.Join(dir, "concilia.yaml")}, args...)
			}
			for i, a := range args {
				if _, err := os.Stat(filepath.Join(dir, a)); err == nil || strings.HasPrefix(a, "no") && i > 0 {
					args[i] = filepath.Join(dir, a)
				}
			}
			var out bytes.Buffer
			code := run(t.Context(), environment{
				args: args, stdout: &out, stderr: &out, wall: time.Now,
				lookup: func(key string) (string, bool) {
					name, value, _ := strings.Cut(row.env, "=")
					if key == "CONCILIA_SERVICE_PASSWORD" {
						return "not-a-secret", true
					}
					return strings.Replace(value, "sqlite:none", "sqlite:"+dir+"/none", 1), key == name
				},
			})
			if code == exit.OK || code == exit.Internal {
				t.Errorf("exit %d:\n%s", code, out.String())
			}
			for line := range strings.Lines(out.String()) {
				if word := englishWords.FindString(asItIs.ReplaceAllString(systemWords.ReplaceAllString(line, ""), "")); word != "" {
					t.Errorf("%q in %s", word, line)
				}
			}
		})
	}
}

// systemWords is what the system or a library said, which is behind its kind in Portuguese, and keys of the configuration.
var systemWords = regexp.MustCompile(`\([^()]*(?:\([^()]*\)[^()]*)*\)|\b\w+\[\d+\]\S*|o bloco da conta: [a-z_, ]+|chave desconhecida: use .*`)
