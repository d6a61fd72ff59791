package bank

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// Concluded asks for what was concluded of the bank accounts of a home, as of a run. The period is of days; what has none is of all
// days.
type Concluded struct {
	Home   ledger.Account
	Run    string
	Period ledger.Period
}

// standing is the condition that a row of a table was current when the run had concluded; the second argument is the run.
const standing = "c.run <= $2 AND (c.ended_run IS NULL OR c.ended_run > $2)"

// readable is the condition that a bank account had no critical case.
const readable = `EXISTS (
			SELECT 1
			FROM bank_standing AS s
			WHERE s.account = c.account AND s.bank = c.bank AND s.run <= $2 AND (s.ended_run IS NULL OR s.ended_run > $2)
				AND s.verdict <> 'incomplete')`

// Deposits calls fn for what became of both sides: in order of bank account, day, payer, day of credit, match and subject. A bank
// account with a critical case has none.
func (s *ConclusionStore) Deposits(ctx context.Context, q Concluded, fn func(*banking.Deposit) error) error {
	d := banking.Deposit{Account: q.Home}
	columns := depositTable.Columns()
	err := sqldb.ReadRows(ctx, s.db.Read, func(f *sqldb.RowReader) error {
		d.Bank = f.NextText()
		columns.Read(&d, f)
		if f.Err() != nil {
			return f.Err()
		}
		return fn(&d)
	}, `
		SELECT
			c.bank,`+columns.SelectList("c")+`
		FROM bank_deposit AS c
		WHERE c.account = $1 AND `+standing+` AND c.day >= $3 AND c.day <= $4 AND `+readable+`
		ORDER BY c.bank, c.day, c.payer, COALESCE(c.credit_day, 0), c.matched_as, c.subject, c.name`,
		int64(q.Home), q.Run, int64(q.Period.From), int64(q.Period.To))
	return s.db.WrapError("read the deposits of account "+q.Home.String(), err)
}

// DepositOf is the current deposit that has a group, as the last run concluded; nil: there is none.
func (s *ConclusionStore) DepositOf(ctx context.Context, a Account, group string) (found *banking.Deposit, err error) {
	columns := depositTable.Columns()
	err = sqldb.ReadRows(ctx, s.db.Read, func(f *sqldb.RowReader) error {
		found = &banking.Deposit{Account: a.Home, Bank: a.ID}
		columns.Read(found, f)
		return f.Err()
	}, `
		SELECT `+columns.SelectList("c")+`
		FROM bank_deposit_part AS p
		JOIN bank_deposit AS c ON c.account = p.account AND c.bank = p.bank AND c.name = p.deposit AND c.ended_run IS NULL
		WHERE p.account = $1 AND p.bank = $2 AND p.part = $3 AND p.ended_run IS NULL`, int64(a.Home), a.ID, group)
	return found, s.db.WrapError("read the deposit of "+group, err)
}

// SeenBankDays calls fn for the days of the bank accounts as the run found them, in order of bank account and day.
func (s *ConclusionStore) SeenBankDays(ctx context.Context, q Concluded, fn func(*banking.SeenDay) error) error {
	d := banking.SeenDay{Account: q.Home}
	columns := seenDayTable.Columns()
	err := sqldb.ReadRows(ctx, s.db.Read, func(f *sqldb.RowReader) error {
		d.Bank = f.NextText()
		columns.Read(&d, f)
		if f.Err() != nil {
			return f.Err()
		}
		return fn(&d)
	}, `
		SELECT
			c.bank,`+columns.SelectList("c")+`
		FROM bank_seen_day AS c
		WHERE c.account = $1 AND `+standing+` AND c.day >= $3 AND c.day <= $4
		ORDER BY c.bank, c.day`,
		int64(q.Home), q.Run, int64(q.Period.From), int64(q.Period.To))
	return s.db.WrapError("read the days of the bank accounts of account "+q.Home.String(), err)
}

// DepositSums sums the deposits of the period: their number, and their columns by name.
func (s *ConclusionStore) DepositSums(ctx context.Context, q Concluded) (rows int64, sums map[string]int64, err error) {
	return s.sumConcluded(ctx, q, "bank_deposit", readable, map[string]string{
		"items": "items", "expected": "expected", "debits": "debits", "credited": "credited", "lines": "lines", "impact": "impact",
		"shift_days": "shift_days", "pass": "pass",
		"difference": "COALESCE(expected, 0) - debits - COALESCE(credited, 0)",
	})
}

