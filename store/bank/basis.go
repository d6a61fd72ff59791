package bank

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// BankBasis is what the last conclusion of a bank account was drawn from; its run is empty where there was none.
func (s *BasisReader) BankBasis(ctx context.Context, a Account) (banking.Basis, error) {
	b, err := readBasis(ctx, s.db.Read, a)
	return b, s.db.WrapError("read what was concluded of bank account "+a.ID, err)
}

func readBasis(ctx context.Context, q sqldb.Querier, a Account) (b banking.Basis, err error) {
	err = q.QueryRowContext(ctx, `
		SELECT
			run,
			as_of,
			from_day,
			to_day,
			terms
		FROM bank_basis
		WHERE account = $1 AND bank = $2`, int64(a.Home), a.ID).
		Scan(&b.Run, sqldb.IntoDate(&b.AsOf), sqldb.IntoDate(&b.From), sqldb.IntoDate(&b.To), &b.Terms)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return b, err
}

// checkBasis refuses a conclusion if the days that it keeps are of another run than the current one.
func (k *keeping) checkBasis(ctx context.Context, run string) error {
	b, err := readBasis(ctx, k.Tx, k.at)
	if err == nil && b.Run != run {
		err = fmt.Errorf("run %s has concluded meanwhile: run again", b.Run)
	}
	return err
}

// keepBasis notes what the conclusion was drawn from, and that its statements are known.
func (k *keeping) keepBasis(ctx context.Context, kept *banking.Conclusion) error {
	err := k.ExecBatch(ctx, `
		UPDATE bank_file
		SET judged = $1
		WHERE account = $2 AND bank = $3 AND file = $4 AND judged IS NULL`, len(kept.Files), func(i int) []any {
		return []any{k.run, int64(k.at.Home), k.at.ID, kept.Files[i][:]}
	})
	if err != nil {
		return err
	}
	_, err = k.ExecContext(ctx, `
		DELETE FROM bank_basis
		WHERE account = $1 AND bank = $2`, int64(k.at.Home), k.at.ID)
	if err != nil {
		return err
	}
	b := &kept.Basis
	_, err = k.ExecContext(ctx, `
		INSERT INTO bank_basis (account, bank, run, as_of, from_day, to_day, terms)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		int64(k.at.Home), k.at.ID, k.run, int64(b.AsOf), int64(b.From), int64(b.To), b.Terms)
	return err
}

// NewBankStatements are the statements that no conclusion knows, and the days that they show or are whole for.
func (s *BasisReader) NewBankStatements(ctx context.Context, a Account) (files []ledger.FileHash, days []ledger.Date, err error) {
	known := map[ledger.FileHash]bool{}
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var hash []byte
		var day ledger.Date
		if err := rows.Scan(&hash, sqldb.IntoDate(&day)); err != nil {
			return err
		}
		if file := ledger.FileHash(hash); !known[file] {
			known[file], files = true, append(files, file)
		}
		if day != 0 {
			days = append(days, day)
		}
		return nil
	}, `
		SELECT
			f.file,
			COALESCE(d.day, 0)
		FROM bank_file AS f
		LEFT JOIN bank_file_day AS d
			ON d.account = f.account AND d.bank = f.bank AND d.file = f.file
		WHERE f.account = $1 AND f.bank = $2 AND f.judged IS NULL
		ORDER BY f.file, d.day`, int64(a.Home), a.ID)
	return files, days, s.db.WrapError("read the new statements of bank account "+a.ID, err)
}

// OpenDepositParts are the subjects of the current groups and lines that are of no closed day.
func (s *BasisReader) OpenDepositParts(ctx context.Context, a Account) (subjects []string, err error) {
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var subject string
		err := rows.Scan(&subject)
		subjects = append(subjects, subject)
		return err
	}, `
		SELECT part
		FROM bank_deposit_part
		WHERE account = $1 AND bank = $2 AND ended_run IS NULL AND closed_day IS NULL AND kind <> 'debit'
		ORDER BY part`, int64(a.Home), a.ID)
	return subjects, s.db.WrapError("read what is open at bank account "+a.ID, err)
}

// CountScheduledLines counts the lines that statements announce and none has booked.
func (s *BasisReader) CountScheduledLines(ctx context.Context, a Account) (n int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM bank_line
		WHERE account = $1 AND bank = $2 AND scheduled = 1 AND vanished = 0 AND ended_file IS NULL`, int64(a.Home), a.ID).Scan(&n)
	return n, s.db.WrapError("count the announced lines of bank account "+a.ID, err)
}

