package jobs

import (
	"context"

	"concilia/export/report"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// readClaims returns the claims of an account as of a run, in the words of the set.
func (b *jobBuilder) readClaims(ctx context.Context, a ledger.Account, run string) ([]report.Claim, error) {
	voice := b.voice()
	claims, err := casework.ListClaims(ctx, b.ledger, casework.ClaimFilter{Accounts: []ledger.Account{a}, AsOfRun: run}, voice)
	out := make([]report.Claim, 0, len(claims))
	for i := range claims {
		c := &claims[i]
		f := &c.Finding
		step, _ := voice.PlainWords(f.Code)
		out = append(out, report.Claim{
			Account: f.Account, Case: f.Case, Code: f.Code, Subject: f.Subject, Brand: f.Brand, Sentence: c.Sentence, Owner: step.Owner,
			Reference: c.Reference, ClaimedOn: c.ClaimedOn, FollowUp: c.FollowUp, AnsweredOn: c.AnsweredOn, RecoveredOn: c.RecoveredOn, Answer: c.Answer,
			Claimed: c.Claimed, Recovered: c.Recovered, Open: c.Open, GivenUp: c.GivenUp, State: string(c.State),
		})
	}
	return out, err
}
