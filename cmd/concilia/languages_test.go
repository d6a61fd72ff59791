package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"

	"github.com/spf13/cobra"
)

// What is shown in every language as it is, besides untranslated: flags of a run, hashes, folders, subjects of banks, times with a
// zone, codes of rules and formats of files.
var asItIs = regexp.MustCompile(`--[a-z-]+(?: \S+)?|(?:/|\./)\S+|\b[a-z-]+:[A-Za-z0-9:/ -]*\S|\b[0-9a-f]{12,}\b|\bgo[0-9.]+\b|\bcommit\b|` +
	`\bconcilia(?: [a-z]+)*|CONCILIA_\w+|\b[a-z_]+\.[a-z_.]+|\bbb-\S+|\b[A-Z][A-Z0-9_]{5,}\b|reports\.out|extrato-\S+|evidence forget|\bserve\b|\bsplits?\b|mdr_rounding\s+\S+|\b(?:installment|sale|first|spread|net|gross|whole|partial)\b(?:, (?:net|gross|whole|partial)\b)*  `)

// englishWords and portugueseWords are words of the one language that sentences of the other do not have.
var (
	englishWords = regexp.MustCompile(`(?i)\b(?:the|of|is|are|was|were|and|with|without|none|nothing|not|day|days|rows?|cases?|files?|` +
		`sets?|account|accounts|ended|begun|received|overdue|missing|complete|changed|same|vanished|new|open|closed|pulled|asked|from|cards|slips|` +
		`rules?|windows?|nights?|money|sale|sales|installments?|settled|proven|statement|lines|difference|expected|credited)\b`)
	portugueseWords = regexp.MustCompile(`(?i)\b(?:conta|contas|dia|dias|caso|casos|situação|execução|recebido|recebidos|cartões|boletos|nada|nenhum|nenhuma|` +
		`arquivos?|conjuntos?|regras?|janelas?|noites?|parcelas?|extrato|diferença|devido|em atraso|terminou|registros?|com|sem|por|para|foi|até|desde)\b`)
)

// textCommands are the commands that speak to people in text, each with arguments that make it say much. {dir} is the folder of a
// demo, {case} a claimed case,
// {other} an open one, {run} the run of the demo.
var textCommands = [][]string{
	{"status"},
	{"runs", "list"},
	{"runs", "show", "last"},
	{"runs", "diff", "{run}", "last"},
	{"plan", "--as-of", "2026-11-19"},
	{"run", "--dry-run", "--as-of", "2026-11-19"},
	{"coverage"},
	{"backfill", "--from", "2026-08-01", "--to", "2026-09-10", "--dry-run"},
	{"schedule"},
	{"exceptions", "list"},
	{"exceptions", "show", "{case}"},
	{"exceptions", "dispute", "{other}", "--reference", "P-9", "--reason", "x", "--as", "Ana", "--dry-run"},
	{"period", "close", "2026-10", "--reason", "x", "--as", "Ana", "--dry-run"},
	{"claims", "list"},
	{"claims", "letter", "--out", "{dir}/letters"},
	{"explain", "{case}"},
	{"find", "final 1011"},
	{"find", "nobody"},
	{"bank", "list"},
	{"bank", "lines"},
	{"bank", "coverage"},
	{"bank", "list", "--files"},
	{"movement", "list"},
	{"rules", "list"},
	{"rules", "show", "MDR_RATE_MISMATCH"},
	{"calendar", "2026"},
	{"calibrate"},
	{"verify", "{dir}/reports/all"},
	{"evidence", "forget", "--payer", "529.982.247-25", "--reason", "x", "--dry-run"},
	{"ledger", "check"},
	{"ledger", "prune", "--keep", "400", "--dry-run"},
	{"ledger", "backup", "{dir}/copy-{lang}.db"},
	{"migrate"},
	{"config", "check"},
	{"console", "user", "list"},
	{"mail", "show"},
	{"version"},
	{"reconcile", "--as-of", "2026-11-18"},
	{"report", "--basis", "asof"},
}

