package export

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"

	"concilia/export/cnab"
	"concilia/export/edi"
	"concilia/export/report"
	"concilia/store/ledger"
)

// A statement is a movement account of what the service settled, in EDI and on basis credit alone: no bank account, and
// no payouts (cnab240 6.5). It has no table; its entries are worked out twice from the same rows, once for the digest
// that decides whether anything is written, once for the file.

// StatementTerms is what a statement needs besides its rows.
type StatementTerms struct {
	// Net posts a slip less its tariff, one entry instead of two.
	Net bool
	// Opening is what the statements before this one showed, whole cents; negative is a debit balance.
	Opening ledger.Amount
	// OpeningFrom says where that is from, for control.
	OpeningFrom string
	// Earlier are the standing statements of the account before this one, as their marks tell.
	Earlier []EarlierStatement
}

// Table names the table whose sums the ledger answers for a statement of these terms.
func (t StatementTerms) Table() string {
	if t.Net {
		return "statement-net"
	}
	return "statement"
}

// EarlierStatement is a standing statement: what it closed with, and the digest of its entries.
type EarlierStatement struct {
	Set     string
	Period  ledger.Period
	Closing ledger.Amount
	Digest  string
}

// The marks by which a statement is known later. They are compared by nobody but EarlierStatementOf.
const (
	fingerprintEntries = "statement:entries"
	fingerprintClosing = "statement:closing"
)

// EarlierStatementOf is the statement that the marks of a set tell of, and whether they tell of one.
func EarlierStatementOf(set string, p ledger.Period, marks map[string]string) (EarlierStatement, bool) {
	closing, err := ledger.ParseAmount(marks[fingerprintClosing])
	return EarlierStatement{Set: set, Period: p, Closing: closing, Digest: marks[fingerprintEntries]}, err == nil && marks[fingerprintEntries] != ""
}

// statement is a statement on its way through a rendering.
type statement struct {
	digest  string // of its entries
	entries int64
	closing ledger.Amount
	changed []string // sets of earlier statements whose days are others now
}

// entrySums count and add up the entries of a statement.
type entrySums struct {
	entries         int64
	credits, debits ledger.Amount
}

func (s *entrySums) addEntry(e *cnab.Entry) {
	s.entries++
	if e.Debit {
		s.debits += e.Amount
	} else {
		s.credits += e.Amount
	}
}

// digestStatement passes over what was credited without writing: in the set's period, and in those of the earlier
// statements.
func (r *rendering) digestStatement(ctx context.Context) error {
	if !r.job.hasEDI(report.StatementKind) {
		return nil
	}
	terms := &r.job.Statement
	now, sums, err := r.digestEntries(ctx, r.job.Period)
	if err != nil {
		return err
	}
	s := &statement{digest: now.digestOfPeriod(r.job.Period), entries: sums.entries, closing: terms.Opening + sums.credits - sums.debits}
	r.statement = s
	if len(terms.Earlier) == 0 {
		return nil
	}
	from := terms.Earlier[0].Period.From
	for _, e := range terms.Earlier {
		from = min(from, e.Period.From)
	}
	then, _, err := r.digestEntries(ctx, ledger.Period{From: from, To: r.job.Period.From - 1})
	if err != nil {
		return err
	}
	for _, e := range terms.Earlier {
		if then.digestOfPeriod(e.Period) != e.Digest {
			s.changed = append(s.changed, e.Set)
		}
	}
	return nil
}

// dayDigests are running hashes of the entries of each day, cards and slips apart, so that the two need not be merged.
type dayDigests [2]map[ledger.Date]hash.Hash

func (d *dayDigests) addEntry(side int, e *cnab.Entry) {
	if d[side] == nil {
		d[side] = make(map[ledger.Date]hash.Hash)
	}
	h := d[side][e.Booked]
	if h == nil {
		h = sha256.New()
		d[side][e.Booked] = h
	}
	fmt.Fprintf(h, "%t %d %q %q %q\n", e.Debit, int64(e.Amount), e.Category, e.Text, e.Document)
}

// digestOfPeriod is the digest of the days of a period that have entries.
func (d *dayDigests) digestOfPeriod(p ledger.Period) string {
	h := sha256.New()
	for side := range d {
		for _, day := range slices.Sorted(maps.Keys(d[side])) {
			if p.Contains(day) {
				fmt.Fprintf(h, "%d %s %x\n", side, day, d[side][day].Sum(nil))
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// digestEntries digests and adds up the entries of a period.
func (r *rendering) digestEntries(ctx context.Context, p ledger.Period) (*dayDigests, entrySums, error) {
	d, sums := &dayDigests{}, entrySums{}
	err := r.forEachCardEntry(ctx, p, func(e cnab.Entry) error {
		d.addEntry(0, &e)
		sums.addEntry(&e)
		return nil
	})
	if err != nil {
		return nil, sums, err
	}
	err = r.forEachSlipEntry(ctx, p, func(e cnab.Entry) error {
		d.addEntry(1, &e)
		sums.addEntry(&e)
		return nil
	})
	return d, sums, err
}

// forEachCardEntry hands on the entries of installments, in order of date and subject. It keeps those of one date in memory.
func (r *rendering) forEachCardEntry(ctx context.Context, p ledger.Period, yield func(cnab.Entry) error) error {
	type keyed struct {
		subject string
		entry   cnab.Entry
	}
	var day []keyed
	flush := func() error {
		slices.SortFunc(day, func(a, b keyed) int { return cmp.Compare(a.subject, b.subject) })
		for _, k := range day {
			if err := yield(k.entry); err != nil {
				return fmt.Errorf("%s: %w", k.subject, err)
			}
		}
		day = day[:0]
		return nil
	}
	err := r.source.CreditedCards(ctx, p, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		subject := v.Key().Subject()
		if e == nil {
			return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", subject)
		}
		if len(day) > 0 && day[0].entry.Booked != v.Effective {
			if err := flush(); err != nil {
				return err
			}
		}
		if entry, ok := edi.CardEntry(v, e); ok {
			day = append(day, keyed{subject, entry})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// forEachSlipEntry hands on the entries of slips, in order of date and subject.
func (r *rendering) forEachSlipEntry(ctx context.Context, p ledger.Period, yield func(cnab.Entry) error) error {
	return r.source.CreditedSlips(ctx, p, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
		if e == nil {
			return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", s.Subject())
		}
		for _, entry := range edi.SlipEntries(s, e, r.job.Statement.Net) {
			if err := yield(entry); err != nil {
				return fmt.Errorf("%s: %w", s.Subject(), err)
			}
		}
		return nil
	})
}
