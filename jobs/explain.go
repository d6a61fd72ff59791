package jobs

import (
	"context"
	"slices"
	"strings"

	"concilia/jobs/calendar"
	"concilia/jobs/desk"
	"concilia/jobs/rules"
	"concilia/jobs/terms"
	"concilia/store"
	"concilia/store/ledger"
)

// Explain gathers everything known about a case, in "pt-BR" or else in English. name is as in Desk.Resolve; an unknown
// case is a *desk.RequestError. It does not call the service and writes nothing.
func (w *Worker) Explain(ctx context.Context, name, lang string) (*Explanation, error) {
	ids, err := (&desk.Desk{Ledger: w.Ledger}).Resolve(ctx, []string{name})
	if err != nil {
		return nil, err
	}
	f, err := w.Ledger.FindingByCase(ctx, ids[0])
	if err != nil {
		return nil, err
	}
	e := &explaining{w: w, f: f, lang: lang, out: &Explanation{
		Case: f.Case, Code: f.Code, Severity: string(f.Severity), State: string(f.State), Account: f.Account, Subject: f.Subject,
		Language: lang, Title: rules.Title(f.Code, lang), Sentence: rules.Tell(*f, lang), Expected: f.Expected.String(), Actual: f.Actual.String(),
		Impact: amountText(f.Impact), Difference: amountText(f.Difference()), Exposure: f.Exposure, ExplainedBy: f.ExplainedBy, FirstSeen: f.FirstSeen,
		Opened: f.OpenedOn.String(), BreakOn: f.BreakOn.String(), LastRun: f.LastRun, Settles: rules.Settles(*f, lang),
	}}
	if plain, ok := rules.Plain(f.Code, lang); ok {
		e.out.Owner, e.out.Next = plain.Owner, plain.Next
	}
	for _, a := range w.Accounts {
		if a.Number == f.Account {
			e.out.AccountName = a.Name
		}
	}
	for _, step := range []func(context.Context) error{e.record, e.contract, e.days, e.evidence, e.life} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(f.Code, "ANTICIPATION_") && w.Terms.Profile.Anticipation.Base != terms.AnticipationOnNetOfMDR {
		e.figures = nil // the formula on the page has the base of the default reading
	}
	e.out.Formula = rules.Formula(*f, e.figures, lang)
	return e.out, nil
}

// explaining is one explanation in the making.
type explaining struct {
	w       *Worker
	f       *ledger.Finding
	lang    string
	out     *Explanation
	figures []ledger.Number // of the record, for the formula
	pulls   []string        // that brought its versions
	shown   []string        // that showed it last
}

// contract finds the line in force in the document that the case's last run kept.
func (e *explaining) contract(ctx context.Context) error {
	if e.f.ContractLine == "" {
		return nil
	}
	run, err := e.w.Ledger.RunByID(ctx, e.f.LastRun)
	if err != nil {
		return err
	}
	sha := run.Documents["contract"]
	_, text, err := e.w.Ledger.Document(ctx, sha)
	if err != nil {
		return err
	}
	contracts, err := terms.ParseContracts("contract "+sha, text)
	if err != nil {
		return err
	}
	all := contracts.All()
	for i := range all {
		k := &all[i]
		for j := range k.Lines {
			if l := &k.Lines[j]; l.ID == e.f.ContractLine {
				e.out.Contract = &ExplainedContract{
					Line: l.ID, ValidFrom: k.ValidFrom, ValidTo: k.ValidTo.String(), SHA256: sha, Terms: contractTerms(k, l, e.f.Product),
				}
			}
		}
	}
	return nil
}

// contractTerms are the rates, fees and terms of a line, by the contract file's names.
func contractTerms(k *terms.Contract, l *terms.Line, p ledger.Product) []Member {
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
	if t, ok := k.Settlement.Of(p); ok {
		out = append(out, Member{"settlement", t.String()})
	}
	return out
}

// widestSpan is up to how many days apart two dates of a finding are for the days between them to be told.
const widestSpan = 15

