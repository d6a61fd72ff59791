package view

import (
	"fmt"
	"io"

	"concilia/store"
)

// Verification is what verify found about published files.
type Verification struct {
	ActsChecked bool `json:"acts_checked"`
	// DigestsComputed are the sets whose content digest was computed again from the ledger's rows, HashesOnly those in other layouts.
	DigestsComputed int `json:"digests_computed"`
	HashesOnly      int `json:"hashes_only"`

	EndsCompared int      `json:"ends_compared"`
	Faults       []string `json:"faults"`
	Files        int      `json:"files"`
	// Forgotten are the sets that show payers of whom one was forgotten since, held by hash alone.
	Forgotten    int    `json:"forgotten"`
	Foreign      int    `json:"foreign"` // sets of other ledgers, which were not compared
	More         int    `json:"more"`    // faults that are not listed
	Path         string `json:"path"`
	Sets         int    `json:"sets"`
	SetsCompared int    `json:"sets_compared"`
	Signed       int    `json:"signed"`     // sets with a signature by the key that was given
	Unfinished   int    `json:"unfinished"` // sets that the ledger does not know, of a run that has not ended
	Waiting      int    `json:"waiting"`    // sets that are published and not delivered yet

	ActFaults int `json:"-"` // how many of Faults are of the log of acts
}

// WriteText writes the faults, and below them the verdict.
func (v *Verification) WriteText(w io.Writer) error {
	writeFaults(w, v.Faults, v.More)
	verdict := "all as published"
	if len(v.Faults) > 0 {
		verdict = countOf(int64(len(v.Faults)+v.More), "fault")
	}
	if v.Signed > 0 {
		verdict += "; " + Plural(v.Signed, "set is", "sets are") + " signed with the key"
	}
	if v.ActsChecked {
		verdict += fmt.Sprintf("; log of acts: %s, held against %s; %s held against the ledger", countOf(int64(v.ActFaults), "fault"),
			countOf(int64(v.EndsCompared), "published end"), countOf(int64(v.SetsCompared), "set"))
		if v.DigestsComputed > 0 {
			verdict += ", " + countOf(int64(v.DigestsComputed), "content digest") + " computed again"
		}
		if v.HashesOnly > 0 {
			verdict += "; " + Plural(v.HashesOnly, "set is", "sets are") + " in another layout, held by hash alone"
		}
		if v.Forgotten > 0 {
			verdict += "; " + Plural(v.Forgotten, "set shows", "sets show") + " payers of whom one was forgotten since (evidence forget), held by hash alone"
		}
		if v.Foreign > 0 {
			verdict += "; " + Plural(v.Foreign, "set is", "sets are") + " of another ledger and not compared"
		}
		if v.Unfinished > 0 {
			verdict += "; " + Plural(v.Unfinished, "set is", "sets are") + " of a run that has not ended"
		}
	}
	if v.Waiting > 0 {
		verdict += "; " + Plural(v.Waiting, "set waits", "sets wait") + " for delivery"
	}
	_, err := fmt.Fprintf(w, "%s: %s, %s: %s\n", v.Path, countOf(int64(v.Sets), "set"), countOf(int64(v.Files), "file"), verdict)
	return err
}

// ArchiveVerification is what verify found in an archive.
type ArchiveVerification struct {
	Faults []string `json:"faults"`
	Files  int      `json:"files"`
	More   int      `json:"more"` // faults that are not listed
	Path   string   `json:"path"`
	Sets   int      `json:"sets"`
}

// WriteText writes the faults, and below them the verdict.
func (v *ArchiveVerification) WriteText(w io.Writer) error {
	writeFaults(w, v.Faults, v.More)
	verdict := "all as archived"
	if len(v.Faults) > 0 {
		verdict = countOf(int64(len(v.Faults)+v.More), "fault")
	}
	_, err := fmt.Fprintf(w, "archive %s: %s, %s: %s\n", v.Path, countOf(int64(v.Sets), "set"), countOf(int64(v.Files), "file"), verdict)
	return err
}

func writeFaults(w io.Writer, faults []string, more int) {
	for _, f := range faults {
		fmt.Fprintf(w, "fault: %s\n", Escape(f))
	}
	if more > 0 {
		fmt.Fprintf(w, "and %s\n", countOf(int64(more), "more fault"))
	}
}

// LedgerCheck is what ledger check found.
type LedgerCheck struct {
	Archived int      `json:"archived"`   // files that the archive has to have
	Lines    int64    `json:"bank_lines"` // of statements of banks
	Bodies   int64    `json:"bodies"`
	Cases    int64    `json:"cases"`
	Faults   []string `json:"faults"`
	More     int      `json:"more"` // faults that are not listed
	Pulls    int64    `json:"pulls"`
	Versions int64    `json:"versions"`
}

// LedgerCheckOf is what a check of the ledger, and of its archived files, found.
func LedgerCheckOf(r *store.CheckReport, archived int) *LedgerCheck {
	return &LedgerCheck{
		Archived: archived,
		Versions: r.Versions, Cases: r.Cases, Pulls: r.Pulls, Lines: r.Lines, Bodies: r.Bodies, Faults: append([]string{}, r.Faults...), More: r.More,
	}
}

// WriteText writes the faults, and below them the verdict.
func (v *LedgerCheck) WriteText(w io.Writer) error {
	writeFaults(w, v.Faults, v.More)
	verdict := "all as it was kept"
	if len(v.Faults) > 0 {
		verdict = countOf(int64(len(v.Faults)+v.More), "fault")
	}
	lines := ""
	if v.Lines > 0 {
		lines = ", " + countOf(v.Lines, "bank line")
	}
	_, err := fmt.Fprintf(w, "ledger: %s, %s, %s, %s, %s%s: %s\n", countOf(v.Versions, "version"), countOf(v.Cases, "case"), countOf(v.Pulls, "pull"),
		Plural(int(v.Bodies), "body", "bodies"), countOf(int64(v.Archived), "archived file"), lines, verdict)
	return err
}
