package caseview

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/cmd/concilia/view"
	"concilia/export/report/asof"
	exporttable "concilia/export/table"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// Case is a case on one line; absent parts are empty or null.
type Case struct {
	Case        string              `json:"case"`
	Code        string              `json:"code"`
	Severity    ledger.Severity     `json:"severity"`
	State       ledger.State        `json:"state"`
	Account     ledger.Account      `json:"account"`
	Subject     string              `json:"subject"`
	Expected    string              `json:"expected"`
	Actual      string              `json:"actual"`
	Impact      view.OptionalAmount `json:"impact"`
	Opened      ledger.Date         `json:"opened"`
	BreakOn     ledger.Date         `json:"break_on"`
	ExplainedBy string              `json:"explained_by"`
	Related     []string            `json:"related"`
}

// ListedCase is a case in a list: what is wrong, who goes on with it, and how far its claim is.
type ListedCase struct {
	Case
	Sentence  string              `json:"sentence"`
	Owner     string              `json:"owner"` // who takes the next step; empty of a case that is not about money
	Assignee  string              `json:"assignee"`
	Reference string              `json:"reference"`
	FollowUp  ledger.Date         `json:"follow_up"`
	Claimed   view.OptionalAmount `json:"claimed"`  // empty of a case that was never claimed
	AgeDays   int                 `json:"age_days"` // since it opened; 0 while pending
}

// ListedCaseOf is a case in a list of a day, in the words of a voice; claim is nil if it was never claimed.
func ListedCaseOf(f *ledger.Finding, claim *casework.Claim, today ledger.Date, voice catalogue.Voice) ListedCase {
	row := CaseRowOf(f, voice, today)
	out := ListedCase{
		Case: row.Case, Sentence: row.Sentence, Owner: row.Owner, Assignee: row.Assignee, Reference: row.Protocol, AgeDays: max(0, row.Age),
	}
	if claim != nil {
		out.FollowUp, out.Claimed = claim.FollowUp, view.OptionalAmount(ledger.Some(claim.Claimed))
	}
	return out
}

// CaseOf is a case on one line.
func CaseOf(f *ledger.Finding) Case {
	return Case{
		Case: f.Case, Code: f.Code, Severity: f.Severity, State: f.State, Account: f.Account,
		Subject: f.Subject, Expected: f.Expected.String(), Actual: f.Actual.String(), Impact: view.OptionalAmount(f.Impact),
		Opened: f.OpenedOn, BreakOn: f.BreakOn, ExplainedBy: f.ExplainedBy,
		Related: append([]string{}, f.Related...),
	}
}

// Cases is a list of cases with their figures, as text in a language: JSON has a line each.
type Cases struct {
	All      []CaseRow
	Figures  ledger.Figures
	Others   caselog.OtherCases // of accounts that the configuration does not name
	Language string
}