// spokenWithJSON are the commands whose JSON has sentences, which are in the language of --lang.
var spokenWithJSON = []string{"exceptions list", "explain", "find", "claims list", "claims letter", "mail show"}

// silentCommands are the commands that are not looked at: they print a file, need a service, a server or files of a bank or store, or
// say the same as one that is looked at.
var silentCommands = []string{
	"completion", "config example", "console", "console user add", "console user passwd", "console user remove", "help", "man", "serve", "worker", "inspect",
	"evidence show", "keygen", "pull", "demo", "simulate", "webhook subscribe", "webhook show", "webhook unsubscribe", "webhook credential set",
	"webhook credential delete", "mail test", "bank import", "bank show", "bank match", "bank unmatch", "movement show", "period reopen", "exceptions ack", "exceptions assign", "exceptions answer",
	"exceptions waive", "exceptions close", "exceptions reopen",
	"sales import", "sales files", "sales list", "sales show", "sales coverage",
}

// Every command speaks to people in the language of --lang, and in no other: its text has no English in Portuguese, nor the other
// way round. Its exit code and its JSON are the same in both.
func TestEveryCommandSpeaksBothLanguages(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches the night, the demo and the webhooks")
	}
	d := newLanguageDesk(t)
	for _, args := range textCommands {
		d.checkCommand(t, args)
	}
	for _, cmd := range leafCommands(newRoot(environment{lookup: func(string) (string, bool) { return "", false }})) {
		spoken := slices.ContainsFunc(textCommands, func(args []string) bool { return strings.HasPrefix(strings.Join(args, " ")+" ", cmd+" ") })
		if !spoken && !slices.Contains(silentCommands, cmd) {
			t.Errorf("what %q says in two languages is not looked at: textCommands of languages_test.go needs a line with it, or silentCommands its name", cmd)
		}
	}
}

// languageDesk is a demo that commands are asked about.
type languageDesk struct {
	dir     string
	people  string
	replace *strings.Replacer
	steps   string // what the last command said on standard error: how far it was, and what is to be known
}

// somebody is a file of people.
const somebody = "people:\n  - {name: ana, full_name: Ana, role: reader, accounts: [1001], payers: true, password: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g'}\n"

func newLanguageDesk(t *testing.T) *languageDesk {
	t.Helper()
	dir := copyLeft(t, demoWith(t, fewDays...))
	d := &languageDesk{dir: dir}
	l, err := store.Open(t.Context(), "sqlite:"+filepath.Join(dir, "concilia.db"))
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]string{} // case by code
	err = l.Findings(t.Context(), caselog.FindingFilter{Codes: []string{"RECEIVED_OVERDUE", "SLIP_INTEGRATION_FAILED"}}, func(f *ledger.Finding) error {
		first[f.Code] = f.Case
		return nil
	})
	claimed, other := first["RECEIVED_OVERDUE"], first["SLIP_INTEGRATION_FAILED"]
	if err != nil || claimed == "" || other == "" {
		t.Fatal(err, first)
	}
	run, err := l.LastReconcileRun(t.Context(), 1001)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	d.replace = strings.NewReplacer("{dir}", dir, "{case}", claimed, "{other}", other, "{run}", run.ID)
	d.people = filepath.Join(dir, "people.yaml")
	if err := os.WriteFile(d.people, []byte(somebody), 0o600); err != nil {
		t.Fatal(err)
	}
	d.say(t, "en", "exceptions", "dispute", claimed, "--reference", "P-1", "--reason", "x", "--as", "Ana") // a claim to list
	d.say(t, "en", "reconcile", "--as-of", "2026-11-18")
	return d
}

