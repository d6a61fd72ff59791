package jobstest

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/journal"
	"concilia/export/verify"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/setpublish"
	"concilia/store/books"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/sqldb"
)

// Retornos are what the files of the movement say, over all nights.
type Retornos struct {
	Events  map[string]string   // to the file
	Numbers map[string][]string // NSA by account
	Said    map[string]int      // movements 02, 03, 09 and payments by title, to how often
	Titles  int
	records map[string]string // account, NSA, lote and record, to the movement and the title that are there
	placed  map[string]string // the same as the tables of events have it
}

// readMovement reads every file of the movement below a folder, as an ERP would.
func readMovement(t *testing.T, root string) Retornos {
	t.Helper()
	out := Retornos{
		Events: map[string]string{}, Numbers: map[string][]string{}, Said: map[string]int{}, records: map[string]string{}, placed: map[string]string{},
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() || !strings.Contains(path, "/movement/"):
		case strings.HasSuffix(path, ".ret"):
			out.readRetorno(t, path)
		case strings.HasSuffix(path, ".csv") && strings.Contains(d.Name(), "-events_"):
			out.readEvents(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// readRetorno reads the columns that an ERP matches on. Verify has read the file strictly.
func (o *Retornos) readRetorno(t *testing.T, path string) {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(path)
	account, nsa := strings.Split(name, "_")[1], ""
	for line := range strings.Lines(string(body)) {
		place := fmt.Sprint(account, " ", nsa, " ", line[3:7], " ", line[8:13])
		if line[7] == '3' && line[13] == 'T' {
			o.records[place] = line[15:17] + " " + line[37:57]
		} else if line[7] == '3' && line[13] == 'Y' {
			o.records[place] = "Y50 " + line[39:59]
		}
		switch {
		case line[7] == '0':
			nsa = line[157:163]
			o.Numbers[account] = append(o.Numbers[account], nsa)
		case line[7] == '3' && line[13] == 'T':
			o.Titles++
			movement := line[15:17]
			if movement == "17" {
				movement = "06"
			}
			o.Said[strings.Split(name, "_")[0]+" "+line[37:57]+" "+movement]++
		}
	}
}

func (o *Retornos) readEvents(t *testing.T, path string) {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, id := range rows[0] {
		column[id] = i
	}
	for _, row := range rows[1:] {
		if first := o.Events[row[2]]; first != "" {
			t.Errorf("event %s of %s is in %s and in %s", row[2], row[4], first, filepath.Base(path))
		}
		o.Events[row[2]] = filepath.Base(path)
		if movement := row[column["movement"]]; movement != "" && row[column["nsa"]] != "" {
			place := fmt.Sprintf("%s %06s %04s %05s", row[0], row[column["nsa"]], row[column["lote"]], row[column["record"]])
			o.placed[place] = fmt.Sprintf("%s %020s", movement, row[column["title_number"]])
		}
	}
}

// BookJournal makes what the journal of a worker's accounts lacks by a method: the entries of sets that were cut without it.
func BookJournal(t *testing.T, w *jobs.Worker, m bookkeeping.Method) {
	t.Helper()
	p := &setpublish.Publisher{Ledger: w.Ledger, Journal: &jobs.JournalSettings{Chart: &journal.Chart{Method: m}}}
	for _, a := range w.Accounts {
		if err := p.BookCuts(t.Context(), a.Number); err != nil {
			t.Fatal(err)
		}
	}
}

// TieJournal holds the journal of an account by a method against what reports of a period say: nothing is left. It returns the ties.
func TieJournal(t *testing.T, w *jobs.Worker, a ledger.Account, m bookkeeping.Method, p ledger.Period) []books.Tie {
	t.Helper()
	j, err := w.Ledger.ReadJournal(t.Context(), a, m, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	ties, err := j.Ties(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range ties {
		if rest := ties[i].Residual(); rest != 0 {
			t.Errorf("account %s, %s, %s: %s leaves %s: %+v", a, p, m, ties[i].Item, rest.Fixed(2), ties[i].Lines)
		}
	}
	return ties
}

// CheckTold compares the files of the movement below a folder with the ledger: each event is in one file, at the record of the EDI file that its
// table names, the events add up to the current state, and a title has one entry, one rejection, one write-off and one payment at most.
func CheckTold(t *testing.T, w *jobs.Worker, root string) Retornos {
	t.Helper()
	out := readMovement(t, root)
	for what, n := range out.Said {
		if movement := what[len(what)-2:]; n > 1 && movement != "28" && movement != "14" {
			t.Errorf("%s is said %d times", what, n)
		}
	}
	events := 0
	for _, a := range w.Accounts {
		if err := w.Ledger.CheckMovement(t.Context(), a.Number, ReportFault(t)); err != nil {
			t.Fatal(err)
		}
		cuts, err := w.Ledger.Cuts(t.Context(), a.Number)
		if err != nil {
			t.Fatal(err)
		}
		for i := range cuts {
			c := &cuts[i]
			events += int(c.Events)
			if c.TakenBack {
				continue // the rows of its run are lost
			}
			sent, err := w.Ledger.SentSums(t.Context(), c.Account, c.Source, c.Set)
			if err != nil {
				t.Fatal(err)
			}
			states, err := w.Ledger.MovementSums(t.Context(), c.Account, c.Source, c.ToRun)
			if err != nil {
				t.Fatal(err)
			}
			kept, err := w.Ledger.KeptMovementSums(t.Context(), c.Account, c.Source, c.ToRun)
			if err != nil {
				t.Fatal(err)
			}
			if sent != states || kept != states {
				t.Errorf("%s, account %s, set %d: events add up to %+v, rows to %+v, kept days to %+v", c.Source, c.Account, c.Set, sent, states, kept)
			}
		}
	}
	for account, numbers := range out.Numbers {
		slices.Sort(numbers)
		for i, n := range numbers {
			if n != fmt.Sprintf("%06d", i+1) {
				t.Errorf("account %s: file %d has NSA %s", account, i+1, n)
			}
		}
	}
	if diff := cmp.Diff(out.placed, out.records); diff != "" {
		t.Errorf("where the tables say that events stand (-) and what stands there (+):\n%s", diff)
	}
	if events != len(out.Events) {
		t.Errorf("%d events in files, %d in the ledger", len(out.Events), events)
	}
	found, err := verify.CheckTree(t.Context(), root, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Faults {
		t.Errorf("verify: %s", f)
	}
	return out
}

// HashMovement are the hashes of what ERPs read of the movement: the other files name the run.
func HashMovement(t *testing.T, root string) map[string]string {
	t.Helper()
	all := HashFiles(t, root)
	for name := range all {
		base := filepath.Base(name)
		if !strings.Contains(name, "movement/") || strings.HasPrefix(base, "control_") || strings.HasPrefix(base, "set_") {
			delete(all, name)
		}
	}
	return all
}

// Unstaged is the progress of a night whose staging folder is taken away when it comes to the movement, so that a set is cut and has no
// files.
type Unstaged struct {
	jobs.Silent
	Place string // of the archive
}

// Step takes the folder away.
func (u Unstaged) Step(name string, _ int) {
	if name != "movement" {
		return
	}
	folders, _ := filepath.Glob(filepath.Join(u.Place, ".*"))
	for _, f := range folders {
		_ = os.RemoveAll(f)
	}
}

// ReportFault is what takes the faults of a check of the ledger in a test: each fails it.
func ReportFault(t *testing.T) sqldb.AddFault {
	return func(fault words.Message) { t.Error(fault) }
}