// SeenDaySums sums the days of the period in the same way.
func (s *ConclusionStore) SeenDaySums(ctx context.Context, q Concluded) (rows int64, sums map[string]int64, err error) {
	return s.sumConcluded(ctx, q, "bank_seen_day", "1 = 1", map[string]string{
		"lines": "lines", "credits": "credits", "debits": "debits", "other": "other", "balance": "balance",
		"residual": "residual",
	})
}

func (s *ConclusionStore) sumConcluded(ctx context.Context, q Concluded, table, condition string, columns map[string]string) (rows int64, sums map[string]int64, err error) {
	query, names := "SELECT COUNT(*)", make([]string, 0, len(columns))
	for name, expression := range columns {
		names = append(names, name)
		query += ", CAST(COALESCE(SUM(" + expression + "), 0) AS BIGINT)"
	}
	values := make([]int64, len(names))
	targets := []any{&rows}
	for i := range values {
		targets = append(targets, &values[i])
	}
	err = sqldb.EachRow(ctx, s.db.Read, func(row *sql.Rows) error { return row.Scan(targets...) },
		query+" FROM "+table+" AS c WHERE c.account = $1 AND "+standing+" AND c.day >= $3 AND c.day <= $4 AND "+condition,
		int64(q.Home), q.Run, int64(q.Period.From), int64(q.Period.To))
	sums = make(map[string]int64, len(names))
	for i, name := range names {
		sums[name] = values[i]
	}
	return rows, sums, s.db.WrapError("sum "+table+" of account "+q.Home.String(), err)
}

// BankStandings returns what the run concluded of each bank account of the home, in order of id.
func (s *ConclusionStore) BankStandings(ctx context.Context, q Concluded) (all []banking.Outcome, err error) {
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var b banking.Outcome
		err := rows.Scan(&b.Bank, &b.Verdict, sqldb.IntoDate(&b.Frontier), &b.Voided, &b.Early, &b.Undated, &b.Scheduled, &b.Readings)
		all = append(all, b)
		return err
	}, `
		SELECT
			bank,
			verdict,
			frontier,
			voided,
			early,
			undated,
			scheduled,
			readings
		FROM bank_standing AS c
		WHERE c.account = $1 AND `+standing+`
		ORDER BY bank`, int64(q.Home), q.Run)
	return all, s.db.WrapError("read the bank accounts of account "+q.Home.String(), err)
}

// BankStanding returns what the last run concluded of a bank account; nothing of one that none has looked at.
func (s *ConclusionStore) BankStanding(ctx context.Context, a Account) (banking.Outcome, error) {
	all, err := s.BankStandings(ctx, Concluded{Home: a.Home, Run: latest})
	for i := range all {
		if all[i].Bank == a.ID {
			return all[i], nil
		}
	}
	return banking.Outcome{Bank: a.ID}, err
}

// latest is after every run: what was current as of it is current now.
const latest = "~"

// BankProofs returns the current proof of each bank account of a home, in order of id.
func (s *ConclusionStore) BankProofs(ctx context.Context, home ledger.Account) ([]banking.Proof, error) {
	q := Concluded{Home: home, Run: latest, Period: ledger.Period{From: 1}}
	standings, err := s.BankStandings(ctx, q)
	out := make([]banking.Proof, len(standings))
	for i := range standings {
		b := &out[i]
		b.Outcome, b.Days, q.Period.To = standings[i], map[banking.DayState]int64{}, standings[i].Frontier
		if b.Proven, b.Received, err = s.ProvenAtBank(ctx, q, b.Bank); err != nil {
			return nil, err
		}
		err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
			var state banking.DayState
			var n int64
			err := rows.Scan(&state, &n)
			b.Days[state] = n
			return err
		}, `
			SELECT
				state,
				COUNT(*)
			FROM bank_seen_day
			WHERE account = $1 AND bank = $2 AND ended_run IS NULL
			GROUP BY state`, int64(home), b.Bank)
		if err != nil {
			return nil, s.db.WrapError("count the days of bank account "+b.Bank, err)
		}
	}
	return out, err
}

