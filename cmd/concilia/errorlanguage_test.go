package main

import (
	"bytes"
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
