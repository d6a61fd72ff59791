package index

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"concilia/export/html"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// stateDays is how many days of states the index of all accounts leads to; that of an account leads to all.
const stateDays = 62

// Index is what leads to the files of a target: of one account, or of all of them. It is part of no set.
type Page struct {
	Language table.Language            // empty is Portuguese
	Account  string                    // empty: of all accounts
	Names    map[string]string         // of accounts, as configured
	AsOf     ledger.Date               // of the latest state
	Figures  ledger.Figures            // of that state
	Verdicts map[string]ledger.Verdict // of the accounts' latest states, and their worst by AllAccounts
	Sets     []Set                     // in any order
}

// Set is a set as its target has it.
type Set struct {
	Account  string
	Basis    report.Basis
	Period   ledger.Period
	Filter   string   // canonical
	Revision int      // of the movement, where none replaces another
	Closed   bool     // people closed the month
	Files    []string // paths below the target, of the current revisions
	Manifest string   // of the last revision
}

// ID names the set and its place on the page.
func (s *Set) ID() string {
	name := manifest.SetName(s.Account, s.Basis, s.Period, s.Filter)
	if s.Basis == report.ByMovement {
		name += fmt.Sprintf("_r%d", s.Revision)
	}
	return name
}

// Stands reports whether an index leads to the set.
func (s *Set) Stands(index []byte) bool {
	return bytes.Contains(index, []byte(` id="`+s.ID()+`"`))
}

// FileName is the path of an index below the target; no account is that of all.
func FileName(account string) string { return path.Join(account, "index.html") }

// WritePage writes the page. The same sets give the same bytes.
func WritePage(w io.Writer, x *Page) error {
	p := html.Index{
		Language: string(cmp.Or(x.Language, table.Portuguese)), Heading: x.text("index.title"), Home: x.linkTo(FileName("")),
		AsOf: x.formatDay(x.AsOf), Figures: x.Figures,
	}
	p.Level, p.Verdict = x.verdictOf(cmp.Or(x.Account, manifest.AllAccounts))
	if x.Account == "" {
		p.Home = ""
	} else {
		p.Heading = x.accountWords(x.Account)
	}
	sets := slices.Clone(x.Sets)
	slices.SortFunc(sets, compareIndexed)
	for i := range sets {
		s := &sets[i]
		if x.Account == "" {
			account := html.IndexAccount{Link: html.Link{Text: x.accountWords(s.Account), To: x.linkTo(FileName(s.Account))}}
			account.Level, account.Verdict = x.verdictOf(s.Account)
			p.AddAccount(account)
			if (s.Basis == report.ByAsOf || s.Basis == report.ByMovement) && s.Period.To <= x.AsOf-stateDays {
				continue
			}
		} else if s.Account != x.Account {
			continue
		}
		title := ledger.MonthText(s.Period.To)
		if p.Language != string(table.English) {
			title = fmt.Sprintf("%02d/%d", int(s.Period.To.Month()), s.Period.To.Year())
		}
		if s.Basis == report.ByAsOf {
			title = x.text("index.states")
		}
		p.Add(title, x.entryOf(s))
	}
	return html.WriteIndex(w, &p)
}

// compareIndexed orders states before months, each with the latest first; of one period all accounts together come first.
func compareIndexed(a, b Set) int {
	rank := func(ok bool) int {
		if ok {
			return 0
		}
		return 1
	}
	number := func(account string) int {
		n, _ := strconv.Atoi(account) // 0 of all accounts
		return n
	}
	return cmp.Or(
		cmp.Compare(rank(a.Basis == report.ByAsOf), rank(b.Basis == report.ByAsOf)), -cmp.Compare(a.Period.To, b.Period.To),
		-cmp.Compare(a.Period.From, b.Period.From), cmp.Compare(number(a.Account), number(b.Account)), cmp.Compare(a.Basis, b.Basis),
		cmp.Compare(a.Filter, b.Filter),
	)
}

