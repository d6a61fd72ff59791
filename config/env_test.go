package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/config"
)

// TestStrayVariables: a variable whose name is wrong by a letter sets nothing, and no command says so: the check of the
// configuration reports it, without its value.
func TestStrayVariables(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		because, set, want string
	}{
		{"a letter is missing", "CONCILIA_SERVICE_PASWORD", "CONCILIA_SERVICE_PASWORD: no key has this variable: did you mean CONCILIA_SERVICE_PASSWORD?"},
		{"two are turned", "CONCILIA_LEDGER_DNS", "CONCILIA_LEDGER_DNS: no key has this variable: did you mean CONCILIA_LEDGER_DSN?"},
		{"the section is misspelt", "CONCILIA_LEGDER_DSN", "CONCILIA_LEGDER_DSN: no key has this variable: did you mean CONCILIA_LEDGER_DSN?"},
		{"no key is like it", "CONCILIA_SERVICE_COLOUR", "CONCILIA_SERVICE_COLOUR: no key has this variable"},
		{"an account that is not there", "CONCILIA_ACCOUNTS_7_NAME", "CONCILIA_ACCOUNTS_7_NAME: no key has this variable: did you mean CONCILIA_ACCOUNTS_0_NAME?"},
		{"a key", "CONCILIA_SERVICE_TIMEOUT", ""},
		{"a key of an account", "CONCILIA_ACCOUNTS_0_BANK_CODE", ""},
		{"the next account", "CONCILIA_ACCOUNTS_1_NUMBER", ""},
		{"the file itself", "CONCILIA_CONFIG", ""},
		{"the clock", "CONCILIA_CLOCK", ""},
		{"what the command of an alert is given", "CONCILIA_ALERT_ON", ""},
		{"somebody else's", "SERVICE_PASWORD", ""},
	} {
		var want []string
		if row.want != "" {
			want = []string{row.want}
		}
		if d := cmp.Diff(want, textsOf(config.FindUnknownVariables(write(t, good), vars(), []string{"HOME=/root", row.set + "=hunter2"}))); d != "" {
			t.Errorf("%s:\n%s", row.because, d)
		}
	}
}

// TestEmptyVariables: a variable that is set to nothing says so; it is not as if it were not there.
func TestEmptyVariables(t *testing.T) {
	t.Parallel()
	path := write(t, good+"metrics: {listen: \":9090\"}\n")
	c, err := config.Load(path, vars("CONCILIA_METRICS_LISTEN", "", "CONCILIA_SERVICE_PASSWORD", "p"))
	if err != nil || c.Metrics.Listen != "" {
		t.Errorf("metrics are switched off by a variable: listen is %q, %v", c.Metrics.Listen, err)
	}
	if c, err = config.Load(path, vars("CONCILIA_SERVICE_PASSWORD", "p")); err != nil || c.Metrics.Listen != ":9090" {
		t.Errorf("without the variable the file counts: listen is %q, %v", c.Metrics.Listen, err)
	}
	_, err = config.Load(path, vars("CONCILIA_SERVICE_PASSWORD", "p", "CONCILIA_SERVICE_REQUESTS_PER_SECOND", ""))
	if err == nil || !strings.Contains(err.Error(), "CONCILIA_SERVICE_REQUESTS_PER_SECOND") {
		t.Errorf("a number cannot be nothing: %v", err)
	}
	if _, err = config.Load(path, vars("CONCILIA_SERVICE_PASSWORD", "p", "CONCILIA_LEDGER_DSN", "")); err == nil {
		t.Error("the address of the ledger was taken away, and nobody misses it")
	}
}