// days tells which days the finding's dates are, and which between them are no business days.
func (e *explaining) days(context.Context) error {
	if e.out.Calendar = e.f.Calendar; e.f.Calendar == "" {
		return nil
	}
	cal := e.w.Terms.Calendar(e.f.Account)
	if cal == nil || cal.Hash() != e.f.Calendar {
		e.out.OtherCalendar = true
		return nil // the days are those of another calendar: which, its hash says
	}
	var named []ledger.Date
	add := func(d ledger.Date) {
		if d != 0 && calendar.Check(d) == nil {
			named = append(named, d)
		}
	}
	for _, v := range []ledger.Value{e.f.Expected, e.f.Actual} {
		add(v.Date)
	}
	for _, n := range e.f.Numbers {
		if d, err := ledger.ParseDate(n.Value); err == nil {
			add(d)
		}
	}
	add(e.f.BreakOn)
	if len(named) == 0 { // the case counts days and names none: they are those of the record
		for _, m := range e.out.Record {
			if d, err := ledger.ParseDate(m.Value); err == nil && slices.Contains(datedMembers(), m.Name) {
				add(d)
			}
		}
	}
	slices.Sort(named)
	named = slices.Compact(named)
	for i, d := range named {
		e.day(cal, d)
		if i+1 == len(named) || named[i+1]-d > widestSpan {
			continue
		}
		for between := d + 1; between < named[i+1]; between++ {
			if !cal.Is(calendar.Settles, between) || !cal.Is(calendar.Counter, between) {
				e.day(cal, between)
			}
		}
	}
	return nil
}

// datedMembers are the members of records that the calendar is asked about.
func datedMembers() []string {
	return []string{"receivedDateForeast", "receivedDateEffective", "dueDate", "effectivePaymentDate", "effectiveCreditDate"}
}

func (e *explaining) day(cal *calendar.Calendar, d ledger.Date) {
	day := ExplainedDay{Day: d, Settles: cal.Is(calendar.Settles, d), Counter: cal.Is(calendar.Counter, d)}
	for _, named := range cal.Days(d.Year()) {
		if named.Date == d {
			day.Name, day.Source = named.Name, named.Source
		}
	}
	e.out.Days = append(e.out.Days, day)
}

// evidence tells of the answers that brought the record, and of those that showed it last.
func (e *explaining) evidence(ctx context.Context) error {
	ids := append(slices.Clone(e.pulls), e.shown...)
	pulls, err := e.w.Ledger.PullsByID(ctx, e.f.Account, ids)
	if err != nil {
		return err
	}
	all := make([]ledger.Pull, 0, len(pulls))
	for _, p := range pulls {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b ledger.Pull) int { return a.Began.Compare(b.Began) })
	for _, p := range all {
		kept, err := e.w.Ledger.BodyKept(ctx, p.SHA256)
		if err != nil {
			return err
		}
		e.out.Evidence = append(e.out.Evidence, ExplainedPull{
			Pull: p.ID, Source: string(p.Window.Source), From: p.Window.Period.From.String(), To: p.Window.Period.To.String(),
			Began: p.Began.UTC(), Complete: p.Complete, Rows: p.Counts.Rows, SHA256: p.SHA256, Kept: kept,
		})
	}
	for i := range e.out.Versions {
		e.out.Versions[i].Began = pulls[e.out.Versions[i].Pull].Began.UTC()
	}
	return nil
}

// life tells of related cases, of what became of this one, and of what people did.
func (e *explaining) life(ctx context.Context) error {
	if len(e.f.Related) > 0 {
		err := e.w.Ledger.Findings(ctx, store.FindingFilter{Cases: e.f.Related}, func(f *ledger.Finding) error {
			e.out.Related = append(e.out.Related, RelatedCase{f.Case, f.Code, string(f.State), rules.Tell(*f, e.lang)})
			return nil
		})
		if err != nil {
			return err
		}
	}
	events, err := e.w.Ledger.FindingEvents(ctx, e.f.Case)
	if err != nil {
		return err
	}
	for _, v := range events {
		g := &v.Finding
		e.out.History = append(e.out.History, ExplainedEvent{v.AsOf, v.Run, string(g.State), g.Expected.String(), g.Actual.String(), amountText(g.Impact)})
	}
	acts, err := e.w.Ledger.Acts(ctx, store.ActFilter{Accounts: []ledger.Account{e.f.Account}, Subjects: []string{e.f.Case}})
	if err != nil {
		return err
	}
	for _, a := range acts {
		e.out.Acts = append(e.out.Acts, ExplainedAct{a.At.UTC(), string(a.Verb), string(a.Stage), a.Actor, a.Reason})
	}
	return nil
}

func amountText(o ledger.Opt[ledger.Amount]) string {
	if !o.OK {
		return ""
	}
	return o.V.String()
}
