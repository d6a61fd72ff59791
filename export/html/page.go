package html

import "concilia/store/ledger"

// Page is the content of one page. Texts are in its language; amounts are whole cents unless noted otherwise.
type Page struct {
	Language string // pt-BR or en
	Name     string // of the set: the title of the page
	Heading  string // the account in words
	Subtitle string // basis, period, as-of
	Digest   string // of the content, whole
	Level    Level
	Verdict  string
	Today    string    // of a period: what the verdict is of, and what it is today over all periods; empty without one
	Period   bool      // the figures are those of a period, and not all that is missing
	Accounts []Account // of a set over all accounts, worst first; the first of them on a line each before everything else
	Banks    []Bank    // what is proven at them
	Withheld []string  // kinds that are not published and why
	Blind    []string  // what was not evaluated, one line each

	Missing Missing
	// WithoutAmount are titles of what the verdict counts and that is in no figure, gravest first.
	WithoutAmount []string
	Bridge        []Bridge
	Steps         []Step // from gross to net; none without cards
	Days          []Days
	Forecast      *Forecast // of a set that has one
	Agenda        *Agenda
	Claims        *Claims // of a set that has them
	Tables        []Table
	Control       Control
	Links         []Link // to places in indexes; none of a set that is in no index
}

// Level is how grave a verdict is.
type Level int

// The levels, mildest first.
const (
	Good Level = iota
	Fair       // pending or warnings
	Bad
)

// Account is one account's line on the page of all.
type Account struct {
	Number, Name string
	Level        Level
	Verdict      string
	Note         string // what is withheld
	To           string // where its own files are; empty: nowhere
}

// Bank is how much of what the service says it paid came to a bank account, up to a day; no day is settled without one.
type Bank struct {
	Name             string
	Proven, Received ledger.Amount
	Day              string
}

// Missing is what the root cases come to. Excess is what came beyond and makes up for nothing.
type Missing struct {
	Unknown     bool   // the figures are withheld: the page has Note in their place
	Note        string // what it is of, when that is not everything
	Figures     ledger.Figures
	Lines       []FigureLine // those of Figures that are shown, in their order
	Cases       int64        // of what is missing
	ExcessCases int64
	Causes      []Cause // largest first; their Amount adds up to what is missing
	AtRisk      []Cause // the same of what is at risk
	Gained      []Cause // the same of the excess
}

// FigureLine is a figure with its name in words.
type FigureLine struct {
	Key, Label string
	Amount     ledger.Amount
}

// Cause is one code.
type Cause struct {
	Code   string
	Title  string // in plain words
	Amount ledger.Amount
	Cases  int64
	Late   bool   // most of it is late rather than lost
	Owner  string // who takes the next step
	Next   string // the step
	Ages   [Ages]ledger.Amount
}

// Ages is the number of age groups: pending, then 0 to 5, 6 to 10, 11 to 30 and over 30 business days.
const Ages = 5

// Bridge explains expected less received, line by line.
type Bridge struct {
	Key                      string // names its figures: cards or slips
	Heading, Note            string
	Lines                    []Step
	Sum, Difference, Residue ledger.Amount // exact; Residue is 0 when the bridge closes
}

// isInCents reports whether no amount of the bridge has parts of a cent.
func (b *Bridge) isInCents() bool {
	for i := range b.Lines {
		if b.Lines[i].Amount%ledger.Cent != 0 {
			return false
		}
	}
	return b.Sum%ledger.Cent == 0 && b.Difference%ledger.Cent == 0 && b.Residue%ledger.Cent == 0
}

// Step is an amount with its name. In the waterfall from gross to net, Total marks a level, such as the net, rather than a
// deduction. Among bars, TextOnly marks an amount without a bar, such as all later weeks, which would dwarf the others.
type Step struct {
	Label    string
	Amount   ledger.Amount
	Total    bool
	TextOnly bool
}

// Days is a chart of two amounts per day.
type Days struct {
	Heading, First, Second string
	Days                   []Day
}