// entryOf is a set on the page, with a line for each table, and the page and the workbook of the set before them.
func (x *Page) entryOf(s *Set) html.IndexEntry {
	out := html.IndexEntry{
		ID: s.ID(), Title: x.formatDay(s.Period.To), Note: s.Filter, Closed: s.Closed,
	}
	switch {
	case s.Basis == report.ByAsOf:
	case s.Period.From == s.Period.To:
		out.Title = words.Label(x.Language, "basis", string(s.Basis)) + " · " + out.Title
	default:
		out.Title = x.text("page.basis_and_period", "basis", words.Label(x.Language, "basis", string(s.Basis)), "from", x.formatDay(s.Period.From), "to", x.formatDay(s.Period.To))
	}
	if x.Account == "" {
		out.Account = x.accountWords(s.Account)
		out.All = x.linkTo(FileName(s.Account)) + "#" + out.ID
	}
	for _, file := range s.Files {
		n, ok := manifest.ParseFileName(path.Base(file))
		if !ok {
			continue
		}
		link := html.Link{Text: x.formatWords(&n), To: x.linkTo(file)}
		if report.Kind(n.Stem) == report.Settlement {
			out.First = append(out.First, link)
		} else if x.Account != "" {
			stem := n.StemWithoutPart()
			out.AddFile(stem+"_"+out.ID, x.tableWords(stem), link)
		}
	}
	if x.Account != "" {
		out.AddFile("set_"+out.ID, x.text("index.manifest"), html.Link{Text: "JSON", To: x.linkTo(s.Manifest)})
	}
	slices.SortFunc(out.First, func(a, b html.Link) int { return cmp.Compare(path.Ext(a.To), path.Ext(b.To)) })
	return out
}

// verdictOf is the verdict of an account's latest state, in words; empty without one.
func (x *Page) verdictOf(account string) (html.Level, string) {
	v := x.Verdicts[account]
	if v == "" {
		return 0, ""
	}
	return html.LevelOf(v), x.text("verdicts." + string(v))
}

// linkTo is the relative address of a file below the target.
func (x *Page) linkTo(file string) string {
	if x.Account == "" {
		return file
	}
	if rest, ok := strings.CutPrefix(file, x.Account+"/"); ok {
		return rest
	}
	return "../" + file
}

func (x *Page) text(id string, values ...any) string { return words.Text(x.Language, id, values...) }

func (x *Page) formatDay(d ledger.Date) string { return table.DateText(d, x.Language) }

func (x *Page) accountWords(account string) string {
	if account == manifest.AllAccounts {
		return x.text("page.all_accounts")
	}
	out := x.text("page.account", "account", account)
	if name := x.Names[account]; name != "" {
		out += " · " + name
	}
	return out
}

// tableWords names a table, or the kind of an EDI file.
func (x *Page) tableWords(stem string) string {
	for _, d := range kindlist.Definitions() {
		for _, t := range d.Tables {
			if t.ID == stem {
				return t.SheetName(x.Language)
			}
		}
	}
	return kindlist.Words(report.Kind(stem), x.Language)
}

// formatWords names the format of a file, and its part if it has one.
func (x *Page) formatWords(n *manifest.FileName) string {
	part := strings.TrimPrefix(strings.TrimPrefix(n.Stem, n.StemWithoutPart()), "-")
	switch {
	case n.Ext == report.EDI.Extension():
		return strings.TrimSpace("EDI " + part)
	case report.Kind(n.Stem) == report.Settlement && n.Ext == string(report.HTML):
		return x.text("index.page")
	case report.Kind(n.Stem) == report.Settlement && n.Ext == string(report.XLSX):
		return x.text("index.workbook")
	case n.Ext == report.CSVBR.Extension():
		return x.text("index.csv_br")
	}
	return strings.ToUpper(n.Ext)
}
