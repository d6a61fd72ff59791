package view

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/jobs/bank"
	"concilia/jobs/evaluate"
	"concilia/jobs/rules/assumptions"
	"concilia/store/ledger"
)

// Calibration is how well the candidate interpretations of undocumented members fit the ledger.
type Calibration struct {
	Readings []Reading            `json:"readings"`
	Accounts []AccountCalibration `json:"accounts"`
	Sales    int64                `json:"sales"`
	Slips    int64                `json:"slips"`
	Ends     []WindowEnds         `json:"ends,omitempty"`
	Banks    []BankReading        `json:"banks,omitempty"`
	Written  string               `json:"written,omitempty"` // the profile file that was made
}

// BankReading is one key of a payer of a bank account that is measured: what each value matches at best, by day and cents.
type BankReading struct {
	Bank       string              `json:"bank"`
	Payer      string              `json:"payer"`
	Key        string              `json:"key"`
	InForce    string              `json:"in_force"`
	Value      string              `json:"value"`
	Verdict    assumptions.Verdict `json:"verdict"`
	Days       int                 `json:"days"` // on which the value matches something
	Candidates []BankCandidate     `json:"candidates"`
}

// BankCandidate is a value and the reais that it matches.
type BankCandidate struct {
	Value   string `json:"value"`
	Matched string `json:"matched"`
}

// WindowEnds counts, for each end of a list, the wider windows that show whether its day is included, and those that include it.
type WindowEnds struct {
	Source     ledger.Source `json:"source"`
	FirstTell  int           `json:"first_tell"`
	FirstShown int           `json:"first_shown"`
	LastTell   int           `json:"last_tell"`
	LastShown  int           `json:"last_shown"`
}

// AccountCalibration is the same of one account.
type AccountCalibration struct {
	Account  ledger.Account `json:"account"`
	Readings []Reading      `json:"readings"`
}

// Reading is an interpretation of one or more members with its candidates.
type Reading struct {
	Keys       []ReadingKey    `json:"keys"`
	Rows       int64           `json:"rows"` // for which the candidates give different values
	Candidates []CandidateHits `json:"candidates"`
	Why        string          `json:"why,omitempty"` // it is not decided
}

// ReadingKey is a key of the profile.
type ReadingKey struct {
	Key     string              `json:"key"`
	InForce string              `json:"in_force"`
	Value   string              `json:"value"`
	Verdict assumptions.Verdict `json:"verdict"`
}

// CandidateHits is for how many rows a candidate is right.
type CandidateHits struct {
	Value string `json:"value"`
	Hits  int64  `json:"hits"`
}

// CalibrationOf is what a calibration found; written names the profile file that was made, empty for none.
func CalibrationOf(c *evaluate.CalibrationResult, written string) *Calibration {
	out := &Calibration{Readings: readingsOf(c.Answers), Sales: c.Sales, Slips: c.Slips, Written: written}
	for _, e := range c.Ends {
		out.Ends = append(out.Ends, WindowEnds{e.Source, e.First.Decisive, e.First.Shown, e.Last.Decisive, e.Last.Shown})
	}
	for i := range c.Banks {
		out.Banks = append(out.Banks, bankReadingOf(&c.Banks[i]))
	}
	for _, a := range c.Accounts {
		out.Accounts = append(out.Accounts, AccountCalibration{a.Account, readingsOf(a.Answers)})
	}
	return out
}

func bankReadingOf(k *bank.MeasuredKey) BankReading {
	out := BankReading{Bank: k.Bank, Payer: k.Payer, Key: string(k.Key), InForce: k.InForce, Value: k.Value, Verdict: assumptions.Undecided, Days: k.Days}
	switch {
	case k.Decided && k.Value == k.InForce:
		out.Verdict = assumptions.Confirmed
	case k.Decided:
		out.Verdict = assumptions.Better
	case k.Days == 0:
		out.Verdict = assumptions.NoRows
	}
	for _, v := range k.Values {
		out.Candidates = append(out.Candidates, BankCandidate{v.Value, v.Matched.Fixed(2)})
	}
	return out
}

func readingsOf(answers []assumptions.Answer) []Reading {
	var out []Reading
	for i := range answers {
		a := &answers[i]
		r := Reading{Rows: a.Rows, Why: a.Why}
		for k, key := range a.Keys {
			r.Keys = append(r.Keys, ReadingKey{string(key), a.InForce[k], a.Values[k], a.Verdicts[k]})
		}
		for _, f := range a.Fits {
			r.Candidates = append(r.Candidates, CandidateHits(f))
		}
		out = append(out, r)
	}
	return out
}

