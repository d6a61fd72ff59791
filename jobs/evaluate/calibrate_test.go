package evaluate

import (
	"testing"

	"concilia/jobs/agreements"
	"concilia/jobs/rules/assumptions"
	"concilia/store/ledger"
)

// Accounts that decide a reading each in its own way are reported; those that decide nothing are not asked.
func TestCalibrateAccountsDisagree(t *testing.T) {
	t.Parallel()
	says := func(account ledger.Account, v assumptions.Verdict, value string) AccountAnswers {
		return AccountAnswers{Account: account, Answers: []assumptions.Answer{{
			Keys: []agreements.ProfileKey{agreements.KeyFeeSpread}, Verdicts: []assumptions.Verdict{v}, Values: []string{value},
		}}}
	}
	for _, c := range []struct {
		says     string
		accounts []AccountAnswers
		want     string
	}{
		{"both alike", []AccountAnswers{says(1, assumptions.Confirmed, "spread"), says(2, assumptions.Confirmed, "spread")}, ""},
		{"one decides, one can't tell", []AccountAnswers{says(1, assumptions.Better, "first"), says(2, assumptions.NoRows, "spread")}, ""},
		{
			"each its own",
			[]AccountAnswers{says(1, assumptions.Better, "first"), says(2, assumptions.NoRows, "spread"), says(3, assumptions.Confirmed, "spread")},
			"accounts disagree: 1 first, 3 spread",
		},
	} {
		all := CalibrationResult{Answers: c.accounts[0].Answers, Accounts: c.accounts}
		if got := all.describeDisagreement(0); got != c.want {
			t.Errorf("%s: %q, want %q", c.says, got, c.want)
		}
	}
}
