package view

import (
	"fmt"
	"io"
	"strings"
	"time"

	"concilia/export/cnab"
	"concilia/export/words"
	"concilia/store/ledger"
)

// ConfigCheck is a configuration without faults.
type ConfigCheck struct {
	Hash     string          `json:"hash"`
	OK       bool            `json:"ok"` // always: a fault is an error
	Warnings []words.Message `json:"warnings"`

	Path     string `json:"-"`
	Accounts int    `json:"-"`
}

// WriteText writes the warnings, and how many accounts there are.
func (v *ConfigCheck) WriteText(w io.Writer, l Language) error {
	for _, warning := range v.Warnings {
		fmt.Fprintf(w, "%s: %s\n", l.text("command.warning"), warning.In(string(l)))
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", v.Path, l.text("program.nothing_wrong", "accounts", l.Count(int64(v.Accounts), "account")))
	return err
}

// ConfigExample is a configuration with every key.
type ConfigExample struct {
	Text string `json:"example"`
}

// WriteText writes the file.
func (v ConfigExample) WriteText(w io.Writer, _ Language) error {
	_, err := io.WriteString(w, v.Text)
	return err
}

// Migration is the change of the ledger's schema.
type Migration struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// WriteText writes it on one line.
func (v Migration) WriteText(w io.Writer, l Language) error {
	text := l.text("program.migrated", "to", v.To, "from", v.From)
	if v.From == v.To {
		text = l.text("program.schema_current", "to", v.To)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// LedgerBackup is a copy of the ledger.
type LedgerBackup struct {
	Bytes int64  `json:"bytes"`
	Path  string `json:"path"`

	Took time.Duration `json:"-"`
}

// WriteText writes it on one line.
func (v LedgerBackup) WriteText(w io.Writer, l Language) error {
	_, err := fmt.Fprintf(w, "%s: %s\n", v.Path, l.text("program.backed_up", "bytes", v.Bytes, "took", l.SpellPoint(v.Took.Round(time.Millisecond).String())))
	return err
}

// LedgerPrune is what a prune deleted, or would.
type LedgerPrune struct {
	Before  ledger.Date `json:"before"` // nights from this day on stay as they are
	DryRun  bool        `json:"dry_run"`
	Pulls   int64       `json:"pulls"`
	Units   int64       `json:"units"`
	Tallies int64       `json:"tallies"`
	Alerts  int64       `json:"alerts"`

	Took time.Duration `json:"-"`
}

// WriteText writes it on one line.
func (v *LedgerPrune) WriteText(w io.Writer, l Language) error {
	what := strings.Join([]string{l.Count(v.Pulls, "pull"), l.Count(v.Units, "unit"), l.Count(v.Tallies, "tally"), l.Count(v.Alerts, "alert")}, ", ")
	text := l.text("program.pruned", "day", l.FormatDay(v.Before), "what", what, "took", l.SpellPoint(v.Took.String()))
	if v.DryRun {
		text = l.text("program.would_prune", "day", l.FormatDay(v.Before), "what", what)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// ManualPages are the manual pages that were written.
type ManualPages struct {
	Pages []string `json:"pages"`

	Dir string `json:"-"`
}

// WriteText writes how many they are.
func (v ManualPages) WriteText(w io.Writer, l Language) error {
	_, err := fmt.Fprintln(w, l.text("program.pages", "n", len(v.Pages), "dir", v.Dir))
	return err
}

// ServiceAnswer is what the service answered, in its words.
type ServiceAnswer struct {
	Message string `json:"message"`
}

// WriteText writes the words.
func (v ServiceAnswer) WriteText(w io.Writer, l Language) error {
	message := v.Message
	if message == "" {
		message = l.text("program.done")
	}
	_, err := fmt.Fprintln(w, message)
	return err
}

// Inspection is what a CNAB 240 file holds and what is wrong with it; its text is written column by column while it is read.
type Inspection struct {
	Entries  int      `json:"entries"`
	Faults   []string `json:"faults"`
	File     string   `json:"file"`
	Lotes    int      `json:"lotes"`
	OK       bool     `json:"ok"`
	Records  int      `json:"records"`
	Titles   int      `json:"titles"`
	Warnings []string `json:"warnings"`
}

// InspectionOf is what a file holds.
func InspectionOf(path string, r *cnab.Report) *Inspection {
	list := func(of cnab.Faults) []string {
		out := []string{}
		for _, fault := range of.List {
			out = append(out, fault.String())
		}
		return out
	}
	t := r.File.Totals
	return &Inspection{
		Entries: t.Entries, Faults: list(r.Faults), File: path, Lotes: t.Lotes, OK: r.OK(), Records: t.Records, Titles: t.Titles,
		Warnings: list(r.File.Warnings),
	}
}

// WriteText writes nothing: the columns are printed already.
func (v *Inspection) WriteText(io.Writer, Language) error { return nil }

// BuildFacts are the facts of the build.
type BuildFacts struct {
	Version string            `json:"version"`
	Commit  string            `json:"commit,omitempty"`
	Time    string            `json:"time,omitempty"` // of the commit
	Changed bool              `json:"changed"`        // files differed from the commit
	Go      string            `json:"go"`
	OS      string            `json:"os"`
	Arch    string            `json:"arch"`
	Schema  int64             `json:"schema"`  // version of the ledger's tables
	Modules map[string]string `json:"modules"` // versions of KeyModules
}

// KeyModules are the modules whose version an answer to a problem often depends on, with their paths, in the order of the text.
func KeyModules() [][2]string {
	return [][2]string{
		{"sqlite", "modernc.org/sqlite"},
		{"pgx", "github.com/jackc/pgx/v5"},
		{"river", "github.com/riverqueue/river"},
	}
}

// WriteText writes a line for each fact.
func (v *BuildFacts) WriteText(w io.Writer, l Language) error {
	commit := l.text("program.commit_unknown")
	if v.Commit != "" {
		commit = l.text("program.commit_of", "commit", v.Commit, "time", v.Time)
	}
	if v.Changed {
		commit += ", " + l.text("program.changed_since")
	}
	s := NewScreen(l, 8)
	fmt.Fprintf(s, "concilia %s\n", v.Version)
	s.AddLine("program.commit", commit)
	s.AddText("program.built", "program.built_for", "go", v.Go, "system", v.OS+"/"+v.Arch)
	s.AddText("program.ledger", "program.schema", "n", v.Schema)
	for _, m := range KeyModules() {
		if version := v.Modules[m[0]]; version != "" {
			fmt.Fprintf(s, "%-8s %s\n", m[0], version)
		}
	}
	return s.Print(w)
}