// WriteText writes a line for each candidate, and under the table what was not decided and why.
func (v *Calibration) WriteText(w io.Writer, l Language) error {
	t := NewTable(w, 3, 4, 5)
	t.AppendHeader(l.HeadRow("calibration.reading", "calibration.candidate", "calibration.rows", "calibration.hits", "calibration.rate", "calibration.in_force", "calibration.verdict"))
	for i := range v.Readings {
		v.Readings[i].appendTo(t, "", l)
	}
	for i := range v.Readings {
		if strings.HasPrefix(v.Readings[i].Why, evaluate.AccountsDisagree) {
			for _, a := range v.Accounts {
				a.Readings[i].appendTo(t, a.Account.String()+" ", l)
			}
		}
	}
	t.Render()
	v.writeBanks(w, l)
	for i := range v.Readings {
		if r := &v.Readings[i]; r.Why != "" {
			for _, k := range r.Keys {
				if k.Verdict == assumptions.Undecided {
					fmt.Fprintln(w, l.text("calibration.stays", "key", k.Key, "value", k.InForce)+describeUndecided(l, r.Why))
				}
			}
		}
	}
	for _, e := range v.Ends {
		fmt.Fprintln(w, l.text("calibration.ends", "list", l.label("source", string(e.Source)), "first", e.FirstShown, "of_first", e.FirstTell, "last", e.LastShown, "of_last", e.LastTell))
	}
	if v.Written == "" {
		return nil
	}
	_, err := fmt.Fprintln(w, l.text("calibration.wrote", "path", v.Written))
	return err
}

// writeBanks writes a line for each value of what is measured of payers.
func (v *Calibration) writeBanks(w io.Writer, l Language) {
	if len(v.Banks) == 0 {
		return
	}
	t := NewTable(w, 3, 4)
	t.AppendHeader(l.HeadRow("calibration.payer", "calibration.candidate", "calibration.days", "calibration.matched", "calibration.in_force", "calibration.verdict"))
	for i := range v.Banks {
		b := &v.Banks[i]
		name := b.Bank + " " + b.Payer + " " + b.Key
		for _, c := range b.Candidates {
			isInForce, verdict, days := "", "", ""
			if c.Value == b.InForce {
				isInForce = l.text("command.yes")
			}
			if c.Value == b.Value {
				verdict, days = l.label("calibration_verdict", string(b.Verdict)), fmt.Sprint(b.Days)
			}
			t.AppendRow(table.Row{name, c.Value, days, c.Matched, isInForce, verdict})
			name = ""
		}
	}
	t.Render()
}

// appendTo adds the candidates; before precedes the name of the reading.
func (r *Reading) appendTo(t table.Writer, before string, l Language) {
	var inForce, values, verdicts []string
	for _, k := range r.Keys {
		inForce, values, verdicts = append(inForce, k.InForce), append(values, k.Value), append(verdicts, l.label("calibration_verdict", string(k.Verdict)))
	}
	name := before + r.describeReading()
	for _, c := range r.Candidates {
		isInForce, verdict := "", ""
		if c.Value == strings.Join(inForce, ", ") {
			isInForce = l.text("command.yes")
		}
		if c.Value == strings.Join(values, ", ") {
			verdict = strings.Join(slices.Compact(verdicts), ", ") // one word where all keys came to the same
		}
		t.AppendRow(table.Row{name, c.Value, r.Rows, c.Hits, formatShare(l, c.Hits, r.Rows), isInForce, verdict})
		name = ""
	}
}

// describeReading is the reading by its keys: anticipation.formula, base.
func (r *Reading) describeReading() string {
	name := r.Keys[0].Key
	for _, k := range r.Keys[1:] {
		_, inner, _ := strings.Cut(k.Key, ".")
		name += ", " + inner
	}
	return name
}

// describeUndecided is why a reading was not decided; the reason names candidates, and is kept in English.
func describeUndecided(l Language, why string) string {
	if l == Portuguese {
		return ""
	}
	return ": " + why
}

// formatShare prints a share in percent, cut to a tenth, so that 100.0 % is all.
func formatShare(l Language, hits, rows int64) string {
	if rows == 0 {
		return "-"
	}
	const thousand = 1000
	share := hits * thousand / rows
	if l == Portuguese {
		return fmt.Sprintf("%d,%d%%", share/10, share%10)
	}
	return fmt.Sprintf("%d.%d %%", share/10, share%10)
}
