package match_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
	"concilia/store/ledger/ledgertest"
)

// The short names of values in these tests.
var (
	reais = ledgertest.Reais
)

func newCalendar(t testing.TB) *calendar.Calendar {
	t.Helper()
	c, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func november(day int) ledger.Date { return ledger.NewDate(2026, 11, day) }

// card is an item of cards, as "04 1001 visa credit 97.11"; slip one of slips, as "09 1001 slips a 150.00".
func items(texts ...string) (all []match.Item) {
	for _, text := range texts {
		var day, account int
		var brand, what, amount string
		if _, err := fmt.Sscanf(text, "%d %d %s %s %s", &day, &account, &brand, &what, &amount); err != nil {
			panic(text + ": " + err.Error())
		}
		it := match.Item{Day: november(day), Account: ledger.Account(account), Brand: brand, Product: what, Count: 1, Amount: reais(amount)}
		if brand == match.SlipBrand {
			it.Product, it.Slip = "", what
		}
		all = append(all, it)
	}
	return all
}

// lines are written as "04 357.98", or "04 357.98 visa".
func lines(texts ...string) (all []match.Line) {
	count := map[string]int{}
	for _, text := range texts {
		f := strings.Fields(text)
		day, err := strconv.Atoi(f[0])
		if err != nil {
			panic(err)
		}
		count[text]++
		l := match.Line{Key: fmt.Sprintf("%s %s~%d", f[0], f[1], count[text]), Day: november(day), Amount: reais(f[1])}
		if len(f) > 2 {
			l.Brand = f[2]
		}
		all = append(all, l)
	}
	return all
}

func declared(name, amount string) match.Debit {
	return match.Debit{Key: name, Name: name, Account: 1001, Amount: reais(amount), Usable: ledger.Period{From: november(1), To: november(30)}}
}

// fourth are the items of 4 November in the examples, 357.98 together.
var fourth = []string{"04 1001 visa credit 97.11", "04 1001 visa credit 48.50", "04 1001 mastercard credit 212.37"}

// tell writes a result as lines such as "pass 1: 2026-11-04 357.98 = 04 357.98~1, credited".
func tell(r *match.Result, asOf ledger.Date, c *calendar.Calendar) (out []string) {
	rows := r.Rows(match.Asked{Grace: 1, AsOf: asOf, Calendar: c, IsSettled: func(p ledger.Period) bool { return p.To < asOf }})
	for i := range rows {
		x := &rows[i]
		var groups, lines []string
		for _, g := range x.Groups {
			groups = append(groups, r.Groups[g].Key+" "+r.Groups[g].Amount.Fixed(2))
		}
		for _, d := range x.DebitsOf {
			groups = append(groups, "less "+r.Debits[d].Key+" "+r.Debits[d].Amount.Fixed(2))
		}
		for _, l := range x.Lines {
			lines = append(lines, r.Lines[l].Key)
		}
		text := strings.TrimSpace(strings.Join(groups, " + ") + " = " + strings.Join(lines, " + "))
		if x.Pass > 0 {
			text = fmt.Sprintf("pass %d: %s", x.Pass, text)
		}
		text += ", " + string(x.Status)
		if x.Status == match.Differs || x.Status == match.Returned {
			text += " " + x.Difference().Fixed(2)
		}
		out = append(out, strings.ReplaceAll(text, "2026-11-", ""))
	}
	for i := range r.Lines {
		if names := r.Ambiguous[i]; names != nil {
			out = append(out, "ambiguous: "+r.Lines[i].Key+" of "+strings.ReplaceAll(strings.Join(names, ", "), "2026-11-", ""))
		}
	}
	return out
}

// TestWorkedExamples: November 2026, of which Monday 2 and Friday 20 are holidays.
func TestWorkedExamples(t *testing.T) {
	t.Parallel()
	c := newCalendar(t)
	rental := []match.Debit{declared("rental", "119.80")}
	for _, x := range []struct {
		does  string
		items []string
		in    match.Input
		lines []string
		asOf  int // 18 where it is 0
		want  []string
	}{
		{
			does: "the day comes as one credit", items: fourth, lines: []string{"04 357.98"},
			want: []string{"pass 1: 04 357.98 = 04 357.98~1, credited"},
		},
		{
			does: "a credit for each brand, as declared", items: fourth, in: match.Input{Grain: match.Brand}, lines: []string{"04 145.61", "04 212.37"},
			want: []string{"pass 1: 04:visa 145.61 = 04 145.61~1, credited", "pass 1: 04:mastercard 212.37 = 04 212.37~1, credited"},
		},
		{
			does: "a credit for each brand where one for the day was declared", items: fourth, lines: []string{"04 145.61", "04 212.37"},
			want: []string{"pass 2: 04 357.98 = 04 145.61~1 + 04 212.37~1, credited"},
		},
		{
			does: "one brand's credit does not come", items: fourth, in: match.Input{Grain: match.Brand}, lines: []string{"04 212.37"},
			want: []string{"pass 1: 04:mastercard 212.37 = 04 212.37~1, credited", "04:visa 145.61 =, missing"},
		},
		{
			does: "two shops in one credit", items: append(slices.Clone(fourth), "04 1002 visa credit 120.02"), lines: []string{"04 478.00"},
			want: []string{"pass 1: 04 478.00 = 04 478.00~1, credited"},
		},
		{
			does: "two shops in one credit where each was to have its own", items: append(slices.Clone(fourth), "04 1002 visa credit 120.02"),
			in: match.Input{PerAccount: true}, lines: []string{"04 478.00"},
			want: []string{"pass 2: 04:1002 120.02 + 04:1001 357.98 = 04 478.00~1, credited"},
		},
		{
			does: "the rental of two terminals is kept from the credit", items: fourth, in: match.Input{Debits: rental}, lines: []string{"04 238.18"},
			want: []string{"pass 6: 04 357.98 + less rental 119.80 = 04 238.18~1, credited"},
		},
		{
			does: "37.20 less than expected", items: fourth, lines: []string{"04 320.78"},
			want: []string{"pass 8: 04 357.98 = 04 320.78~1, differs 37.20"},
		},
		{
			does: "the credit is split in two", items: fourth, lines: []string{"04 200.00", "04 157.98"},
			want: []string{"pass 3: 04 357.98 = 04 157.98~1 + 04 200.00~1, credited"},
		},
		{
			does: "a holiday moves one credit, the other is a day late", items: []string{"20 1001 visa credit 84.15", "19 1001 visa credit 61.40"},
			lines: []string{"23 84.15", "23 61.40"}, asOf: 25,
			want: []string{"pass 4: 20 84.15 = 23 84.15~1, credited", "pass 4: 19 61.40 = 23 61.40~1, credited"},
		},
		{
			does: "the bank takes the credit back", items: fourth, lines: []string{"04 357.98", "05 -357.98"}, asOf: 6,
			want: []string{"pass 1: 04 357.98 = 04 357.98~1 + 05 -357.98~1, returned 357.98"},
		},
		{
			does: "and it comes again", items: fourth, lines: []string{"04 357.98", "05 -357.98", "09 357.98"}, asOf: 10,
			want: []string{"pass 1: 04 357.98 = 04 357.98~1 + 05 -357.98~1 + 09 357.98~1, credited"},
		},
		{
			does: "a foreign credit equals what visa's items come to", items: fourth, lines: []string{"04 357.98", "04 145.61"},
			want: []string{"pass 1: 04 357.98 = 04 357.98~1, credited", "= 04 145.61~1, unexpected"},
		},
		{does: "a credit may still come on its day after", items: fourth, asOf: 5, want: []string{"04 357.98 =, waiting"}},
		{does: "a credit did not come", items: fourth, asOf: 6, want: []string{"04 357.98 =, missing"}},
		{does: "it came two days late", items: fourth, lines: []string{"06 357.98"}, asOf: 9, want: []string{"pass 4: 04 357.98 = 06 357.98~1, credited"}},
		{
			does: "it came later than is waited for", items: fourth, lines: []string{"12 357.98"},
			want: []string{"04 357.98 =, missing", "= 12 357.98~1, unexpected"},
		},
		{
			does: "slips less a tariff that is 0.40 too high", items: []string{"09 1001 slips a 147.50", "09 1001 slips b 317.50", "09 1001 slips c 325.29"}, lines: []string{"09 789.09"},
			want: []string{"pass 8: 09 790.29 = 09 789.09~1, differs 1.20"},
		},
		{
			does: "three equal slips and two equal credits", items: []string{"05 1001 slips a 50.00", "05 1001 slips b 50.00", "05 1001 slips c 50.00"},
			in: match.Input{Grain: match.Slip}, lines: []string{"05 50.00", "05 50.00"},
			want: []string{
				"pass 1: 05:slip:a 50.00 = 05 50.00~1, credited", "pass 1: 05:slip:b 50.00 = 05 50.00~2, credited", "05:slip:c 50.00 =, missing",
				"ambiguous: 05 50.00~1 of 05:slip:a, 05:slip:b, 05:slip:c", "ambiguous: 05 50.00~2 of 05:slip:a, 05:slip:b, 05:slip:c",
			},
		},
		{
			does:  "the month of the bridge",
			items: append(slices.Clone(fourth), "05 1001 visa credit 100.00", "06 1001 visa credit 250.00", "17 1001 visa credit 84.15"),
			in:    match.Input{Debits: rental}, lines: []string{"04 238.18", "05 62.80", "09 145.61", "10 -12.00"}, asOf: 17,
			want: []string{
				"pass 6: 04 357.98 + less rental 119.80 = 04 238.18~1, credited", "pass 8: 05 100.00 = 05 62.80~1, differs 37.20",
				"06 250.00 =, missing", "17 84.15 =, waiting", "= 09 145.61~1, unexpected", "= 10 -12.00~1, debit",
			},
		},
		{
			does: "a line that names its brand is that brand's", items: []string{"04 1001 visa credit 50.00", "04 1001 elo credit 50.00"},
			in: match.Input{Grain: match.Brand}, lines: []string{"04 50.00 elo"},
			want: []string{"pass 1: 04:elo 50.00 = 04 50.00~1, credited", "04:visa 50.00 =, missing"},
		},
		{
			does: "two groups of equal amount late, one credit: nobody guesses whose", items: []string{"04 1001 visa credit 50.00", "04 1001 elo credit 50.00"},
			in: match.Input{Grain: match.Brand}, lines: []string{"05 50.00"},
			want: []string{"04:elo 50.00 =, missing", "04:visa 50.00 =, missing", "= 05 50.00~1, unexpected", "ambiguous: 05 50.00~1 of 04:elo, 04:visa"},
		},
		{
			does: "two days in one credit", items: []string{"04 1001 visa credit 50.00", "05 1001 visa credit 70.00"}, lines: []string{"05 120.00"},
			want: []string{"pass 5: 04 50.00 + 05 70.00 = 05 120.00~1, credited"},
		},
		{
			does: "the rental is a line of its own", items: fourth, in: match.Input{Debits: rental}, lines: []string{"04 357.98", "10 -119.80"},
			want: []string{"pass 1: 04 357.98 = 04 357.98~1, credited", "pass 7: less rental 119.80 = 10 -119.80~1, debit"},
		},
		{
			does: "a rental that would explain two days explains none", items: []string{"04 1001 visa credit 357.98", "05 1001 visa credit 200.00"},
			in: match.Input{Debits: []match.Debit{declared("rental", "119.80")}}, lines: []string{"04 238.18", "05 80.20"},
			want: []string{
				"pass 8: 04 357.98 = 04 238.18~1, differs 119.80", "05 200.00 =, missing", "= 05 80.20~1, unexpected", "ambiguous: 05 80.20~1 of 05",
			},
		},
	} {
		if x.asOf == 0 {
			x.asOf = 18
		}
		if x.in.Grain == "" {
			x.in.Grain = match.Day
		}
		x.in.Items, x.in.Lines, x.in.Shift, x.in.Calendar = items(x.items...), lines(x.lines...), 5, c
		r := match.Run(x.in)
		if d := cmp.Diff(x.want, tell(r, november(x.asOf), c)); d != "" {
			t.Errorf("%s:\n%s", x.does, d)
		}
	}
}

// TestCreditsThatComeToAGroup: a missing group names the credits left of its day that add up to it, if there is
// only one way. It is no match.
func TestCreditsThatComeToAGroup(t *testing.T) {
	t.Parallel()
	c := newCalendar(t)
	for _, tt := range []struct {
		name    string
		lines   []string
		want    string
		several bool
	}{
		{"three of four", []string{"04 100.00", "04 110.00", "04 147.98", "04 20.00"}, "04 100.00~1, 04 110.00~1, 04 147.98~1", false},
		{"in two ways", []string{"04 100.00", "04 110.00", "04 147.98", "04 110.00"}, "", true},
		{"none", []string{"04 100.00", "04 110.00", "04 147.97", "04 20.00"}, "", false},
		{"too many to tell from chance", []string{"04 100.00", "04 110.00", "04 147.98", "04 1.00", "04 2.00", "04 3.00", "04 4.00"}, "", false},
	} {
		r := match.Run(match.Input{Items: items(fourth...), Grain: match.Day, Lines: lines(tt.lines...), Calendar: c})
		rows := r.Rows(match.Asked{Grace: 1, AsOf: november(18), Calendar: c, IsSettled: func(ledger.Period) bool { return true }})
		if rows[0].Status != match.Missing {
			t.Fatalf("%s: %+v", tt.name, rows[0])
		}
		e := r.Explain(&rows[0])
		var names []string
		for _, i := range e.Credits {
			names = append(names, r.Lines[i].Key)
		}
		if got := strings.Join(names, ", "); got != tt.want || e.Several != tt.several || e.Credit < 0 {
			t.Errorf("%s: %q, several %t, want %q", tt.name, got, e.Several, tt.want)
		}
	}
}
