package explain

import (
	"context"
	"strings"

	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/jobs/desk"
	"concilia/jobs/rules"
	"concilia/store"
	"concilia/store/ledger"
)

// Explainer answers from the ledger and the documents in force. Every field but Names is required.
type Explainer struct {
	Ledger   *store.Ledger
	Names    map[ledger.Account]string // of accounts; one that is not in it has no name on its pages
	Profile  agreements.Profile
	Calendar func(ledger.Account) *calendar.Calendar // of an account, local days included; nil: it has none
}

// Case gathers everything known about a case, in "pt-BR" or else in English. name is as in desk.Desk.Resolve; an unknown
// case is a *desk.RequestError. It does not call the service and writes nothing.
func (x *Explainer) Case(ctx context.Context, name, lang string) (*Page, error) {
	ids, err := (&desk.Desk{Ledger: x.Ledger}).Resolve(ctx, []string{name})
	if err != nil {
		return nil, err
	}
	f, err := x.Ledger.FindingByCase(ctx, ids[0])
	if err != nil {
		return nil, err
	}
	e := &explaining{Explainer: x, f: f, lang: lang, out: &Page{
		Case: f.Case, Code: f.Code, Severity: string(f.Severity), State: string(f.State), Account: f.Account,
		AccountName: x.Names[f.Account], Subject: f.Subject, Language: lang, Title: rules.Title(f.Code, lang), Sentence: rules.Explain(*f, lang), Expected: f.Expected.String(), Actual: f.Actual.String(),
		Impact: amountText(f.Impact), Difference: amountText(f.Difference()), Exposure: f.Exposure, ExplainedBy: f.ExplainedBy, FirstSeen: f.FirstSeen,
		Opened: f.OpenedOn.String(), BreakOn: f.BreakOn.String(), LastRun: f.LastRun, Settles: rules.Settles(*f, lang), Reference: f.Reference,
	}}
	if step, ok := rules.NextStep(*f, lang); ok {
		e.out.Owner, e.out.Next = step.Owner, step.Next
	}
	for _, step := range []func(context.Context) error{e.record, e.contract, e.days, e.evidence, e.life} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(f.Code, "ANTICIPATION_") && x.Profile.Anticipation.Base != agreements.AnticipationOnNetOfMDR {
		e.figures = nil // the formula on the page has the base of the default reading
	}
	e.out.Formula = rules.Formula(*f, e.figures, lang)
	return e.out, nil
}

// explaining is one explanation in the making.
type explaining struct {
	*Explainer
	f       *ledger.Finding
	lang    string
	out     *Page
	figures []ledger.Number // of the record, for the formula
	pulls   []string        // that brought its versions
	shown   []string        // that showed it last
}
