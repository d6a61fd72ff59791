package view

import (
	"fmt"
	"io"
	"strings"

	"concilia/export/words"
	"concilia/store"
)

// Verification is what verify found about published files.
type Verification struct {
	ActsChecked bool `json:"acts_checked"`
	// ChainsCompared are the sets whose manifests say where the ledger's chains ended, as they still do.
	ChainsCompared int `json:"chains_compared"`
	// DigestsComputed are the sets whose content digest was computed again from the ledger's rows, HashesOnly those in other layouts.
	DigestsComputed int `json:"digests_computed"`
	HashesOnly      int `json:"hashes_only"`

	EndsCompared int             `json:"ends_compared"`
	Faults       []words.Message `json:"faults"`
	Files        int             `json:"files"`
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
func (v *Verification) WriteText(w io.Writer, l Language) error {
	writeFaults(w, v.Faults, v.More, l)
	verdict := []string{countFaults(l, v.Faults, v.More, "verify.all_as_published")}
	add := func(n int, thing string) {
		if n > 0 {
			verdict = append(verdict, l.Count(int64(n), thing))
		}
	}
	add(v.Signed, "signed_set")
	if v.ActsChecked {
		acts := l.text("verify.acts", "faults", l.Count(int64(v.ActFaults), "fault"), "ends", l.Count(int64(v.EndsCompared), "published_end"),
			"sets", l.Count(int64(v.SetsCompared), "compared_set"))
		if v.DigestsComputed > 0 {
			acts += ", " + l.Count(int64(v.DigestsComputed), "digest_computed")
		}
		if v.ChainsCompared > 0 {
			acts += ", " + l.Count(int64(v.ChainsCompared), "chain_compared")
		}
		verdict = append(verdict, acts)
		add(v.HashesOnly, "set_by_hash")
		add(v.Forgotten, "set_with_forgotten")
		add(v.Foreign, "foreign_set")
		add(v.Unfinished, "unfinished_set")
	}
	add(v.Waiting, "waiting_set")
	_, err := fmt.Fprintf(w, "%s: %s, %s: %s\n", v.Path, l.Count(int64(v.Sets), "set"), l.Count(int64(v.Files), "file"), strings.Join(verdict, "; "))
	return err
}

// ArchiveVerification is what verify found in an archive.
type ArchiveVerification struct {
	Faults []words.Message `json:"faults"`
	Files  int             `json:"files"`
	More   int             `json:"more"` // faults that are not listed
	Path   string          `json:"path"`
	Sets   int             `json:"sets"`
}

// WriteText writes the faults, and below them the verdict.
func (v *ArchiveVerification) WriteText(w io.Writer, l Language) error {
	writeFaults(w, v.Faults, v.More, l)
	_, err := fmt.Fprintln(w, l.text("verify.archive", "path", v.Path, "sets", l.Count(int64(v.Sets), "set"), "files", l.Count(int64(v.Files), "file"),
		"verdict", countFaults(l, v.Faults, v.More, "verify.all_as_archived")))
	return err
}

// writeFaults writes what is wrong.
func writeFaults(w io.Writer, faults []words.Message, more int, l Language) {
	for _, f := range faults {
		fmt.Fprintf(w, "%s: %s\n", l.text("verify.fault"), Escape(f.In(string(l))))
	}
	if more > 0 {
		fmt.Fprintln(w, l.Count(int64(more), "more_fault"))
	}
}

// LedgerCheck is what ledger check found.
type LedgerCheck struct {
	Archived int             `json:"archived"`   // files that the archive has to have
	Lines    int64           `json:"bank_lines"` // of statements of banks
	Bodies   int64           `json:"bodies"`
	Cases    int64           `json:"cases"`
	Faults   []words.Message `json:"faults"`
	More     int             `json:"more"` // faults that are not listed
	Pulls    int64           `json:"pulls"`
	Versions int64           `json:"versions"`
}

// LedgerCheckOf is what a check of the ledger, and of its archived files, found.
func LedgerCheckOf(r *store.CheckReport, archived int) *LedgerCheck {
	return &LedgerCheck{
		Archived: archived,
		Versions: r.Versions, Cases: r.Cases, Pulls: r.Pulls, Lines: r.Lines, Bodies: r.Bodies, Faults: append([]words.Message{}, r.Faults...), More: r.More,
	}
}

// WriteText writes the faults, and below them the verdict.
func (v *LedgerCheck) WriteText(w io.Writer, l Language) error {
	writeFaults(w, v.Faults, v.More, l)
	lines := ""
	if v.Lines > 0 {
		lines = ", " + l.Count(v.Lines, "bank_line")
	}
	_, err := fmt.Fprintf(w, "%s: %s, %s, %s, %s, %s%s: %s\n", l.text("verify.ledger"), l.Count(v.Versions, "version"), l.Count(v.Cases, "case"), l.Count(v.Pulls, "pull"),
		l.Count(v.Bodies, "body"), l.Count(int64(v.Archived), "archived_file"), lines, countFaults(l, v.Faults, v.More, "verify.all_as_kept"))
	return err
}

// countFaults is how many faults there are, or the text that says that there is none.
func countFaults(l Language, faults []words.Message, more int, noneID string) string {
	if len(faults) == 0 {
		return l.text(noneID)
	}
	return l.Count(int64(len(faults)+more), "fault")
}
