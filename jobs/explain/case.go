package explain

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"concilia/jobs/agreements"
	"concilia/jobs/bank"
	"concilia/jobs/calendar"
	"concilia/jobs/casework"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// Explainer answers from the ledger and the documents in force. Every field but Names, Service, Settings,
// Orders and Zone is required.
type Explainer struct {
	Ledger    *store.Ledger
	Names     map[ledger.Account]string // of accounts; one that is not in it has no name on its pages
	Service   string                    // what people call the payment service; empty: "a operadora"
	Profile   agreements.Profile
	Calendar  func(ledger.Account) *calendar.Calendar // of an account, local days included; nil: it has none
	Contracts *agreements.Contracts
	Mapping   *agreements.Mapping
	Settings  rules.Settings
	Orders    *agreements.Orders
	Banks     []bank.Account
	// ShowsPayers: the page of a slip shows its payer in full; else only the document, masked.
	ShowsPayers bool
	Zone        *time.Location // of the dates of answers in letters; nil: UTC
	Today       ledger.Date    // the as-of of an account that no run has reconciled
}

// ExplainCase gathers everything known about a case, in "pt-BR" or else in English. name is as in Desk.Resolve; an unknown
// case is a *RequestError. It does not call the service and writes nothing.
func (x *Explainer) ExplainCase(ctx context.Context, name, lang string) (*CasePage, error) {
	ids, err := (&casework.Handler{Ledger: x.Ledger}).ResolveCases(ctx, []string{name})
	if err != nil {
		return nil, err
	}
	f, err := x.Ledger.FindingByCase(ctx, ids[0])
	if err != nil {
		return nil, err
	}
	voice := catalogue.Voice{Language: lang, Service: x.Service}
	e := &explanation{Explainer: x, finding: f, voice: voice, page: &CasePage{
		Case: f.Case, Code: f.Code, Severity: string(f.Severity), State: string(f.State), Account: f.Account,
		AccountName: x.Names[f.Account], Subject: f.Subject, Language: lang, Title: catalogue.Title(f.Code, lang), Sentence: voice.Explain(*f), Expected: f.Expected.String(), Actual: f.Actual.String(),
		Impact: amountText(f.Impact), Difference: amountText(f.Difference()), Exposure: f.Exposure, ExplainedBy: f.ExplainedBy, FirstSeen: f.FirstSeen,
		Opened: f.OpenedOn.String(), BreakOn: f.BreakOn.String(), LastRun: f.LastRun, Reference: f.Reference,
	}}
	if f.State.IsUnresolved() { // nothing is to be done about a case that is over
		e.page.Settles = voice.DescribeEnding(*f)
		if step, ok := voice.NextStep(*f); ok {
			e.page.Owner, e.page.Next = step.Owner, step.Next
		}
	}
	for _, step := range []func(context.Context) error{e.addRecord, e.addContract, e.addDays, e.addEvidence, e.addDeposits, e.addHistory} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(f.Code, "ANTICIPATION_") && x.Profile.Anticipation.Base != agreements.AnticipationOnNetOfMDR {
		e.figures = nil // the formula on the page has the base of the default reading
	}
	e.page.Formula = catalogue.Formula(*f, e.figures, lang)
	return e.page, nil
}

// explanation is one explanation in the making.
type explanation struct {
	*Explainer
	finding    *ledger.Finding
	voice      catalogue.Voice
	page       *CasePage
	figures    []ledger.Number // of the record, for the formula
	pulls      []string        // that brought its versions
	showedLast []string        // that showed it last
}

// addContract finds the line in force in the document that the case's last run kept.
func (e *explanation) addContract(ctx context.Context) error {
	if e.finding.ContractLine == "" {
		return nil
	}
	run, err := e.Ledger.RunByID(ctx, e.finding.LastRun)
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
			if l := &k.Lines[j]; l.ID == e.finding.ContractLine {
				e.page.Contract = &ContractTerms{
					Line: l.ID, ValidFrom: k.ValidFrom, ValidTo: k.ValidTo.String(), SHA256: sha, Terms: listContractTerms(k, l, e.finding.Product),
				}
			}
		}
	}
	return nil
}

// listContractTerms are the rates, fees and terms of a line, by the contract file's names.
func listContractTerms(k *agreements.Contract, l *agreements.RateLine, p ledger.Product) []RecordMember {
	out := []RecordMember{
		{"brand", l.Brand}, {"product", string(l.Product)}, {"installments", l.Band}, {"mdr", l.MDR.String() + " %"},
	}
	for _, fee := range []struct {
		name string
		fee  ledger.Opt[ledger.Amount]
	}{{"transaction_fee", l.TransactionFee}, {"antifraud_fee", l.AntifraudFee}} {
		if fee.fee.OK {
			out = append(out, RecordMember{fee.name, fee.fee.V.String() + " / " + string(l.FeeBasis)})
		}
	}
	if l.Anticipation.OK {
		out = append(out, RecordMember{"anticipation", l.Anticipation.V.String() + " %"})
	}
	if t, ok := k.Settlement.TermOf(p); ok {
		out = append(out, RecordMember{"settlement", t.String()})
	}
	return out
}

// maxDaySpan is the most days between two dates of a finding of which the days between are listed.
const maxDaySpan = 15

