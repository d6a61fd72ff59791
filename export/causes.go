package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"concilia/export/html"
	"concilia/store/ledger"
)

// Root is a case that nothing else explains and that has an impact: what a page counts its causes from.
type Root struct {
	Case, Code, Subject string
	Impact              ledger.Amount     // positive: the merchant lost or waits for it; never 0
	Exposed             bool              // late, blocked or uncertain rather than lost
	Age                 ledger.Opt[int64] // business days since it opened; none while it is pending
}

// RootFeed is the part of a Feed that pages are made from.
type RootFeed interface {
	// Roots yields, as of the run, the root cases of the set's accounts that stand and have an impact: pending ones too,
	// those that are resolved, closed or in shadow not. It may yield cases of other periods: the set takes those of its rows.
	Roots(ctx context.Context, yield func(*Root) error) error
	// RootSums is what the ledger says of these cases, or of all that Roots yields when cases is nil, each rounded to
	// cents: Rows, those with a positive impact; lost, exposed and excess in ten-thousandths; excess_count.
	RootSums(ctx context.Context, cases []string) (Sums, error)
}

// CauseWords are what people read instead of a code: the code in plain words, who takes the next step, and the step; the
// last two are empty of a rule that no money is claimed by.
type CauseWords struct{ Title, Owner, Next string }

// causes adds up the roots of a set by code.
type causes struct {
	words   map[string]CauseWords
	waiting *rootShelf // of a period set, until their rows pass
	taken   takenCases // of a period set
	state   bool       // every root is the set's

	byCode                map[causeKey]*causeSum
	lost, exposed, excess ledger.Amount // printed
	count, excessCount    int64
}

type causeKey struct {
	code   string
	gained bool
}

type causeSum struct {
	cases           int64
	amount, exposed ledger.Amount
	ages            [html.Ages]ledger.Amount
}

// readRoots asks for the roots when a page is asked for. A state set takes them all; in a period each waits for its row.
func (r *rendering) readRoots(ctx context.Context) error {
	if !r.job.wants(HTML) {
		return nil
	}
	c := &causes{
		words: r.job.Words, waiting: newRootShelf(r.job.rootsHeld, r.path), byCode: make(map[causeKey]*causeSum),
		state: r.job.Basis == ByAsOf,
	}
	c.taken = takenCases{limit: c.waiting.limit, path: r.path("roots-taken")}
	r.causes = c
	err := r.feed.Roots(ctx, func(root *Root) error {
		if c.state {
			return c.take(root)
		}
		subject := root.Subject
		if body, ok := strings.CutPrefix(subject, "split:"); ok {
			subject = "card:" + cutParts(body, 3)
		}
		return c.waiting.add(subject, root)
	})
	if err != nil {
		return fmt.Errorf("root cases: %w", err)
	}
	return nil
}

// pass takes the roots of the subject.
func (c *causes) pass(subject string) error { return c.waiting.pass(subject, c.takePassed) }

// settle takes what could not be held until its row passed. It comes when every row has.
func (c *causes) settle() error {
	if c == nil {
		return nil
	}
	return c.waiting.settle(c.takePassed)
}

func (c *causes) takePassed(root *Root) error {
	if err := c.taken.add(root.Case); err != nil {
		return err
	}
	return c.take(root)
}

func (c *causes) close() error {
	if c == nil {
		return nil
	}
	return errors.Join(c.waiting.close(), c.taken.rest.close())
}

// passCard takes the roots of an installment and its splits, and those of its sale with its first row that passes.
func (c *causes) passCard(v *ledger.InstallmentVersion) error {
	if c == nil || c.waiting.empty() {
		return nil
	}
	if err := c.pass(v.Key().Subject()); err != nil {
		return err
	}
	return c.pass(v.Sale().Subject())
}

func (c *causes) passSlip(s *ledger.Slip) error {
	if c == nil || c.waiting.empty() {
		return nil
	}
	return c.pass(s.Subject())
}

// ageGroups are the last business day of the groups of html.Ages after the pending ones; the last group has no end.
var ageGroups = [...]int64{5, 10, 30}

