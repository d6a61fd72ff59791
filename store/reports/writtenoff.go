package reports

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// GivenUp calls fn for each claim that a person gave up by closing its case, as of a run: what a settled installment was paid short,
// while the case that owns it is closed.
func (l *RowReader) GivenUp(ctx context.Context, a ledger.Account, run string, netOfSplits bool, fn func(*bookkeeping.Booking) error) error {
	d, cost := l.db.Dialect, "0"
	if netOfSplits {
		cost = "COALESCE((SELECT SUM(" + sqldb.CentsOf(d.IntMember("x", "value")) + ") FROM " + d.UnnestJSON("i.splits", "x") + "), 0)"
	}
	err := sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		code := f.NextText()
		b := &bookkeeping.Booking{Type: bookkeeping.EntryClaimWrittenOff, On: f.NextDate()}
		k := ledger.InstallmentKey{SaleKey: ledger.SaleKey{Account: a, Day: f.NextDate(), NSU: f.NextText(), Auth: f.NextText()}}
		k.Number, k.Occurrence = int(f.NextInt()), int(f.NextInt())
		b.Version = int(f.NextInt())
		count, claim := f.NextInt(), ledger.Amount(f.NextInt())
		b.Brand, b.Product = f.NextText(), ledger.Product(f.NextText())
		stored := ledger.StoredExpectation{Lines: f.NextText()}
		brackets, err := stored.Brackets()
		if f.Err() != nil || err != nil || claim <= 0 || !ownsReceipt(brackets, code) {
			return errors.Join(f.Err(), err)
		}
		b.Subject = k.Subject()
		b.Title, b.Named = b.Subject, strings.TrimSpace(fmt.Sprintf("%s %d/%d NSU %s", b.Brand, k.Number, max(count, 1), k.NSU))
		b.Lines = []bookkeeping.EntryLine{{Role: bookkeeping.RoleLoss, Amount: claim}, {Role: bookkeeping.RoleClaims, Amount: -claim}}
		return fn(b)
	}, `
		SELECT
			v.code,
			v.as_of,
			i.sale_day,
			i.nsu,
			i.auth,
			i.number,
			i.occurrence,
			i.version,
			i.count_sent,
			CAST(e.gross_cents * 100 - `+sqldb.CentsOf("i.mdr")+` - `+sqldb.CentsOf("i.fee")+` - `+sqldb.CentsOf("i.antifraud")+`
				- `+sqldb.CentsOf("i.anticipation")+` - `+cost+` - `+sqldb.CentsOf("i.received")+` AS BIGINT),
			e.brand,
			e.product,
			e.brackets
		FROM finding_event AS v
		JOIN installment AS i ON i.account = v.account AND i.sale_day = v.sale_day AND i.nsu = v.nsu AND i.auth = v.auth
			AND i.number = v.number AND i.occurrence = v.occurrence AND `+facts.VersionCurrentAsOf("i", "$1", "$2")+`
		JOIN expectation AS e ON `+facts.ExpectationJoin+` AND `+results.ExpectationCurrentAsOf("$2")+`
		WHERE v.account = $1 AND v.closed_as = 'person' AND v.state = 'closed' AND `+caselog.EventWrittenBy("v", "$2")+`
			AND NOT EXISTS (
				SELECT 1
				FROM finding_event AS n
				WHERE n.account = v.account AND n.case_id = v.case_id AND n.sequence > v.sequence AND `+caselog.EventWrittenBy("n", "$2")+`)
			AND e.class NOT IN ('cancelled', 'chargeback') AND i.effective IS NOT NULL AND `+sqldb.CentsOf("i.received")+` > 0
		ORDER BY i.sale_day, i.nsu, i.auth, i.number, i.occurrence, v.code`, int64(a), run)
	return l.db.WrapError("read the claims that people gave up of account "+a.String(), err)
}

// ownsReceipt reports whether a rule owns what a row was paid short.
func ownsReceipt(brackets []ledger.Bracket, code string) bool {
	for i := range brackets {
		if b := &brackets[i]; b.Line == ledger.LineReceived && b.Code == code {
			return true
		}
	}
	return false
}

// ClosedRows are the installments a case of which a person ever closed, in order of subject: those that may have had a claim given up.
func (l *RowReader) ClosedRows(ctx context.Context, a ledger.Account) (subjects []string, err error) {
	err = sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		subjects = append(subjects, f.NextText())
		return f.Err()
	}, `
		SELECT DISTINCT subject
		FROM finding_event
		WHERE account = $1 AND closed_as = 'person' AND number IS NOT NULL
		ORDER BY subject`, int64(a))
	return subjects, l.db.WrapError("read the closed cases of account "+a.String(), err)
}
