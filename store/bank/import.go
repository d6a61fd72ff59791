package bank

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// TakeIn is a statement to be taken in.
type TakeIn struct {
	// Bank is the id of the bank account; First becomes its home if it has none.
	Bank  string
	First ledger.Account
	// Bytes is the SHA-256 of the file, Part the number of the statement among those of this bank account in it, from 0.
	Bytes ledger.FileHash
	Part  int
	// WriteBody writes the bytes as they are to be kept. It may be called again.
	WriteBody func(io.Writer) error
	Name      string // of the file, without folder
	Statement *banking.Statement
	// PassedOver is how many statements of other accounts the file has.
	PassedOver int
	Actor      string
	At         time.Time
	// Since is the first day answered for; 0: the first settled one.
	Since ledger.Date
	// IsBusinessDay is the calendar by which money settles.
	IsBusinessDay func(ledger.Date) bool
}

// fileHash names a statement: the hash of its bytes, and for a further statement in them one made of that and its number.
func fileHash(bytes ledger.FileHash, part int) ledger.FileHash {
	if part == 0 {
		return bytes
	}
	return sha256.Sum256(fmt.Appendf(nil, "%x/%d", bytes, part))
}

// errDryRun ends a transaction of which nothing is to be kept.
var errDryRun = errors.New("dry run")

