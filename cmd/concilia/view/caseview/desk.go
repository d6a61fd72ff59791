package caseview

import (
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/runview"
	"concilia/export"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
	"concilia/store/published"
)

// CaseRow is a case as lists for people show it, in their language.
type CaseRow struct {
	Case
	Title    string      `json:"title"`
	Sentence string      `json:"sentence"`
	Owner    string      `json:"owner"` // who takes the next step; empty: the catalogue has none
	Assignee string      `json:"assignee"`
	Protocol string      `json:"reference"` // of the dispute
	Due      ledger.Date `json:"due"`
	Age      int         `json:"age_days"` // since it opened; -1 of a case that is not open yet
	NSU      string      `json:"nsu"`
	Auth     string      `json:"auth"`
	Number   int         `json:"installment,omitempty"`
	Slip     string      `json:"slip,omitempty"`
	SlipName string      `json:"-"` // its reference or nosso número; empty: no list has shown one
}

// CaseRowOf is a case for a list in the words of a voice, as of a day.
func CaseRowOf(f *ledger.Finding, voice catalogue.Voice, asOf ledger.Date) CaseRow {
	row := CaseRow{
		Case: CaseOf(f), Title: catalogue.Title(f.Code, voice.Language), Sentence: voice.Explain(*f), Assignee: f.Assignee,
		Protocol: f.Reference, Due: f.DueOn, Age: -1,
	}
	if row.Sentence == "" {
		row.Sentence = row.Title
	}
	if f.OpenedOn != 0 {
		row.Age = max(0, int(asOf-f.OpenedOn))
	}
	if step, ok := voice.NextStep(*f); ok {
		row.Owner = step.Owner
	}
	subject, ok := ledger.ParseSubject(f.Subject)
	if !ok {
		return row
	}
	if key, number, ok := subject.SaleKey(); ok {
		row.NSU, row.Auth, row.Number = key.NSU, key.Auth, number
	} else if subject.Kind == "slip" && len(subject.Parts) == 1 {
		row.Slip = subject.Parts[0]
	}
	return row
}

// CaseList is a part of the cases that a filter selects, with the number and the figures of all of them.
type CaseList struct {
	Rows    []CaseRow
	Count   int
	Figures ledger.Figures
	Hidden  int    // unresolved cases that the filter leaves out
	Next    string // the case after which the next part begins; empty: this is the last
}

// Today is the first page: what the last night came to, and what is to be done.
type Today struct {
	Status    *runview.Status
	AsOf      ledger.Date    // of the last night; 0: none has ended
	Verdict   ledger.Verdict // of the accounts shown; empty: no night has ended
	Figures   ledger.Figures
	Accounts  []TodayAccount
	Since     ledger.Date // as-of of the night before; 0: there is none to compare with
	Opened    TodayChange
	Resolved  TodayChange
	Causes    []TodayCause
	FilesWait int // files that the target does not have yet
	Cash      *view.CashForecast
	FollowUps []Claim           // that fall due by the as-of and are not closed
	Months    []view.MonthTotal // the last ones by the day of the sale, latest first
	ActsSince int               // what people did since the night evaluated: files have it with the next run
	Withheld  []TodayWithheld   // kinds of reports that a critical case keeps back
	NotJudged []string          // codes of the rules that evaluated none of the rows they are for, over all accounts
}

// TodayWithheld is a kind of report of an account that is not published, and the code of the case that withholds it.
type TodayWithheld struct {
	Account    ledger.Account
	Kind, Code string
}

// TodayAccount is what the last night came to for an account.
type TodayAccount struct {
	Account  ledger.Account
	Name     string
	Verdict  ledger.Verdict
	Figures  ledger.Figures
	Received ledger.Amount // since the business day before
	DueToday ledger.Amount
	Days     int // that are answered for, of all lists
	Complete int
	FirstGap ledger.Date
}

