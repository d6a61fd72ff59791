package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/config"
)

// TestStrayVariables: a variable whose name is wrong by a letter sets nothing, and in silence: whoever checks the
// configuration is told, without its value.
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
		if d := cmp.Diff(want, config.FindUnknownVariables(write(t, good), vars(), []string{"HOME=/root", row.set + "=hunter2"})); d != "" {
			t.Errorf("%s:\n%s", row.because, d)
		}
	}
}
