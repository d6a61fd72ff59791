package explain

import (
	"context"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// contract finds the line in force in the document that the case's last run kept.
func (e *explaining) contract(ctx context.Context) error {
	if e.f.ContractLine == "" {
		return nil
	}
	run, err := e.Ledger.RunByID(ctx, e.f.LastRun)
	if err != nil {
		return err
	}
	sha := run.Documents["contract"]
	_, text, err := e.Ledger.Document(ctx, sha)
	if err != nil {
		return err
	}
	contracts, err := agreements.ParseContracts("contract "+sha, text)
	if err != nil {
		return err
	}
	all := contracts.All()
	for i := range all {
		k := &all[i]
		for j := range k.Lines {
			if l := &k.Lines[j]; l.ID == e.f.ContractLine {
				e.out.Contract = &Contract{
					Line: l.ID, ValidFrom: k.ValidFrom, ValidTo: k.ValidTo.String(), SHA256: sha, Terms: contractTerms(k, l, e.f.Product),
				}
			}
		}
	}
	return nil
}

// contractTerms are the rates, fees and terms of a line, by the contract file's names.
func contractTerms(k *agreements.Contract, l *agreements.RateLine, p ledger.Product) []Member {
	out := []Member{
		{"brand", l.Brand}, {"product", string(l.Product)}, {"installments", l.Band}, {"mdr", l.MDR.String() + " %"},
	}
	for _, fee := range []struct {
		name string
		fee  ledger.Opt[ledger.Amount]
	}{{"transaction_fee", l.TransactionFee}, {"antifraud_fee", l.AntifraudFee}} {
		if fee.fee.OK {
			out = append(out, Member{fee.name, fee.fee.V.String() + " / " + string(l.FeeBasis)})
		}
	}
	if l.Anticipation.OK {
		out = append(out, Member{"anticipation", l.Anticipation.V.String() + " %"})
	}
	if t, ok := k.Settlement.TermOf(p); ok {
		out = append(out, Member{"settlement", t.String()})
	}
	return out
}