// say runs a command in a language and returns what it says to people, and its exit code.
func (d *languageDesk) say(t *testing.T, lang string, args ...string) (string, int) {
	t.Helper()
	var out, steps bytes.Buffer
	full := []string{"--config", filepath.Join(d.dir, "concilia.yaml"), "--lang", lang}
	for _, a := range args {
		full = append(full, d.replace.Replace(strings.ReplaceAll(a, "{lang}", lang)))
	}
	code := run(t.Context(), environment{
		args: full, stdout: &out, stderr: &steps, wall: time.Now,
		lookup: func(name string) (string, bool) {
			value, ok := map[string]string{"CONCILIA_SERVICE_PASSWORD": "x", "CONCILIA_CONSOLE_USERS_FILE": d.people}[name]
			return value, ok
		},
	})
	d.steps = steps.String()
	return out.String(), code
}

func (d *languageDesk) checkCommand(t *testing.T, args []string) {
	t.Helper()
	name := strings.Join(args, " ")
	english, code := d.say(t, "en", args...)
	englishSteps := d.steps
	portuguese, code2 := d.say(t, "pt-BR", args...)
	portugueseSteps := d.steps
	if code != code2 || code == 2 || code >= 30 && code != 30 {
		t.Errorf("%s: exit %d in English, %d in Portuguese", name, code, code2)
	}
	if step := "conciliação "; args[0] == "reconcile" && (!strings.Contains(portugueseSteps, step) || strings.Contains(englishSteps, step)) {
		t.Errorf("%s says of its steps %.300q in Portuguese and %.300q in English", name, portugueseSteps, englishSteps)
	}
	if english == "" || english == portuguese {
		t.Errorf("%s says the same in both languages: %.300q", name, english)
	}
	if args[0] != "reconcile" && args[0] != "report" && !slices.ContainsFunc(spokenWithJSON, func(c string) bool { return strings.HasPrefix(name, c) }) {
		a, _ := d.say(t, "en", append(slices.Clone(args), "--json")...)
		b, _ := d.say(t, "pt-BR", append(slices.Clone(args), "--json")...)
		if plainRun(a) != plainRun(b) {
			t.Errorf("%s: the JSON depends on the language:\n%.400s\n%.400s", name, a, b)
		}
	}
	for _, of := range []struct {
		text    string
		foreign *regexp.Regexp
	}{{portuguese, englishWords}, {portugueseSteps, englishWords}, {english, portugueseWords}, {englishSteps, portugueseWords}} {
		for line := range strings.Lines(of.text) {
			rest := asItIs.ReplaceAllString(untranslated.ReplaceAllString(line, ""), "")
			if word := of.foreign.FindString(rest); word != "" && !saysNames(args) {
				t.Errorf("%s: %q in %.200q", name, word, line)
				break
			}
		}
	}
}

// saysNames reports whether a command prints names or texts of others, whatever its language: of holidays, and those of a bank.
func saysNames(args []string) bool {
	return args[0] == "calendar" || args[0] == "bank" && args[1] == "lines"
}

// runAndTime are the id of a run, times and durations, and the run's new events: what differs when a command is given again.
var runAndTime = regexp.MustCompile(`\d{8}T\d{6}\.\d{3}Z-[a-z0-9]{8}|\d{4}-\d\d-\d\dT[0-9:.]+Z|"seconds":[0-9.]+|copy-[A-Za-z-]+\.db|"bytes":\d+|"(?:new|seconds|revision)":\w+`)

func plainRun(text string) string { return runAndTime.ReplaceAllString(text, "") }

// leafCommands are the commands that do something, by their names.
func leafCommands(cmd *cobra.Command) (out []string) {
	for _, sub := range cmd.Commands() {
		if sub.Hidden {
			continue
		}
		if !sub.HasSubCommands() || sub.Name() == "console" {
			out = append(out, strings.TrimPrefix(sub.CommandPath(), "concilia "))
		}
		out = append(out, leafCommands(sub)...)
	}
	return out
}
