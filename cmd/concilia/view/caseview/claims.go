package caseview

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// Claim is a claim on one line; absent parts are empty.
type Claim struct {
	Account     ledger.Account      `json:"account"`
	Case        string              `json:"case"`
	Code        string              `json:"code"`
	Subject     string              `json:"subject"`
	Sentence    string              `json:"sentence"`
	ClaimedOn   ledger.Date         `json:"claimed_on"`
	Reference   string              `json:"reference"`
	Claimed     view.Amount         `json:"claimed"`
	FollowUp    ledger.Date         `json:"follow_up"`
	Letter      string              `json:"letter"`
	Answer      ledger.Reply        `json:"answer"`
	AnsweredOn  ledger.Date         `json:"answered_on"`
	Recovered   view.Amount         `json:"recovered"`
	RecoveredOn ledger.Date         `json:"recovered_on"`
	GivenUp     view.Amount         `json:"given_up"`
	Open        view.Amount         `json:"open"`
	State       casework.ClaimState `json:"claim_state"`
}

// Claims is a list of claims with their sums, as text: JSON has a line each.
type Claims struct {
	All      []Claim
	Language string
}

// ClaimsOf is the list of claims.
func ClaimsOf(claims []casework.Claim, lang string) *Claims {
	out := &Claims{Language: lang}
	for i := range claims {
		c := &claims[i]
		f := &c.Finding
		out.All = append(out.All, Claim{
			f.Account, f.Case, f.Code, f.Subject, c.Sentence, c.ClaimedOn, c.Reference, view.Amount(c.Claimed), c.FollowUp, c.Letter, c.Answer, c.AnsweredOn,
			view.Amount(c.Recovered), c.RecoveredOn, view.Amount(c.GivenUp), view.Amount(c.Open), c.State,
		})
	}
	return out
}

// ClaimSums are the sums of claims: what was claimed is what was recovered, is open and was given up together.
type ClaimSums struct{ Claimed, Recovered, Open, GivenUp ledger.Amount }

// Sums adds the claims up.
func (v *Claims) Sums() (s ClaimSums) {
	for i := range v.All {
		c := &v.All[i]
		s.Claimed, s.Recovered = s.Claimed+ledger.Amount(c.Claimed), s.Recovered+ledger.Amount(c.Recovered)
		s.GivenUp, s.Open = s.GivenUp+ledger.Amount(c.GivenUp), s.Open+ledger.Amount(c.Open)
	}
	return s
}

// RecoveredMonth is what came back in a month.
type RecoveredMonth struct {
	Month  ledger.Date
	Amount ledger.Amount
}

// RecoveredByMonth is what came back, latest month first, by the day of the run that found the last of a claim gone.
func (v *Claims) RecoveredByMonth() []RecoveredMonth {
	sums := map[ledger.Date]ledger.Amount{}
	for i := range v.All {
		if c := &v.All[i]; c.RecoveredOn != 0 {
			sums[c.RecoveredOn.MonthStart()] += ledger.Amount(c.Recovered)
		}
	}
	var out []RecoveredMonth
	for _, month := range slices.Backward(slices.Sorted(maps.Keys(sums))) {
		out = append(out, RecoveredMonth{month, sums[month]})
	}
	return out
}

// DueBy are the claims that nothing has come of yet and that were to be asked about again by a day, the earliest first.
func (v *Claims) DueBy(day ledger.Date) []Claim {
	var out []Claim
	for i := range v.All {
		if c := &v.All[i]; c.FollowUp != 0 && c.FollowUp <= day && c.Open != 0 && (c.State == casework.ClaimClaimed || c.State == casework.ClaimAnswered) {
			out = append(out, *c)
		}
	}
	slices.SortStableFunc(out, func(a, b Claim) int { return cmp.Compare(a.FollowUp, b.FollowUp) })
	return out
}

// WriteText writes a line for each claim, and the sums.
func (v *Claims) WriteText(w io.Writer, _ view.Language) error {
	text := func(id string, values ...any) string { return words.Text(v.Language, id, values...) }
	spell := func(s string) string { return catalogue.Spell(s, v.Language) }
	sums := v.Sums()
	var b strings.Builder
	t := view.NewTable(&b, 5, 6, 7, 8)
	t.AppendHeader(table.Row{
		text("claim_list.account"), text("claim_list.claimed_on"), text("claim_list.reference"), text("claim_list.state"), text("claim_list.claimed"), text("claim_list.recovered"),
		text("claim_list.open"), text("claim_list.given_up"), text("claim_list.follow_up"), text("claim_list.answer"), text("claim_list.case"), text("claim_list.sentence"),
	})
	for i := range v.All {
		c := &v.All[i]
		amount := func(a view.Amount) string { return spell(ledger.Amount(a).String()) }
		t.AppendRow(table.Row{
			c.Account, spell(c.ClaimedOn.String()), c.Reference, words.Label(v.Language, "claim_state", string(c.State)), amount(c.Claimed), amount(c.Recovered),
			amount(c.Open), amount(c.GivenUp), spell(c.FollowUp.String()), words.Label(v.Language, "claim_reply", string(c.Answer)), c.Case, c.Sentence,
		})
	}
	if len(v.All) > 0 {
		t.Render()
	}
	b.WriteString(text("claim_list.sums", "n", len(v.All), "claimed", spell(sums.Claimed.String()), "recovered", spell(sums.Recovered.String()),
		"open", spell(sums.Open.String()), "given_up", spell(sums.GivenUp.String())) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}