// addDays adds which weekdays the finding's dates are, and which days between them are no business days.
func (e *explanation) addDays(context.Context) error {
	if e.page.Calendar = e.finding.Calendar; e.finding.Calendar == "" {
		return nil
	}
	cal := e.Calendar(e.finding.Account)
	if cal == nil || cal.Hash() != e.finding.Calendar {
		e.page.OtherCalendar = true
		return nil // the days are those of another calendar: which, its hash says
	}
	var named []ledger.Date
	add := func(d ledger.Date) {
		if d != 0 && calendar.CheckDate(d) == nil {
			named = append(named, d)
		}
	}
	for _, v := range []ledger.Value{e.finding.Expected, e.finding.Actual} {
		add(v.Date)
	}
	for _, n := range e.finding.Numbers {
		if d, err := ledger.ParseDate(n.Value); err == nil {
			add(d)
		}
	}
	add(e.finding.BreakOn)
	if len(named) == 0 { // the case counts days and names none: they are those of the record
		for _, m := range e.page.Record {
			if d, err := ledger.ParseDate(m.Value); err == nil && slices.Contains(datedMembers(), m.Name) {
				add(d)
			}
		}
	}
	slices.Sort(named)
	named = slices.Compact(named)
	for i, d := range named {
		e.addDay(cal, d)
		if i+1 == len(named) || named[i+1]-d > maxDaySpan {
			continue
		}
		for between := d + 1; between < named[i+1]; between++ {
			if !cal.IsBusinessDay(calendar.Settles, between) || !cal.IsBusinessDay(calendar.Counter, between) {
				e.addDay(cal, between)
			}
		}
	}
	return nil
}

// datedMembers are the members of records that the calendar is asked about.
func datedMembers() []string {
	return []string{"receivedDateForeast", "receivedDateEffective", "dueDate", "effectivePaymentDate", "effectiveCreditDate"}
}

func (e *explanation) addDay(cal *calendar.Calendar, d ledger.Date) {
	day := CalendarDay{Day: d, Settles: cal.IsBusinessDay(calendar.Settles, d), Counter: cal.IsBusinessDay(calendar.Counter, d)}
	for _, named := range cal.NamedDays(d.Year()) {
		if named.Date == d {
			day.Name, day.Source = named.Name, named.Source
		}
	}
	e.page.Days = append(e.page.Days, day)
}

// addEvidence adds the answers that brought the record, and those that showed it last.
func (e *explanation) addEvidence(ctx context.Context) error {
	ids := append(slices.Clone(e.pulls), e.showedLast...)
	pulls, err := e.Ledger.PullsByID(ctx, e.finding.Account, ids)
	if err != nil {
		return err
	}
	all := make([]ledger.Pull, 0, len(pulls))
	for _, p := range pulls {
		all = append(all, p)
	}
	slices.SortFunc(all, compareEvidence)
	for _, p := range all {
		kept, err := e.Ledger.HasBody(ctx, p.SHA256)
		if err != nil {
			return err
		}
		e.page.Evidence = append(e.page.Evidence, PullEvidence{
			Pull: p.ID, Source: string(p.Window.Source), From: p.Window.Period.From.String(), To: p.Window.Period.To.String(),
			Began: p.Began.UTC(), Complete: p.Complete, Rows: p.Counts.Rows, SHA256: p.SHA256, Kept: kept,
		})
	}
	for i := range e.page.Versions {
		e.page.Versions[i].Began = pulls[e.page.Versions[i].Pull].Began.UTC()
	}
	return nil
}

// compareEvidence orders the answers of a run: the lists, which it requests at the same time, by name and day, then the answers about single
// items.
func compareEvidence(a, b ledger.Pull) int {
	isSingle := func(p ledger.Pull) int {
		if p.Window.Source == ledger.SlipDetail || p.Window.Source == ledger.Simulator {
			return 1
		}
		return 0
	}
	return cmp.Or(strings.Compare(a.Run, b.Run), isSingle(a)-isSingle(b), strings.Compare(string(a.Window.Source), string(b.Window.Source)),
		cmp.Compare(a.Window.Period.From, b.Window.Period.From), a.Began.Compare(b.Began))
}

// addHistory adds related cases, what became of this one, and what people did.
func (e *explanation) addHistory(ctx context.Context) error {
	if len(e.finding.Related) > 0 {
		err := e.Ledger.Findings(ctx, caselog.FindingFilter{Cases: e.finding.Related}, func(f *ledger.Finding) error {
			e.page.Related = append(e.page.Related, RelatedCase{f.Case, f.Code, string(f.State), e.voice.Explain(*f)})
			return nil
		})
		if err != nil {
			return err
		}
	}
	events, err := e.Ledger.FindingEvents(ctx, e.finding.Case)
	if err != nil {
		return err
	}
	for _, v := range events {
		g := &v.Finding
		e.page.History = append(e.page.History, CaseEvent{v.AsOf, v.Run, string(g.State), g.Expected.String(), g.Actual.String(), amountText(g.Impact)})
	}
	acts, err := e.Ledger.Acts(ctx, caselog.ActFilter{Accounts: []ledger.Account{e.finding.Account}, Subjects: []string{e.finding.Case}})
	if err != nil {
		return err
	}
	for _, a := range acts {
		act := LoggedAct{At: a.At.UTC(), Verb: string(a.Verb), Stage: string(a.Stage), Actor: a.Actor, Reason: a.Reason}
		if err := json.Unmarshal([]byte(a.Parameters), &act.Parameters); err != nil {
			return fmt.Errorf("act %d of account %s: its parameters: %w", a.Number, a.Account, err)
		}
		e.page.Acts = append(e.page.Acts, act)
	}
	return nil
}
