package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/cmd/concilia/exit"
)

// TestCompletionValues asks as a shell does when the tab key is pressed.
func TestCompletionValues(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "concilia.yaml")
	text := "service: {gateway_url: http://127.0.0.1/g, integration_url: http://127.0.0.1/i, user_name: u}\n" +
		"accounts: [{number: 1001, name: Loja Centro}, {number: 1002}]\nreports: {formats: [csv]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		because string
		args    []string
		want    []string
		no      string
	}{
		{"commands, with what they do", []string{"cove"}, []string{"coverage\tshow which days are complete, partial or missing"}, "run"},
		{"kinds of runs, which are not those of reports", []string{"runs", "list", "--kind", ""}, []string{"nightly", "backfill", "check"}, "installments"},
		{"kinds", []string{"report", "--kind", ""}, []string{"installments", "restatement", "control"}, "settlement"},
		{"the last of a list of formats", []string{"report", "--format", "csv,xl"}, []string{"csv,xlsx"}, "xlsx"},
		{"the state of a day is a basis of reports", []string{"report", "--basis", "a"}, []string{"asof"}, "credit"},
		{"codes of rules", []string{"exceptions", "list", "--code", "RECEIVED_O"}, []string{"RECEIVED_OVERDUE"}, "MDR_RATE_MISMATCH"},
		{"codes again, as a word of their own", []string{"rules", "show", "RECEIVED_O"}, []string{"RECEIVED_OVERDUE"}, "MDR_RATE_MISMATCH"},
		{"states", []string{"exceptions", "list", "--state", "re"}, []string{"resolved", "reopened"}, "pending"},
		{"accounts of the configuration", []string{"--config", file, "pull", "--account", ""}, []string{"1001\tLoja Centro", "1002"}, "1003"},
		{"and none without one", []string{"--config", file + "x", "pull", "--account", ""}, nil, "1001"},
		{"shells", []string{"completion", ""}, []string{"bash", "zsh", "fish", "powershell"}, "csh"},
	} {
		code, out, errs := inProcess(append([]string{"__complete"}, row.args...)...)
		got := strings.Split(out, "\n")
		if code != exit.OK {
			t.Errorf("%s: ended with %d: %s", row.because, code, errs)
		}
		for _, want := range row.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q is not offered: %q", row.because, want, got)
			}
		}
		if slices.Contains(got, row.no) {
			t.Errorf("%s: %q is offered", row.because, row.no)
		}
	}
}

// TestCompletionScripts: each shell gets a script that it can read; those that are here read it.
func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ shell, check, holds string }{
		{"bash", "bash", "__start_concilia"},
		{"zsh", "zsh", "#compdef concilia"},
		{"fish", "fish", "complete -c concilia"},
		{"powershell", "", "Register-ArgumentCompleter"},
	} {
		code, script, errs := inProcess("completion", row.shell)
		if code != exit.OK || !strings.Contains(script, row.holds) {
			t.Errorf("completion %s ended with %d: %s", row.shell, code, errs)
		}
		if path, err := exec.LookPath(row.check); err == nil {
			cmd := exec.Command(path, "-n")
			cmd.Stdin = strings.NewReader(script)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s cannot read its script: %v\n%s", row.shell, err, out)
			}
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "csh"}, {"completion", "bash", "zsh"}} {
		if code, _, errs := inProcess(args...); code != exit.Usage || !strings.Contains(errs, "hint:") {
			t.Errorf("%v ended with %d: %s", args, code, errs)
		}
	}
}
