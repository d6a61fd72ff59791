package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/rules/assumptions"
)

func newCalibrate(g *globals) *cobra.Command {
	var write string
	cmd := &cobra.Command{
		Use:   "calibrate [--write FILE]",
		Short: "choose between readings of undocumented members, from the ledger",
		Long: fmt.Sprintf(`calibrate tests every candidate reading of what the interface document leaves open against the rows of the
ledger, over all configured accounts. It does not call the service. Only rows for which the candidates give different
values count.

A reading is decided if it is right on at least %d %% of the rows that distinguish it from each other candidate, if there
are at least %d such rows, and if the other candidate is right on at least %d percentage points fewer of them. Otherwise,
and when accounts contradict each other, the reading is left as it is. The unit of rates is decided first; readings that
depend on it are measured with that unit.

Below the readings is what the first nights measured about the date ranges of the lists: whether the first and the last
day asked for are included in the answer.

calibrate changes nothing by itself: --write creates a profile file with the decided readings and those in force that
differ from the defaults, and the next run uses the file if profile names it in the configuration. An existing file with
other content is never overwritten.

Exit status: 0 every reading with rows to decide it is decided; 10 at least one is not; 2 usage, or FILE exists; 40
configuration; 50 the ledger is unreachable; 130 interrupted.`, assumptions.EnoughHits, assumptions.EnoughRows, assumptions.ClearMargin),
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.calibrate(cmd.Context(), write) },
	}
	cmd.Flags().StringVar(&write, "write", "", "write a profile file to `FILE`, which must not exist")
	return cmd
}

func (g *globals) calibrate(ctx context.Context, write string) error {
	w, done, err := g.wire(ctx, wantKept)
	if err != nil {
		return err
	}
	defer done()
	c, err := w.Calibrate(ctx)
	if err != nil {
		return err
	}
	if write != "" {
		if err := writeProfile(write, profileFile(c)); err != nil {
			return err
		}
	}
	if g.json {
		err = json.NewEncoder(g.stdout).Encode(calibrationOf(c, write))
	} else {
		err = g.printCalibration(c, write)
	}
	if err != nil {
		return err
	}
	if c.Undecided() {
		return codeError(jobs.ExitWarnings)
	}
	return nil
}

// printCalibration prints a line per candidate, and under the table what was refused and why.
func (g *globals) printCalibration(c *jobs.CalibrationResult, write string) error {
	t := newTable(g.stdout)
	t.AppendHeader(table.Row{"reading", "candidate", "rows that tell", "hits", "rate", "in force", "verdict"})
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 3, Align: text.AlignRight}, {Number: 4, Align: text.AlignRight}, {Number: 5, Align: text.AlignRight},
	})
	appendAnswers(t, "", c.Answers)
	for i := range c.Answers {
		if strings.HasPrefix(c.Answers[i].Why, jobs.AccountsDisagree) {
			for _, a := range c.Accounts {
				appendAnswers(t, a.Account.String()+" ", a.Answers[i:i+1])
			}
		}
	}
	t.Render()
	for i := range c.Answers {
		if a := &c.Answers[i]; a.Why != "" {
			for k, key := range a.Keys {
				if a.Verdicts[k] == assumptions.Undecided {
					fmt.Fprintf(g.stdout, "%s stays %s: %s\n", key, a.InForce[k], a.Why)
				}
			}
		}
	}
	for _, e := range c.Ends {
		fmt.Fprintf(g.stdout, "ends of %s: the first day is in the answers of %d of %d wider windows that tell, the last in %d of %d\n",
			e.Source, e.First.Shown, e.First.Decisive, e.Last.Shown, e.Last.Decisive)
	}
	if write == "" {
		return nil
	}
	_, err := fmt.Fprintf(g.stdout, "wrote %s: name it in the configuration under profile\n", write)
	return err
}

// appendAnswers adds the candidates of each answer; before stands before the name of the reading.
func appendAnswers(t table.Writer, before string, answers []assumptions.Answer) {
	for i := range answers {
		a := &answers[i]
		name := before + keysOf(a)
		for _, f := range a.Fits {
			inForce, verdict := "", ""
			if f.Value == strings.Join(a.InForce, ", ") {
				inForce = "yes"
			}
			if f.Value == strings.Join(a.Values, ", ") {
				verdict = verdictOf(a)
			}
			t.AppendRow(table.Row{name, f.Value, a.Rows, f.Hits, rateOf(f.Hits, a.Rows), inForce, verdict})
			name = ""
		}
	}
}

// keysOf names a reading by its keys: anticipation.formula, base.
func keysOf(a *assumptions.Answer) string {
	name := string(a.Keys[0])
	for _, k := range a.Keys[1:] {
		_, inner, _ := strings.Cut(string(k), ".")
		name += ", " + inner
	}
	return name
}