// StandingProven says, as the last run concluded it, how much of the groups of a bank account with bank days up to a day came to the cent.
func (s *ConclusionStore) StandingProven(ctx context.Context, a Account, to ledger.Date) (proven, received ledger.Amount, err error) {
	return s.ProvenAtBank(ctx, Concluded{Home: a.Home, Run: latest, Period: ledger.Period{From: 1, To: to}}, a.ID)
}

// BankBridge returns the bridge of the bank accounts of the home, of the months that begin in the period.
func (s *ConclusionStore) BankBridge(ctx context.Context, q Concluded) (all []banking.BridgeAmount, err error) {
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var b banking.BridgeAmount
		err := rows.Scan(&b.Bank, sqldb.IntoDate(&b.Month), &b.Line, &b.Amount)
		all = append(all, b)
		return err
	}, `
		SELECT
			bank,
			month,
			line,
			amount
		FROM bank_bridge AS c
		WHERE c.account = $1 AND `+standing+` AND month >= $3 AND month <= $4
		ORDER BY bank, month, line`, int64(q.Home), q.Run, int64(q.Period.From), int64(q.Period.To))
	return all, s.db.WrapError("read the bridge of the bank accounts of account "+q.Home.String(), err)
}

// ProvenAtBank says how much of the groups of a bank account with bank days in the period came to the cent.
func (s *ConclusionStore) ProvenAtBank(ctx context.Context, q Concluded, id string) (proven, received ledger.Amount, err error) {
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error { return rows.Scan(&proven, &received) }, `
		SELECT
			CAST(COALESCE(SUM(CASE WHEN d.status = 'credited' THEN c.amount ELSE 0 END), 0) AS BIGINT),
			CAST(COALESCE(SUM(c.amount), 0) AS BIGINT)
		FROM bank_deposit_part AS c
		JOIN bank_deposit AS d
			ON d.account = c.account AND d.bank = c.bank AND d.name = c.deposit AND d.run <= $2 AND (d.ended_run IS NULL OR d.ended_run > $2)
		WHERE c.account = $1 AND `+standing+` AND c.kind = 'group' AND c.bank_day >= $3 AND c.bank_day <= $4 AND c.bank = $5`,
		int64(q.Home), q.Run, int64(q.Period.From), int64(q.Period.To), id)
	return proven, received, s.db.WrapError("sum what is proven at bank account "+id, err)
}

// BankPasses says what each pass matched of a bank account on days of the period, in order of pass.
func (s *ConclusionStore) BankPasses(ctx context.Context, q Concluded, id string) (all []banking.Pass, err error) {
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var p banking.Pass
		err := rows.Scan(&p.Pass, &p.Matches, &p.Expected, &p.Credited)
		all = append(all, p)
		return err
	}, `
		SELECT
			c.pass,
			COUNT(*),
			CAST(COALESCE(SUM(c.expected), 0) AS BIGINT),
			CAST(COALESCE(SUM(c.credited), 0) AS BIGINT)
		FROM bank_deposit AS c
		WHERE c.account = $1 AND `+standing+` AND c.pass IS NOT NULL AND c.day >= $3 AND c.day <= $4 AND c.bank = $5
		GROUP BY c.pass
		ORDER BY c.pass`,
		int64(q.Home), q.Run, int64(q.Period.From), int64(q.Period.To), id)
	return all, s.db.WrapError("sum the passes of bank account "+id, err)
}

// BankFilesRead counts the statements of a bank account that the run, or one before it, was the first to know.
func (s *ConclusionStore) BankFilesRead(ctx context.Context, q Concluded, id string) (n banking.FilesRead, err error) {
	err = s.db.Read.QueryRowContext(ctx, `
		SELECT
			COUNT(*),
			CAST(COALESCE(SUM(balance_rows), 0) AS BIGINT),
			CAST(COALESCE(SUM(blocked), 0) AS BIGINT)
		FROM bank_file
		WHERE account = $1 AND judged <= $2 AND bank = $3`, int64(q.Home), q.Run, id).Scan(&n.Files, &n.BalanceRows, &n.Blocked)
	return n, s.db.WrapError("count the statements of bank account "+id, err)
}
