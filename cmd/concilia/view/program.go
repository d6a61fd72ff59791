package view

import (
	"fmt"
	"io"
	"time"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// ConfigCheck is a configuration without faults.
type ConfigCheck struct {
	Hash     string   `json:"hash"`
	OK       bool     `json:"ok"` // always: a fault is an error
	Warnings []string `json:"warnings"`

	Path     string `json:"-"`
	Accounts int    `json:"-"`
}

// WriteText writes the warnings, and how many accounts there are.
func (v *ConfigCheck) WriteText(w io.Writer) error {
	for _, warning := range v.Warnings {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	_, err := fmt.Fprintf(w, "%s: nothing wrong (%s)\n", v.Path, countOf(int64(v.Accounts), "account"))
	return err
}

// ConfigExample is a configuration with every key.
type ConfigExample struct {
	Text string `json:"example"`
}

// WriteText writes the file.
func (v ConfigExample) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, v.Text)
	return err
}

// Migration is the change of the ledger's schema.
type Migration struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// WriteText writes it on one line.
func (v Migration) WriteText(w io.Writer) error {
	if v.From == v.To {
		_, err := fmt.Fprintf(w, "schema %d: nothing to do\n", v.To)
		return err
	}
	_, err := fmt.Fprintf(w, "schema %d, was %d\n", v.To, v.From)
	return err
}

// LedgerBackup is a copy of the ledger.
type LedgerBackup struct {
	Bytes int64  `json:"bytes"`
	Path  string `json:"path"`

	Took time.Duration `json:"-"`
}

// WriteText writes it on one line.
func (v LedgerBackup) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %d bytes, checked, in %s\n", v.Path, v.Bytes, v.Took.Round(time.Millisecond))
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
func (v *LedgerPrune) WriteText(w io.Writer) error {
	verb, took := "deleted", fmt.Sprintf(", in %s", v.Took)
	if v.DryRun {
		verb, took = "would be deleted", ""
	}
	_, err := fmt.Fprintf(w, "before %s: %s, %s, %s, %s %s%s\n", v.Before, countOf(v.Pulls, "pull"), countOf(v.Units, "unit"),
		Plural(int(v.Tallies), "tally", "tallies"), countOf(v.Alerts, "alert"), verb, took)
	return err
}

// ManualPages are the manual pages that were written.
type ManualPages struct {
	Pages []string `json:"pages"`

	Dir string `json:"-"`
}

// WriteText writes how many they are.
func (v ManualPages) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d pages in %s\n", len(v.Pages), v.Dir)
	return err
}

// ServiceAnswer is what the service answered, in its words.
type ServiceAnswer struct {
	Message string `json:"message"`
}

// WriteText writes the words.
func (v ServiceAnswer) WriteText(w io.Writer) error {
	message := v.Message
	if message == "" {
		message = "done"
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
func (v *Inspection) WriteText(io.Writer) error { return nil }

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
func (v *BuildFacts) WriteText(w io.Writer) error {
	commit := v.Commit
	if commit == "" {
		commit = "unknown"
	} else {
		commit += " of " + v.Time
	}
	if v.Changed {
		commit += ", changed since"
	}
	_, err := fmt.Fprintf(w, "concilia %s\ncommit   %s\nbuilt    %s for %s/%s\nledger   schema %d\n", v.Version, commit, v.Go, v.OS, v.Arch, v.Schema)
	for _, m := range KeyModules() {
		if version := v.Modules[m[0]]; version != "" && err == nil {
			_, err = fmt.Fprintf(w, "%-8s %s\n", m[0], version)
		}
	}
	return err
}
