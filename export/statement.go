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
	markEntries = "statement:entries"
	markClosing = "statement:closing"
)

// EarlierStatementOf is the statement that the marks of a set tell of, and whether they tell of one.
func EarlierStatementOf(set string, p ledger.Period, marks map[string]string) (EarlierStatement, bool) {
	closing, err := ledger.ParseAmount(marks[markClosing])
	return EarlierStatement{Set: set, Period: p, Closing: closing, Digest: marks[markEntries]}, err == nil && marks[markEntries] != ""
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

func (s *entrySums) add(e *cnab.Entry) {
	s.entries++
	if e.Debit {
		s.debits += e.Amount
	} else {
		s.credits += e.Amount
	}
}

// statementDigest passes over what was credited without writing: in the set's period, and in those of the earlier
// statements.
func (r *rendering) statementDigest(ctx context.Context) error {
	if !r.job.edi(report.StatementKind) {
		return nil
	}
	terms := &r.job.Statement
	now, sums, err := r.entryDays(ctx, r.job.Period)
	if err != nil {
		return err
	}
	s := &statement{digest: now.of(r.job.Period), entries: sums.entries, closing: terms.Opening + sums.credits - sums.debits}
	r.statement = s
	if len(terms.Earlier) == 0 {
		return nil
	}
	from := terms.Earlier[0].Period.From
	for _, e := range terms.Earlier {
		from = min(from, e.Period.From)
	}
	then, _, err := r.entryDays(ctx, ledger.Period{From: from, To: r.job.Period.From - 1})
	if err != nil {
		return err
	}
	for _, e := range terms.Earlier {
		if then.of(e.Period) != e.Digest {
			s.changed = append(s.changed, e.Set)
		}
	}
	return nil
}

// days are running hashes of the entries of each day, cards and slips apart, so that the two need not be merged.
type days [2]map[ledger.Date]hash.Hash

func (d *days) add(side int, e *cnab.Entry) {
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

// of is the digest of the days of a period that have entries.
func (d *days) of(p ledger.Period) string {
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

// entryDays digests and adds up the entries of a period.
func (r *rendering) entryDays(ctx context.Context, p ledger.Period) (*days, entrySums, error) {
	d, sums := &days{}, entrySums{}
	err := r.cardEntries(ctx, p, func(e cnab.Entry) error {
		d.add(0, &e)
		sums.add(&e)
		return nil
	})
	if err != nil {
		return nil, sums, err
	}
	err = r.slipEntries(ctx, p, func(e cnab.Entry) error {
		d.add(1, &e)
		sums.add(&e)
		return nil
	})
	return d, sums, err
}

// cardEntries hands on the entries of installments, in order of date and subject. It keeps those of one date in memory.
func (r *rendering) cardEntries(ctx context.Context, p ledger.Period, yield func(cnab.Entry) error) error {
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
	err := r.feed.CreditedCards(ctx, p, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
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

// slipEntries hands on the entries of slips, in order of date and subject.
func (r *rendering) slipEntries(ctx context.Context, p ledger.Period, yield func(cnab.Entry) error) error {
	return r.feed.CreditedSlips(ctx, p, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
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