// TakeInStatements takes in the statements of one file, all in one transaction: whole or not at all. A statement whose
// bytes are known changes nothing. With dryRun it says what would change and keeps nothing. The results are in the order
// given.
func (s *StatementStore) TakeInStatements(ctx context.Context, all []TakeIn, dryRun bool) (out []banking.Import, err error) {
	err = s.db.TransactRepeatable(ctx, "take in a statement", func(t *sqldb.Tx) error {
		out = out[:0] // an earlier try may have counted
		for i := range all {
			done, err := takeIn(ctx, t, &all[i])
			if err != nil {
				return err
			}
			out = append(out, done)
		}
		if dryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return out, err
}

func takeIn(ctx context.Context, t *sqldb.Tx, in *TakeIn) (banking.Import, error) {
	// Two that take in files of one bank account would each compute its days without the other's file.
	if err := t.DB.Dialect.Lock(ctx, t.Tx, "bank/"+in.Bank); err != nil {
		return banking.Import{}, err
	}
	home, known, err := readHome(ctx, t, in.Bank, in.First)
	if err != nil {
		return banking.Import{}, err
	}
	m := &merge{Tx: t, in: in, at: Account{Home: home, ID: in.Bank}, file: fileHash(in.Bytes, in.Part)}
	if !known {
		_, err := t.ExecContext(ctx, `
			INSERT INTO bank_account (account, bank, first_file)
			VALUES ($1, $2, $3)`, int64(home), in.Bank, m.file[:])
		if err != nil {
			return banking.Import{}, err
		}
	}
	return m.run(ctx)
}

// merge takes in one statement.
type merge struct {
	*sqldb.Tx
	in   *TakeIn
	at   Account
	file ledger.FileHash
	out  banking.Import
}

func (m *merge) run(ctx context.Context) (banking.Import, error) {
	before, err := readDays(ctx, m, m.at)
	if err != nil {
		return m.out, err
	}
	known, err := readStatement(ctx, m, m.at, m.file)
	switch {
	case err == nil:
		m.out.Known = true
		m.countRows(known.Lines, known.Scheduled)
		m.out.SettledTo = banking.Frontier(before, m.in.Since)
		return m.out, nil
	case !errors.Is(err, sql.ErrNoRows):
		return m.out, err
	}
	if m.out.Older, err = isOlder(ctx, m, m.at, m.in.Statement.Made); err != nil {
		return m.out, err
	}
	if err := facts.KeepFile(ctx, m.Tx, hex.EncodeToString(m.in.Bytes[:]), ledger.DateOf(m.in.At, time.UTC), m.in.WriteBody); err != nil {
		return m.out, err
	}
	period, sums, err := m.writeFileDays(ctx)
	if err != nil {
		return m.out, err
	}
	if err := m.writeFile(ctx, &sums); err != nil {
		return m.out, err
	}
	if err := m.mergeLines(ctx, period, sums.mostOfDay); err != nil {
		return m.out, err
	}
	m.countRows(sums.rows, sums.scheduled)
	days, err := m.computeDays(ctx, before, period)
	if err != nil {
		return m.out, err
	}
	m.out.SettledTo = banking.Frontier(days, m.in.Since)
	return m.out, m.writeDays(ctx, before, days)
}

func (m *merge) writeFile(ctx context.Context, sums *fileSums) error {
	st := m.in.Statement
	_, err := m.ExecContext(ctx, `
		INSERT INTO bank_file (account, bank, file, name, format, from_day, to_day, stated, made, as_of, rows_seen, scheduled,
			credits, debits, balance_rows, blocked, passed_over, notes, actor, taken, bytes)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
		int64(m.at.Home), m.at.ID, m.file[:], m.in.Name, st.Format, int64(st.Window.From), int64(st.Window.To), sqldb.BoolArg(st.Stated),
		int64(st.Made), int64(st.AsOf), sums.rows, sums.scheduled, int64(sums.credits), int64(sums.debits), int64(st.BalanceRows),
		int64(st.Blocked), int64(m.in.PassedOver), strings.Join(st.Notes, ","), m.in.Actor, sqldb.TimeArg(m.in.At), hex.EncodeToString(m.in.Bytes[:]))
	if err != nil {
		return err
	}
	reading := map[int]int64{}
	rank := make([]int64, len(st.Balances))
	for i, b := range st.Balances {
		rank[i] = reading[b.Choice]
		reading[b.Choice]++
	}
	return m.LoadRows(ctx, "bank_balance", []string{"account", "bank", "day", "file", "choice", "reading", "amount"}, len(st.Balances),
		func(i int, r sqldb.Row) error {
			b := st.Balances[i]
			r.Int(int64(m.at.Home))
			r.Text(m.at.ID)
			r.Int(int64(b.Day))
			r.Bytes(m.file[:])
			r.Int(int64(b.Choice))
			r.Int(rank[i])
			r.Int(int64(b.Amount))
			return nil
		})
}

func splitNotes(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// computeDays computes the state of every day from what all files and lines say. Of days outside a period the lines are as before.
func (m *merge) computeDays(ctx context.Context, before []banking.Day, moved ledger.Period) ([]banking.Day, error) {
	shown, err := readShown(ctx, m, m.at)
	if err != nil {
		return nil, err
	}
	for _, d := range before {
		if s := shown[d.Day]; s != nil && !moved.Contains(d.Day) {
			s.sums = banking.Day{Day: d.Day, Lines: d.Lines, Credits: d.Credits, Debits: d.Debits}
		}
	}
	if err := readSums(ctx, m, m.at, moved, shown); err != nil {
		return nil, err
	}
	balances, err := readBalances(ctx, m, m.at)
	return chainDays(shown, balances, m.in.IsBusinessDay), err
}

// readProof reads what the states of the days are computed from.
func readProof(ctx context.Context, q sqldb.Querier, a Account) (shown map[ledger.Date]*shownDay, balances []statedBalance, err error) {
	if shown, err = readShown(ctx, q, a); err != nil || len(shown) == 0 {
		return shown, nil, err
	}
	if err = readSums(ctx, q, a, shownPeriod(shown), shown); err != nil {
		return nil, nil, err
	}
	balances, err = readBalances(ctx, q, a)
	return shown, balances, err
}

func readShown(ctx context.Context, q sqldb.Querier, a Account) (map[ledger.Date]*shownDay, error) {
	shown := map[ledger.Date]*shownDay{}
	// Of the files of a day the last row counts: of the files that have the day whole that made last, else of all files that made last.
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var day ledger.Date
		var whole bool
		var file []byte
		if err := rows.Scan(sqldb.IntoDate(&day), sqldb.IntoBool(&whole), &file); err != nil {
			return err
		}
		s := &shownDay{whole: whole}
		copy(s.file[:], file)
		shown[day] = s
		return nil
	}, `
		SELECT
			d.day,
			d.whole,
			d.file
		FROM bank_file_day AS d
		JOIN bank_file AS f
			ON f.account = d.account AND f.bank = d.bank AND f.file = d.file
		WHERE d.account = $1 AND d.bank = $2
		ORDER BY d.day, d.whole, f.made, d.file`, int64(a.Home), a.ID)
	return shown, err
}

// readSums sums the lines of the days of a period.
func readSums(ctx context.Context, q sqldb.Querier, a Account, p ledger.Period, shown map[ledger.Date]*shownDay) error {
	return sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var d banking.Day
		if err := rows.Scan(sqldb.IntoDate(&d.Day), &d.Lines, &d.Credits, &d.Debits); err != nil {
			return err
		}
		if s := shown[d.Day]; s != nil {
			s.sums = d
		}
		return nil
	}, `
		SELECT
			day,
			COUNT(*),
			CAST(SUM(CASE WHEN amount > 0 THEN amount ELSE 0 END) AS BIGINT),
			CAST(SUM(CASE WHEN amount < 0 THEN -amount ELSE 0 END) AS BIGINT)
		FROM bank_line
		WHERE account = $1 AND bank = $2 AND day >= $3 AND day <= $4 AND ended_file IS NULL AND vanished = 0 AND scheduled = 0
		GROUP BY day`, int64(a.Home), a.ID, int64(p.From), int64(p.To))
}

func readBalances(ctx context.Context, q sqldb.Querier, a Account) (all []statedBalance, err error) {
	choice := -1
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var file []byte
		var made ledger.LocalTime
		var b banking.Balance
		if err := rows.Scan(&file, &made, &b.Choice, sqldb.IntoDate(&b.Day), &b.Amount); err != nil {
			return err
		}
		if n := len(all); n == 0 || choice != b.Choice || !slices.Equal(all[n-1].file[:], file) {
			s := statedBalance{made: made}
			copy(s.file[:], file)
			all, choice = append(all, s), b.Choice
		}
		last := &all[len(all)-1]
		last.readings = append(last.readings, b)
		return nil
	}, `
		SELECT
			b.file,
			f.made,
			b.choice,
			b.day,
			b.amount
		FROM bank_balance AS b
		JOIN bank_file AS f
			ON f.account = b.account AND f.bank = b.bank AND f.file = b.file
		WHERE b.account = $1 AND b.bank = $2
		ORDER BY f.made, b.file, b.choice, b.reading`, int64(a.Home), a.ID)
	return all, err
}

// isOlder reports whether a statement is known that the bank made later.
func isOlder(ctx context.Context, q sqldb.Querier, a Account, made ledger.LocalTime) (older bool, err error) {
	err = q.QueryRowContext(ctx, `
		SELECT COUNT(*) > 0
		FROM bank_file
		WHERE account = $1 AND bank = $2 AND made > $3`, int64(a.Home), a.ID, int64(made)).Scan(&older)
	return older, err
}

// writeDays replaces the days that are other than before.
func (m *merge) writeDays(ctx context.Context, before, now []banking.Day) error {
	old := make(map[ledger.Date]banking.Day, len(before))
	for _, d := range before {
		old[d.Day] = d
	}
	var changed []banking.Day
	for _, d := range now {
		if was, had := old[d.Day]; !had || was != d {
			changed = append(changed, d)
		}
	}
	err := m.ExecBatch(ctx, `
		DELETE FROM bank_day
		WHERE account = $1 AND bank = $2 AND day = $3`, len(changed), func(i int) []any {
		return []any{int64(m.at.Home), m.at.ID, int64(changed[i].Day)}
	})
	if err != nil {
		return err
	}
	columns := []string{"account", "bank", "day", "state", "lines", "credits", "debits", "balance", "residual", "file"}
	return m.LoadRows(ctx, "bank_day", columns, len(changed), func(i int, r sqldb.Row) error {
		d := &changed[i]
		r.Int(int64(m.at.Home))
		r.Text(m.at.ID)
		r.Int(int64(d.Day))
		r.Text(string(d.State))
		r.Int(d.Lines)
		r.Int(int64(d.Credits))
		r.Int(int64(d.Debits))
		sqldb.PutOpt(r, d.Balance)
		sqldb.PutOpt(r, d.Residual)
		if d.File == (ledger.FileHash{}) {
			r.Null()
		} else {
			r.Bytes(d.File[:])
		}
		return nil
	})
}
