package bankview

import (
	"fmt"
	"io"

	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// BankAct is what an act on a match did, or would do.
type BankAct struct {
	Verb       ledger.Verb `json:"verb"`
	Bank       string      `json:"bank"`
	Match      string      `json:"match"`
	Groups     []string    `json:"groups"`
	Lines      []string    `json:"lines"`
	Debits     []string    `json:"debits"`
	Expected   view.Amount `json:"expected"`
	Debited    view.Amount `json:"debited"`
	Credited   view.Amount `json:"credited"`
	Difference view.Amount `json:"difference"`
	Actor      string      `json:"actor"`
	DryRun     bool        `json:"dry_run"`
	Outcome    string      `json:"outcome"`
	Act        int64       `json:"act,omitempty"`
	Partner    string      `json:"partner,omitempty"`
}

// BankActOf is what came of a request.
func BankActOf(req *casework.DepositRequest, done *casework.DepositActed) *BankAct {
	s := &req.Sides
	return &BankAct{
		Verb: req.Verb, Bank: req.Bank, Match: done.Match, Groups: s.Groups, Lines: s.Lines, Debits: append([]string{}, s.DebitKeys...),
		Expected: view.Amount(s.Expected), Debited: view.Amount(s.Debits), Credited: view.Amount(s.Credited), Difference: view.Amount(s.Difference()),
		Actor: req.Actor, DryRun: req.DryRun, Outcome: done.Outcome, Act: done.Act, Partner: done.Partner.Actor,
	}
}

// WriteText writes both sides, and what became of them.
func (v *BankAct) WriteText(w io.Writer, l view.Language) error {
	for _, side := range [][]string{v.Groups, v.Debits, v.Lines} {
		for _, subject := range side {
			if _, err := fmt.Fprintf(w, "  %s\n", view.Escape(subject)); err != nil {
				return err
			}
		}
	}
	proposed, waiting := 0, 0
	switch v.Outcome {
	case "proposed":
		proposed++
	case "waiting":
		waiting++
	}
	text := words.Text(l, "act.deposit_done", "verb", words.Label(l, "act", string(v.Verb)), "match", v.Match, "actor", v.Actor,
		"expected", l.FormatReais(ledger.Amount(v.Expected)), "debits", l.FormatReais(ledger.Amount(v.Debited)), "credited", l.FormatReais(ledger.Amount(v.Credited)),
		"difference", l.FormatReais(ledger.Amount(v.Difference)))
	if v.Outcome == "standing" {
		text += "; " + words.Text(l, "act.done_before")
	}
	_, err := fmt.Fprintln(w, text+caseview.DescribeFourEyes(l, v.DryRun, proposed, waiting, v.Actor))
	return err
}