// take adds a root, rounded to cents here.
func (c *causes) take(root *Root) error {
	printed := root.Impact.Rounded(ledger.HalfAwayFromZero)
	key := causeKey{root.Code, root.Impact < 0}
	sum := c.byCode[key]
	if sum == nil {
		sum = &causeSum{}
		c.byCode[key] = sum
	}
	total, n := &c.lost, &c.count
	switch {
	case key.gained:
		printed, total, n = -printed, &c.excess, &c.excessCount
	case root.Exposed:
		total = &c.exposed
		sum.exposed += printed
	}
	whole, err := total.Add(printed)
	if err != nil {
		return fmt.Errorf("case %s: %w", root.Case, err)
	}
	*total = whole
	*n++
	sum.cases++
	sum.amount += printed
	group := 0
	if root.Age.OK {
		for group = 1; group-1 < len(ageGroups) && root.Age.V > ageGroups[group-1]; {
			group++
		}
	}
	sum.ages[group] += printed
	return nil
}

// list is what a page shows, largest first.
func (c *causes) list(gained bool) []html.Cause {
	var out []html.Cause
	for _, key := range slices.SortedFunc(maps.Keys(c.byCode), func(a, b causeKey) int { return cmp.Compare(a.code, b.code) }) {
		if key.gained != gained {
			continue
		}
		sum, words := c.byCode[key], c.words[key.code]
		out = append(out, html.Cause{
			Code: key.code, Title: cmp.Or(words.Title, key.code), Amount: sum.amount, Cases: sum.cases,
			Exposed: sum.exposed > sum.amount-sum.exposed, Owner: words.Owner, Next: words.Next, Ages: sum.ages,
		})
	}
	slices.SortStableFunc(out, func(a, b html.Cause) int { return cmp.Compare(b.Amount, a.Amount) })
	return out
}

// causeMeasures are the figures of the causes, in the order that control lists them.
var causeMeasures = [...]string{"count", "missing", "lost", "exposed", "excess", "excess_count"}

// figures are those of the causes by writer and ledger, in ten-thousandths.
func (c *causes) figures(file string, sql Sums) []Figure {
	writer := map[string]int64{
		"count": c.count * 10_000, "missing": int64(c.lost + c.exposed), "lost": int64(c.lost), "exposed": int64(c.exposed),
		"excess": int64(c.excess), "excess_count": c.excessCount * 10_000,
	}
	known := map[string]int64{
		"count": sql.Rows * 10_000, "missing": sql.Columns["lost"] + sql.Columns["exposed"], "lost": sql.Columns["lost"],
		"exposed": sql.Columns["exposed"], "excess": sql.Columns["excess"], "excess_count": sql.Columns["excess_count"] * 10_000,
	}
	var out []Figure
	for _, m := range causeMeasures {
		unit := unitBRL
		if strings.HasSuffix(m, "count") {
			unit = unitCount
		}
		out = append(out, Figure{File: file, Measure: m, Unit: unit, Ledger: ledger.Some(known[m]), Writer: writer[m]})
	}
	return out
}

// rootSums is what the ledger says of the roots that the set took: of a state set of all there are.
func (r *rendering) rootSums(ctx context.Context) (Sums, error) {
	if r.causes.state {
		return r.feed.RootSums(ctx, nil)
	}
	out := Sums{Columns: make(map[string]int64)}
	err := r.causes.taken.each(func(cases []string) error {
		s, err := r.feed.RootSums(ctx, cases)
		out.Rows += s.Rows
		for column, v := range s.Columns {
			out.Columns[column] += v
		}
		return err
	})
	return out, err
}

// missing is the first screen's figures. They rest on what the set shows: of a side that is withheld nothing is told, and
// of none at all it is not known.
func (r *rendering) missing() html.Missing {
	c := r.causes
	sides := map[string]bool{"cards": r.sideAsked("cards"), "slips": r.sideAsked("slips") || r.beside != nil}
	if c.state {
		told := r.job.has(ExceptionsKind) || r.job.has(AgingKind)
		sides["cards"], sides["slips"] = told, told
	}
	m := html.Missing{
		Total: c.lost + c.exposed, Lost: c.lost, Exposed: c.exposed, Excess: c.excess, Cases: c.count, ExcessCases: c.excessCount,
		Causes: c.list(false), Gained: c.list(true),
	}
	switch {
	case !sides["cards"] && !sides["slips"]:
		return html.Missing{Unknown: true, Note: r.words("o que diria isso não foi publicado", "what would say so is not published")}
	case !sides["slips"]:
		m.Note = r.words("só cartões", "cards alone")
	case !sides["cards"]:
		m.Note = r.words("só boletos", "slips alone")
	case r.beside != nil:
		m.Note = r.besideNote()
	}
	return m
}