// WriteText writes a line each, what is wrong last because it is the longest, and below them the figures.
func (v *Cases) WriteText(w io.Writer, _ view.Language) error {
	text := func(id string, values ...any) string { return words.Text(v.Language, id, values...) }
	spell := func(s string) string { return catalogue.Spell(s, v.Language) }
	var b strings.Builder
	t := view.NewTable(&b, 5, 7)
	t.AppendHeader(table.Row{
		text("case_list.case"), text("case_list.code"), text("case_list.severity"), text("case_list.state"), text("case_list.impact"), text("case_list.due"),
		text("case_list.age"), text("case_list.owner"), text("case_list.assignee"), text("case_list.subject"), text("case_list.sentence"),
	})
	for i := range v.All {
		c := &v.All[i]
		age := ""
		if c.Age >= 0 {
			age = strconv.Itoa(c.Age)
		}
		t.AppendRow(table.Row{
			c.Case.Case, c.Code, c.Severity, words.Label(v.Language, "case_state", string(c.State)), spell(c.Impact.String()), spell(c.Due.String()), age,
			c.Owner, c.Assignee, c.Subject, c.Sentence,
		})
	}
	if len(v.All) > 0 {
		t.Render()
	}
	reais := func(a ledger.Amount) string { return spell(a.Rounded(ledger.HalfAwayFromZero).Fixed(2)) }
	b.WriteString(text("case_list.sums", "n", len(v.All), "figures", asof.FiguresText(v.Figures, exporttable.Language(v.Language), reais)) + "\n")
	if v.Others.Cases > 0 {
		b.WriteString(view.Language(v.Language).DescribeOthers(v.Others) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// CasePage is a complete case with its history.
type CasePage struct {
	Case
	ClosedAs    ledger.Closing      `json:"closed_as"`
	Assignee    string              `json:"assignee"`
	Reference   string              `json:"reference"`
	Comment     string              `json:"comment"`
	WaivedUntil ledger.Date         `json:"waived_until"`
	WaiverCap   view.OptionalAmount `json:"waiver_cap"`
	History     []CaseMoment        `json:"history"`

	finding *ledger.Finding
	service string
}

// CaseMoment is a change of a case, by a run or by an act, or an act that is only proposed.
type CaseMoment struct {
	On       string          `json:"on"` // business day of a change; of an act that changed nothing, the UTC day
	State    ledger.State    `json:"state,omitempty"`
	Expected string          `json:"expected,omitempty"`
	Actual   string          `json:"actual,omitempty"`
	Impact   string          `json:"impact,omitempty"`
	Run      string          `json:"run,omitempty"`
	Act      int64           `json:"act,omitempty"`
	Verb     ledger.Verb     `json:"verb,omitempty"`
	Stage    ledger.Stage    `json:"stage,omitempty"`
	Actor    string          `json:"actor,omitempty"`
	Person   string          `json:"person,omitempty"` // of the operating system
	Host     string          `json:"host,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	At       string          `json:"at,omitempty"`
	Confirms int64           `json:"confirms,omitempty"`
	With     json.RawMessage `json:"with,omitempty"`

	event *caselog.FindingEvent // nil: the act changed nothing
	act   *ledger.Act           // nil: a run
}

// CasePageOf is a complete case. events and acts are those of the case, oldest first; service is what its sentences call the
// payment service.
func CasePageOf(f *ledger.Finding, events []caselog.FindingEvent, acts []ledger.Act, service string) *CasePage {
	out := &CasePage{
		Case: CaseOf(f), ClosedAs: f.ClosedAs, Assignee: f.Assignee, Reference: f.Reference,
		Comment: f.Comment, WaivedUntil: f.WaivedUntil, WaiverCap: view.OptionalAmount(f.WaivedCap), History: []CaseMoment{}, finding: f, service: service,
	}
	next := 0
	// addActs adds the acts that changed nothing and precede act number, or what a run did after run.
	addActs := func(precedes func(*ledger.Act) bool) {
		for ; next < len(acts) && precedes(&acts[next]); next++ {
			out.History = append(out.History, momentOf(nil, &acts[next]))
		}
	}
	for i := range events {
		e := &events[i]
		if e.Act == 0 {
			addActs(func(a *ledger.Act) bool { return a.Stage == ledger.Proposed && a.Run < e.Run })
			out.History = append(out.History, momentOf(e, nil))
			continue
		}
		addActs(func(a *ledger.Act) bool { return a.Number < e.Act })
		var act *ledger.Act
		if next < len(acts) && acts[next].Number == e.Act {
			act = &acts[next]
			next++
		}
		out.History = append(out.History, momentOf(e, act))
	}
	addActs(func(*ledger.Act) bool { return true })
	return out
}

func momentOf(e *caselog.FindingEvent, a *ledger.Act) CaseMoment {
	m := CaseMoment{event: e, act: a}
	if e != nil {
		f := &e.Finding
		m.On, m.State, m.Run, m.Act = e.AsOf.String(), f.State, e.Run, e.Act
		m.Expected, m.Actual, m.Impact = f.Expected.String(), f.Actual.String(), view.OptionalAmount(f.Impact).String()
	}
	if a != nil {
		m.Act, m.Verb, m.Stage, m.Actor, m.Reason, m.Confirms = a.Number, a.Verb, a.Stage, a.Actor, a.Reason, a.Confirms
		m.Person, m.Host = a.Person, a.Host
		m.At, m.With = a.At.Format(time.RFC3339Nano), json.RawMessage(a.Parameters)
		if m.On == "" {
			m.On = a.At.Format(time.DateOnly)
		}
	}
	return m
}

// describeState is the state with what a person made of it.
func describeState(f *ledger.Finding, l view.Language) string {
	state := words.Label(l, "case_state", string(f.State))
	switch {
	case f.ClosedAs == ledger.AgedOut:
		return words.Text(l, "case_show.aged_out", "state", state)
	case f.ClosedAs == ledger.Regrouped:
		return words.Text(l, "case_show.regrouped", "state", state)
	case f.State == ledger.Waived && f.WaivedCap.OK:
		return words.Text(l, "case_show.waived_up_to", "state", state, "day", l.FormatDay(f.WaivedUntil), "amount", catalogue.Spell(f.WaivedCap.V.String(), string(l)))
	case f.State == ledger.Waived:
		return words.Text(l, "case_show.waived_until", "state", state, "day", l.FormatDay(f.WaivedUntil))
	}
	return state
}

// WriteText writes the case, and its history a line each.
func (v *CasePage) WriteText(w io.Writer, l view.Language) error {
	var b strings.Builder
	row := func(nameID, value string) {
		name := ""
		if nameID != "" {
			name = words.Text(l, nameID)
		}
		if value != "" {
			fmt.Fprintf(&b, "  %-13s %s\n", name, value)
		}
	}
	f := v.finding
	fmt.Fprintf(&b, "%s  %s  %s  %s\n", words.Text(l, "case_show.case", "case", v.Case.Case), v.Code, v.Severity, describeState(f, l))
	row("", catalogue.Voice{Language: string(l), Service: v.service}.Explain(*f))
	row("case_show.account", v.Account.String())
	row("case_show.subject", v.Subject)
	row("case_show.expected", catalogue.Spell(v.Expected, string(l)))
	row("case_show.actual", catalogue.Spell(v.Actual, string(l)))
	row("case_show.impact", catalogue.Spell(v.Impact.String(), string(l)))
	row("case_show.explained_by", v.ExplainedBy)
	row("case_show.related", strings.Join(v.Related, ", "))
	row("case_show.breaks_on", l.FormatDay(v.BreakOn))
	row("case_show.first_seen", l.FormatDay(f.FirstSeen))
	row("case_show.opened", l.FormatDay(v.Opened))
	row("case_show.contract", f.ContractLine)
	row("case_show.assignee", v.Assignee)
	row("case_show.reference", v.Reference)
	row("case_show.comment", v.Comment)
	for i := range v.History {
		row("case_show.history", v.History[i].describeMoment(l))
	}
	fmt.Fprintln(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// describeMoment is the moment on one line.
func (m *CaseMoment) describeMoment(l view.Language) string {
	var b strings.Builder
	if e := m.event; e != nil {
		fmt.Fprintf(&b, "%s  %s", catalogue.Spell(m.On, string(l)), describeState(&e.Finding, l))
		if e.Act == 0 {
			sep := "  "
			for _, v := range [...]struct{ nameID, text string }{{"case_show.expected", m.Expected}, {"case_show.actual", m.Actual}, {"case_show.its_impact", m.Impact}} {
				if v.text != "" {
					b.WriteString(sep + words.Text(l, v.nameID) + " " + catalogue.Spell(v.text, string(l)))
					sep = ", "
				}
			}
			return b.String()
		}
	}
	a := m.act
	if a == nil {
		return b.String() + "  " + words.Text(l, "case_show.act_missing", "act", m.Act)
	}
	if m.event == nil {
		fmt.Fprintf(&b, "%s  %s %s", catalogue.Spell(a.At.Format(time.DateOnly), string(l)), words.Label(l, "act", string(m.Verb)), words.Label(l, "act_stage", string(m.Stage)))
	} else {
		b.WriteString("  " + words.Label(l, "act", string(m.Verb)))
	}
	b.WriteString(" " + words.Text(l, "case_show.by_act", "actor", m.Actor, "act", m.Act, "at", l.FormatLocal(a.At, a.At.Location())+a.At.Format(" MST")))
	if m.Confirms > 0 {
		b.WriteString(", " + words.Text(l, "case_show.proposed_in", "act", m.Confirms))
	}
	var parameters map[string]string
	if err := json.Unmarshal([]byte(a.Parameters), &parameters); err != nil {
		b.WriteString(", " + a.Parameters) // as kept: ledger check says what is wrong with it
	}
	b.WriteString(describeParameters(string(l), parameters))
	if m.Reason != "" {
		fmt.Fprintf(&b, ": %s", m.Reason)
	}
	return b.String()
}

// CaseAct is what an act on cases did.
type CaseAct struct {
	*casework.ActSummary
	Impact view.Amount `json:"impact"`
	Excess view.Amount `json:"excess"`
	Cases  []ActedCase `json:"cases"`
}

// ActedCase is a case that was acted on.
type ActedCase struct {
	Case    string              `json:"case"`
	Code    string              `json:"code"`
	Account ledger.Account      `json:"account"`
	Subject string              `json:"subject"`
	From    ledger.State        `json:"from"`
	To      ledger.State        `json:"to"`
	Impact  view.OptionalAmount `json:"impact"`
	Outcome string              `json:"outcome"`
	Act     int64               `json:"act,omitempty"`
	Partner string              `json:"partner,omitempty"`
}

// CaseActOf is what an act did.
func CaseActOf(s *casework.ActSummary) *CaseAct {
	out := &CaseAct{ActSummary: s, Impact: view.Amount(s.Impact), Excess: view.Amount(s.Excess), Cases: []ActedCase{}}
	for _, c := range s.Cases {
		out.Cases = append(out.Cases, ActedCase{
			Case: c.Case, Code: c.Code, Account: c.Account, Subject: c.Subject, From: c.From, To: c.To,
			Impact: view.OptionalAmount(c.Impact), Outcome: c.Outcome, Act: c.Act, Partner: c.Partner.Actor,
		})
	}
	return out
}

// WriteText writes the cases, and what became of them.
func (v *CaseAct) WriteText(w io.Writer, l view.Language) error {
	t := view.NewTable(w, 5)
	t.AppendHeader(l.HeadRow("act.case", "act.code", "act.from", "act.to", "act.impact", "act.subject"))
	for _, c := range v.Cases {
		to := words.Label(l, "case_state", string(c.To))
		if c.To == c.From && c.Outcome != "done" {
			to = words.Label(l, "act_outcome", c.Outcome)
		}
		t.AppendRow(table.Row{c.Case, c.Code, words.Label(l, "case_state", string(c.From)), to, l.SpellAmount(c.Impact.String()), c.Subject})
	}
	if len(v.Cases) > 0 {
		t.Render()
	}
	_, err := fmt.Fprintln(w, words.Text(l, "act.done", "verb", words.Label(l, "act", string(v.Verb)), "actor", v.Actor, "cases", l.Count(int64(v.Count), "case"),
		"impact", l.FormatReais(ledger.Amount(v.Impact)), "excess", l.FormatReais(ledger.Amount(v.Excess)))+DescribeFourEyes(l, v.DryRun, v.Proposed, v.Waiting, v.Actor))
	return err
}

// PeriodAct is what an act on a month did.
type PeriodAct struct {
	Verb     ledger.Verb     `json:"verb"`
	Basis    string          `json:"basis"`
	Period   string          `json:"period"`
	Actor    string          `json:"actor"`
	DryRun   bool            `json:"dry_run"`
	Accounts []AccountPeriod `json:"accounts"`

	lastDay ledger.Date
}

// AccountPeriod is the month of an account.
type AccountPeriod struct {
	Account  ledger.Account `json:"account"`
	From     ledger.Date    `json:"from"`
	To       ledger.Date    `json:"to"`
	Outcome  string         `json:"outcome"`
	Revision int            `json:"revision"`
	Run      string         `json:"run"`
	Digest   string         `json:"content_digest"`
	Act      int64          `json:"act,omitempty"`
	Partner  string         `json:"partner,omitempty"`

	basis string
}

// PeriodActOf is what an act did.
func PeriodActOf(s *casework.PeriodSummary) *PeriodAct {
	out := &PeriodAct{
		Verb: s.Verb, Basis: s.Basis, Period: ledger.MonthText(s.Month.To), Actor: s.Actor, DryRun: s.DryRun,
		Accounts: []AccountPeriod{}, lastDay: s.Month.To,
	}
	for _, p := range s.Periods {
		c := p.Close
		out.Accounts = append(out.Accounts, AccountPeriod{
			Account: c.Account, From: c.Period.From, To: c.Period.To, Outcome: p.Outcome, basis: c.Basis,
			Revision: c.Revision, Run: c.Run, Digest: c.Digest, Act: p.Act, Partner: p.Partner.Actor,
		})
	}
	return out
}

// WriteText writes the accounts, and what became of their month.
func (v *PeriodAct) WriteText(w io.Writer, l view.Language) error {
	t := view.NewTable(w)
	t.AppendHeader(l.HeadRow("act.account", "act.basis", "act.from", "act.to", "act.revision", "act.of_run", "act.outcome"))
	proposed, waiting := 0, 0
	for _, p := range v.Accounts {
		outcome := words.Label(l, "act_outcome", p.Outcome)
		switch p.Outcome {
		case "proposed":
			proposed++
		case "waiting":
			waiting++
		case "standing":
			outcome = words.Text(l, "act.closed_before")
		}
		t.AppendRow(table.Row{p.Account, words.Label(l, "set_basis", p.basis), l.FormatDay(p.From), l.FormatDay(p.To), fmt.Sprintf("r%d", p.Revision), p.Run, outcome})
	}
	t.Render()
	_, err := fmt.Fprintln(w, words.Text(l, "act.period_done", "verb", words.Label(l, "act", string(v.Verb)), "month", l.FormatMonth(v.lastDay), "actor", v.Actor,
		"accounts", l.Count(int64(len(v.Accounts)), "account"))+DescribeFourEyes(l, v.DryRun, proposed, waiting, v.Actor))
	return err
}

// DescribeFourEyes is what was not done, and who has to do what for it.
func DescribeFourEyes(l view.Language, dryRun bool, proposed, waiting int, actor string) string {
	text := ""
	if dryRun {
		text += "; " + words.Text(l, "act.dry_run")
	}
	if proposed > 0 {
		text += "\n" + words.Text(l, "act.proposed", "count", proposed)
	}
	if waiting > 0 {
		text += "\n" + words.Text(l, "act.waiting", "count", waiting, "actor", actor)
	}
	return text
}