// TodayChange is the cases that opened or were resolved since the night before; Rows are the largest.
type TodayChange struct {
	Cases  int
	Amount ledger.Amount
	Rows   []CaseRow
}

// TodayCause is the cases of one code that cost the merchant something.
type TodayCause struct {
	Code   string
	Title  string
	Owner  string
	Next   string
	Cases  int
	Case   string // its only case; empty: it has several
	Amount ledger.Amount
}

// AddCoverage adds the days of the lists of an account.
func (a *TodayAccount) AddCoverage(all []casework.SourceCoverage) {
	for i := range all {
		c := &all[i]
		if c.Account != a.Account {
			continue
		}
		a.Days += len(c.Days)
		a.Complete += c.Complete
		if c.FirstGap != 0 && (a.FirstGap == 0 || c.FirstGap < a.FirstGap) {
			a.FirstGap = c.FirstGap
		}
	}
}

// PublishedSet is a published set of files.
type PublishedSet struct {
	Account  string      `json:"account"`
	Basis    string      `json:"basis"`
	From     ledger.Date `json:"from"`
	To       ledger.Date `json:"to"`
	Filter   string      `json:"filter,omitempty"`
	Revision int         `json:"revision"`
	Run      string      `json:"-"` // that made it
	AsOf     ledger.Date `json:"as_of"`
	Waiting  bool        `json:"waiting"`
	// Delivered is when the target had every byte as published, read back there; zero: it waits, or was never sent.
	Delivered view.Instant `json:"delivered,omitzero"`
	// Why is what made this revision follow the one before; none of a first one.
	Why     []export.RevisionReason `json:"-"`
	Removed ledger.Date             `json:"removed_on,omitzero"` // the archive has it no more
	Files   []PublishedFile         `json:"files"`
}

// PublishedFile is a file of a published set.
type PublishedFile struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"`
	Format string `json:"format"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	NSA    int    `json:"nsa,omitempty"`
	// Payers says that it shows the payers of slips in the clear.
	Payers bool `json:"-"`
}

// PublishedSetOf is a set as pages list it; before is the revision that it followed, nil where there is none.
func PublishedSetOf(s, before *published.Set) PublishedSet {
	out := PublishedSet{
		Account: s.Account, Basis: s.Basis, From: s.Period.From, To: s.Period.To, Filter: s.Filter, Revision: s.Revision, Run: s.Run, AsOf: s.AsOf,
		Waiting: s.Waiting, Removed: s.RemovedOn, Delivered: view.Instant{Time: s.Delivered},
	}
	if before != nil {
		out.Why = export.ReasonsOf(before.Tables, s.Tables)
	}
	in, err := export.ReadInputs(s.Inputs)
	identified := err != nil || in.IdentifiesPayers() // what cannot be read may identify them
	for _, f := range s.All() {
		shown := identified && export.MayShowPayers(report.Kind(f.Kind))
		out.Files = append(out.Files, PublishedFile{f.Path, f.Kind, f.Format, f.SHA256, f.Bytes, f.NSA, shown})
	}
	return out
}

// FigureRows are the figures that a page shows, in their order: what is missing, then those of export.FiguresShown.
func FigureRows(f ledger.Figures) []FigureRow {
	rows := []FigureRow{{"missing", f.Missing()}}
	for _, name := range asof.FiguresShown(&f) {
		rows = append(rows, FigureRow{string(name), f.AmountOf(name)})
	}
	return rows
}

// FigureRow is a figure by its id.
type FigureRow struct {
	ID     string
	Amount ledger.Amount
}

// RunFigures are the figures in the record of a run.
type RunFigures = asof.FiguresJSON

// PlainFigures are the figures of a run's record as numbers; all zero for none.
func PlainFigures(f *RunFigures) ledger.Figures {
	if f == nil {
		return ledger.Figures{}
	}
	return ledger.Figures(*f)
}

// RuleTitle is the name of a rule in plain words, in "pt-BR" or else in English.
func RuleTitle(code, lang string) string { return catalogue.Title(code, lang) }