// VanishedLineDays are the days that have a line which vanished.
func (s *BasisReader) VanishedLineDays(ctx context.Context, a Account) ([]ledger.Date, error) {
	days, err := readDates(ctx, s.db.Read, `
		SELECT DISTINCT day
		FROM bank_line
		WHERE account = $1 AND bank = $2 AND vanished = 1 AND ended_file IS NULL
		ORDER BY day`, int64(a.Home), a.ID)
	return days, s.db.WrapError("read the vanished lines of bank account "+a.ID, err)
}

// DaysWithAmount are the days of a period that have a line of an amount.
func (s *BasisReader) DaysWithAmount(ctx context.Context, a Account, amount ledger.Amount, p ledger.Period) ([]ledger.Date, error) {
	days, err := readDates(ctx, s.db.Read, `
		SELECT DISTINCT day
		FROM bank_line
		WHERE account = $1 AND bank = $2 AND day >= $3 AND day <= $4 AND amount = $5 AND ended_file IS NULL
		ORDER BY day`, int64(a.Home), a.ID, int64(p.From), int64(p.To), int64(amount))
	return days, s.db.WrapError("look for an amount at bank account "+a.ID, err)
}

func readDates(ctx context.Context, q sqldb.Querier, query string, args ...any) (days []ledger.Date, err error) {
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var d ledger.Date
		err := rows.Scan(sqldb.IntoDate(&d))
		days = append(days, d)
		return err
	}, query, args...)
	return days, err
}

// ClosedBankDays are what the closed days come to, in order.
func (s *BasisReader) ClosedBankDays(ctx context.Context, a Account) (all []banking.ClosedDay, err error) {
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var d banking.ClosedDay
		err := rows.Scan(sqldb.IntoDate(&d.Day), &d.Expected, &d.Booked)
		all = append(all, d)
		return err
	}, `
		SELECT
			closed_day,
			CAST(SUM(CASE WHEN kind = 'group' THEN amount ELSE 0 END) AS BIGINT),
			CAST(SUM(CASE WHEN kind = 'line' THEN amount ELSE 0 END) AS BIGINT)
		FROM bank_deposit_part
		WHERE account = $1 AND bank = $2 AND ended_run IS NULL AND closed_day IS NOT NULL
		GROUP BY closed_day
		ORDER BY closed_day`, int64(a.Home), a.ID)
	return all, s.db.WrapError("sum the closed days of bank account "+a.ID, err)
}

// OtherBankLines are how many lines of no payer each day has, as the last run found it.
func (s *BasisReader) OtherBankLines(ctx context.Context, a Account) (map[ledger.Date]int64, error) {
	out := map[ledger.Date]int64{}
	err := sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var d ledger.Date
		var n int64
		err := rows.Scan(sqldb.IntoDate(&d), &n)
		out[d] = n
		return err
	}, `
		SELECT
			day,
			other
		FROM bank_seen_day
		WHERE account = $1 AND bank = $2 AND ended_run IS NULL AND other > 0`, int64(a.Home), a.ID)
	return out, s.db.WrapError("read the days of bank account "+a.ID, err)
}

// TakenBackAtBank calls fn for what is currently concluded as taken back of installments once credited, in order of payer and subject.
func (s *BasisReader) TakenBackAtBank(ctx context.Context, a Account, fn func(*banking.TakenBack) error) error {
	columns := takenBackTable.Columns()
	err := sqldb.ReadRows(ctx, s.db.Read, func(f *sqldb.RowReader) error {
		var x banking.TakenBack
		columns.Read(&x, f)
		if f.Err() != nil {
			return f.Err()
		}
		return fn(&x)
	}, `
		SELECT `+columns.SelectList("c")+`
		FROM bank_taken_back AS c
		WHERE c.account = $1 AND c.bank = $2 AND c.ended_run IS NULL
		ORDER BY c.payer, c.subject`, int64(a.Home), a.ID)
	return s.db.WrapError("read what was taken back of bank account "+a.ID, err)
}
