package html

import (
	_ "embed" // the template and the style are files, so that an editor knows what they are
	"html/template"
	"io"
	"slices"

	"concilia/export/words"
	"concilia/store/ledger"
)

var (
	//go:embed index.tmpl
	indexText string
	//go:embed index.css
	indexStyle string
)

// Link is an address, relative to its page, and its text.
type Link struct{ Text, To string }

// Index is a page that leads to files.
type Index struct {
	Language string // pt-BR or en
	Heading  string
	AsOf     string // in words; empty: there is no state
	Figures  ledger.Figures
	Level    Level
	Verdict  string // of that state; empty: there is none
	Home     string // of the page above; empty: there is none
	Accounts []IndexAccount
	Groups   []IndexGroup
}

// IndexAccount leads to the page of an account, and has the verdict of its latest state.
type IndexAccount struct {
	Link
	Level   Level
	Verdict string // empty: it has no state
}

// IndexGroup are the entries below one title.
type IndexGroup struct {
	Title   string
	Entries []IndexEntry
}

// IndexEntry is a set of files.
type IndexEntry struct {
	ID      string // of its anchor
	Account string // in words; empty where all are of one
	Title   string
	Note    string // what narrows it; empty: nothing
	Closed  bool
	First   []Link // the files that a person opens first
	All     string // where all of its files are; empty: here
	Files   []IndexFile
}

// IndexFile is a table in its formats.
type IndexFile struct {
	ID    string // of its anchor
	Title string
	Links []Link
}

// AddAccount adds the page of an account, unless it is there.
func (x *Index) AddAccount(a IndexAccount) {
	if !slices.Contains(x.Accounts, a) {
		x.Accounts = append(x.Accounts, a)
	}
}

// Add adds an entry to the last group if that has the title, else to a new one.
func (x *Index) Add(title string, e IndexEntry) {
	if n := len(x.Groups); n == 0 || x.Groups[n-1].Title != title {
		x.Groups = append(x.Groups, IndexGroup{Title: title})
	}
	g := &x.Groups[len(x.Groups)-1]
	g.Entries = append(g.Entries, e)
}

// AddFile adds a file to the line of its table.
func (e *IndexEntry) AddFile(id, title string, l Link) {
	i := slices.IndexFunc(e.Files, func(f IndexFile) bool { return f.ID == id })
	if i < 0 {
		i, e.Files = len(e.Files), append(e.Files, IndexFile{ID: id, Title: title})
	}
	e.Files[i].Links = append(e.Files[i].Links, l)
}

// WriteIndex writes the page. It fails only when w does.
func WriteIndex(w io.Writer, x *Index) error {
	return writePage(w, "index", x.Heading, x, template.FuncMap{
		"w":     func(id string, values ...any) string { return words.Text(x.Language, id, values...) },
		"money": func(a ledger.Amount) string { return formatNumber(a.String(), x.Language) },
	}, styleText+indexStyle, indexText)
}
