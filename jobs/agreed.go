package jobs

import (
	"context"
	"fmt"
	"slices"

	"concilia/export/report"
	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// readAgreedLines are the lines of the contract that the run verdicts by, for the kinds that show them; nil where none does. A
// contract edited since is not theirs: the run's own is kept whole.
func (w *Worker) readAgreedLines(ctx context.Context, run *ledger.Run, kinds []report.Kind) (map[string]report.AgreedLine, error) {
	if !slices.Contains(kinds, report.FeesKind) && !slices.Contains(kinds, report.ClaimsKind) {
		return nil, nil
	}
	contracts := w.Inputs.Contracts
	if hash := run.Documents["contract"]; hash != contracts.Hash() {
		_, text, err := w.Ledger.Document(ctx, hash)
		if err != nil {
			return nil, fmt.Errorf("contract of run %s: %w", run.ID, err)
		}
		if contracts, err = agreements.ParseContracts("contract of run "+run.ID, text); err != nil {
			return nil, err
		}
	}
	out := make(map[string]report.AgreedLine)
	all := contracts.All()
	for i := range all {
		k := &all[i]
		for j := range k.Lines {
			l := &k.Lines[j]
			out[l.ID] = report.AgreedLine{
				From: k.ValidFrom, To: k.ValidTo, MDR: l.MDR, Anticipation: l.Anticipation,
				TransactionFee: l.TransactionFee, AntifraudFee: l.AntifraudFee, PerSale: l.FeeBasis == agreements.PerSale,
			}
		}
	}
	return out, nil
}