// Day is one day of it.
type Day struct {
	Label         string
	First, Second ledger.Amount
}

// Forecast is what is to be credited by business day.
type Forecast struct {
	Facts   []ForecastFact
	Outside []Step // what is in no day
	Days    Days
	Notes   []string // until when slips are known, and whose have no contract
}

// ForecastFact is the total of the days from the as-of on.
type ForecastFact struct {
	Label               string
	Confirmed, Expected ledger.Amount
}

// Agenda is what is still to come.
type Agenda struct {
	Lines []Step // by week
	Total ledger.Amount
	Note  string
}

// Table is a report's table, shortened.
type Table struct {
	ID      string
	Heading string
	Columns []Column
	Rows    [][]string
	Anchors []string // of the rows, so that links lead to them; empty of one without, none of a table without
	Largest bool     // the rows shown are the largest, not the first
	Count   int64    // of all rows, shown or not
	Files   string   // where all of them are
	FilesTo string   // the place in the index with links to them; empty: none
	LinkAt  int      // the column that leads there
	RowsTo  []string // where a row's case or subject is in the console; none of a table without
	Note    string   // its units and signs; empty without any
}

// Column is one of its columns. Total is the sum over all rows; a column without a Measure has none.
type Column struct {
	Header  string
	Number  bool
	Wraps   bool // it holds sentences
	Measure string
	Total   int64 // in ten-thousandths, or plain when it is a Count
	Count   bool
	// Signed: Total is of the positive cells alone, and Excess of the negative ones, which are never netted with them.
	Signed bool
	Excess int64
	// Decimals are those of its cells, which its total has too; 0 is as many as the total needs.
	Decimals int
}

// Claims are what is held against the service, to be sent to it: who claims, then fee by fee every row. Shown is how many
// rows are on the page; Table has the totals over all of them and the names of the files with all rows.
type Claims struct {
	Holder  []Fact
	Columns []Column
	Groups  []Group
	Shown   int64
	Table   Table
}

// Fact is a value with its name.
type Fact struct{ Label, Value string }

// Group is the rows of one fee and what all of them add up to, shown or not.
type Group struct {
	Name, Note   string // the fee, and the unit of its contracted and charged rates
	Rows         [][]string
	Count        int64
	Due, Charged ledger.Amount
	Above, Below ledger.Amount // what was charged above the contract, and below it, which is negative
}

// Above is what was charged above the contract in all groups.
func (c *Claims) Above() (sum ledger.Amount) {
	for i := range c.Groups {
		sum += c.Groups[i].Above
	}
	return sum
}

// Below is what was charged below it, negative.
func (c *Claims) Below() (sum ledger.Amount) {
	for i := range c.Groups {
		sum += c.Groups[i].Below
	}
	return sum
}

// Sums are the group's sums of a column: none, one, or those above and below the contract.
func (g Group) Sums(c Column) []ledger.Amount {
	switch c.Measure {
	case "due":
		return []ledger.Amount{g.Due}
	case "charged":
		return []ledger.Amount{g.Charged}
	case "difference":
		if g.Below != 0 {
			return []ledger.Amount{g.Above, g.Below}
		}
		return []ledger.Amount{g.Above}
	}
	return nil
}

// Control is the part of the page with the proofs. File is the name of the table with the third figure of each.
type Control struct {
	Lines   []Proof
	Figures []Figure
	File    string
}

// Proof is one statement of the control part.
type Proof struct {
	Label, Result, Detail string
	OK, Neutral           bool
}

// Figure is a count or sum of a file as the ledger and the writer have it, in words.
type Figure struct {
	File, Measure, Ledger, Writer, Residual string
	Differs                                 bool
}

// LevelOf returns the level of a verdict on pages.
func LevelOf(v ledger.Verdict) Level {
	switch v {
	case ledger.Reconciled:
		return Good
	case ledger.ReconciledWithPending, ledger.ReconciledWithWarnings:
		return Fair
	}
	return Bad
}