// verdictOf is one word where all keys of a reading came to the same.
func verdictOf(a *assumptions.Answer) string {
	words := make([]string, len(a.Verdicts))
	for i, v := range a.Verdicts {
		words[i] = string(v)
	}
	return strings.Join(slices.Compact(words), ", ")
}

// rateOf prints a share in percent, cut to a tenth, so that 100.0 % is all.
func rateOf(hits, rows int64) string {
	if rows == 0 {
		return "-"
	}
	const thousand = 1000
	share := hits * thousand / rows
	return fmt.Sprintf("%d.%d %%", share/10, share%10)
}

// profileFile is the profile with what was decided, and how sure that is.
func profileFile(c *jobs.CalibrationResult) []byte {
	var keys []agreements.ProfileKey
	notes := map[agreements.ProfileKey]string{}
	for i := range c.Answers {
		a := &c.Answers[i]
		chosen := slices.IndexFunc(a.Fits, func(f assumptions.Fit) bool { return f.Value == strings.Join(a.Values, ", ") })
		for k, key := range a.Keys {
			notes[key] = "in force, not decided by the ledger"
			if a.Verdicts[k].Decided() {
				keys = append(keys, key)
				notes[key] = string(a.Verdicts[k])
			}
			if a.Verdicts[k].Decided() && chosen >= 0 {
				notes[key] = fmt.Sprintf("%s: fits %d of %d rows that tell", a.Verdicts[k], a.Fits[chosen].Hits, a.Rows)
			}
		}
	}
	return c.Profile.RenderFile(keys, func(k agreements.ProfileKey) string { return notes[k] })
}

// writeProfile makes the file, whole or not at all. One that says the same already is left as it is, one that says
// something else is somebody's.
func writeProfile(path string, data []byte) error {
	taken := func() error {
		have, err := os.ReadFile(path)
		if err == nil && bytes.Equal(have, data) {
			return nil
		}
		return usage("name another file, or move that one away", "--write %s: it exists and says something else", path)
	}
	if _, err := os.Lstat(path); err == nil {
		return taken()
	}
	failed := func(err error) error {
		return usage("name a file in a folder that can be written to", "--write %s: %v", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".profile-*")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return failed(err)
	}
	// A link, unlike a rename, never takes the place of what another process put there meanwhile.
	switch err := os.Link(f.Name(), path); {
	case errors.Is(err, fs.ErrExist):
		return taken()
	case err != nil:
		return failed(err)
	}
	return nil
}

// calibration is calibrate --json.
type calibration struct {
	Readings []readingJSON `json:"readings"`
	Accounts []accountJSON `json:"accounts"`
	Sales    int64         `json:"sales"`
	Slips    int64         `json:"slips"`
	Ends     []endsJSON    `json:"ends,omitempty"`
	Written  string        `json:"written,omitempty"`
}

// endsJSON is how many wider windows tell of each end of a list, and in how many of them its day is.
type endsJSON struct {
	Source     string `json:"source"`
	FirstTell  int    `json:"first_tell"`
	FirstShown int    `json:"first_shown"`
	LastTell   int    `json:"last_tell"`
	LastShown  int    `json:"last_shown"`
}

type accountJSON struct {
	Account  int64         `json:"account"`
	Readings []readingJSON `json:"readings"`
}

type readingJSON struct {
	Keys       []keyJSON       `json:"keys"`
	Rows       int64           `json:"rows"`
	Candidates []candidateJSON `json:"candidates"`
	Why        string          `json:"why,omitempty"`
}

type keyJSON struct {
	Key     string `json:"key"`
	InForce string `json:"in_force"`
	Value   string `json:"value"`
	Verdict string `json:"verdict"`
}

type candidateJSON struct {
	Value string `json:"value"`
	Hits  int64  `json:"hits"`
}

func calibrationOf(c *jobs.CalibrationResult, write string) calibration {
	out := calibration{Readings: readingsJSON(c.Answers), Sales: c.Sales, Slips: c.Slips, Written: write}
	for _, e := range c.Ends {
		out.Ends = append(out.Ends, endsJSON{string(e.Source), e.First.Decisive, e.First.Shown, e.Last.Decisive, e.Last.Shown})
	}
	for _, a := range c.Accounts {
		out.Accounts = append(out.Accounts, accountJSON{int64(a.Account), readingsJSON(a.Answers)})
	}
	return out
}

func readingsJSON(answers []assumptions.Answer) []readingJSON {
	var out []readingJSON
	for i := range answers {
		a := &answers[i]
		r := readingJSON{Rows: a.Rows, Why: a.Why}
		for k, key := range a.Keys {
			r.Keys = append(r.Keys, keyJSON{string(key), a.InForce[k], a.Values[k], string(a.Verdicts[k])})
		}
		for _, f := range a.Fits {
			r.Candidates = append(r.Candidates, candidateJSON(f))
		}
		out = append(out, r)
	}
	return out
}
