package bank

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// depositSums are what a deposit comes to, by kind of part.
type depositSums map[banking.DepositPartKind]ledger.Amount

// checkDeposits compares the current deposits with their parts, which the index lets be in one deposit alone, and the bridge of
// each month against both of its ends.
func (c *statementCheck) checkDeposits(ctx context.Context) error {
	said, err := c.readDepositSums(ctx)
	if err != nil {
		return err
	}
	parts, err := c.readPartSums(ctx)
	if err != nil {
		return err
	}
	whole := depositSums{}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if said[name] == nil {
			c.addFault(words.NewMessage("check_fault.deposit_missing", "bank", c.at.ID, "deposit", name))
		}
		for kind, amount := range parts[name] {
			whole[kind] += amount
		}
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		for _, part := range []struct {
			kind  banking.DepositPartKind
			fault string
		}{
			{banking.GroupPart, "check_fault.deposit_groups_differ"},
			{banking.LinePart, "check_fault.deposit_lines_differ"},
			{banking.DebitPart, "check_fault.deposit_debits_differ"},
		} {
			if should, is := said[name][part.kind], parts[name][part.kind]; is != should {
				c.addFault(words.NewMessage(part.fault, "bank", c.at.ID, "deposit", name, "sum", is, "want", should))
			}
		}
	}
	for _, check := range []func(context.Context) error{c.checkPeople, c.checkClosed} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return c.checkBridge(ctx, whole)
}

// checkPeople checks that a person did match what is kept as matched by one.
func (c *statementCheck) checkPeople(ctx context.Context) error {
	return sqldb.EachRow(ctx, c.q, func(rows *sql.Rows) error {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		c.addFault(words.NewMessage("check_fault.match_without_act", "bank", c.at.ID, "deposit", name))
		return nil
	}, `
		SELECT name
		FROM bank_deposit AS d
		WHERE account = $1 AND bank = $2 AND ended_run IS NULL AND pass = 0 AND NOT EXISTS (
			SELECT 1
			FROM act AS a
			WHERE a.account = d.account AND a.verb = 'match' AND a.stage = 'done' AND a.subject = $3 || d.name)
		ORDER BY name`, int64(c.at.Home), c.at.ID, ledger.Subject("match", c.at.Home, c.at.ID)+":")
}

// checkClosed checks that nights may leave closed days alone: what is of one came on it, to the cent, and so say its parts.
func (c *statementCheck) checkClosed(ctx context.Context) error {
	return sqldb.EachRow(ctx, c.q, func(rows *sql.Rows) error {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		c.addFault(words.NewMessage("check_fault.closed_day_not_whole", "bank", c.at.ID, "deposit", name))
		return nil
	}, `
		SELECT DISTINCT d.name
		FROM bank_deposit AS d
		JOIN bank_deposit_part AS p
			ON p.account = d.account AND p.bank = d.bank AND p.deposit = d.name AND p.ended_run IS NULL
		WHERE d.account = $1 AND d.bank = $2 AND d.ended_run IS NULL
			AND (COALESCE(d.closed_day, 0) <> COALESCE(p.closed_day, 0) OR d.closed_day IS NOT NULL AND (d.status <> 'credited'
				OR d.pass NOT IN (1, 2, 3) OR d.day <> d.closed_day OR d.credit_day <> d.closed_day))
		ORDER BY d.name`, int64(c.at.Home), c.at.ID)
}

// readDepositSums reads what deposits say of themselves.
func (c *statementCheck) readDepositSums(ctx context.Context) (map[string]depositSums, error) {
	out := map[string]depositSums{}
	err := sqldb.EachRow(ctx, c.q, func(rows *sql.Rows) error {
		var name string
		var expected, debits, credited ledger.Amount
		err := rows.Scan(&name, &expected, &debits, &credited)
		out[name] = depositSums{banking.GroupPart: expected, banking.DebitPart: debits, banking.LinePart: credited}
		return err
	}, `
		SELECT
			name,
			COALESCE(expected, 0),
			debits,
			COALESCE(credited, 0)
		FROM bank_deposit
		WHERE account = $1 AND bank = $2 AND ended_run IS NULL`, int64(c.at.Home), c.at.ID)
	return out, err
}

// readPartSums sums the parts of deposits.
func (c *statementCheck) readPartSums(ctx context.Context) (map[string]depositSums, error) {
	out := map[string]depositSums{}
	err := sqldb.EachRow(ctx, c.q, func(rows *sql.Rows) error {
		var name string
		var kind banking.DepositPartKind
		var amount ledger.Amount
		if err := rows.Scan(&name, &kind, &amount); err != nil {
			return err
		}
		if out[name] == nil {
			out[name] = depositSums{}
		}
		out[name][kind] = amount
		return nil
	}, `
		SELECT
			deposit,
			kind,
			CAST(SUM(amount) AS BIGINT)
		FROM bank_deposit_part
		WHERE account = $1 AND bank = $2 AND ended_run IS NULL
		GROUP BY deposit, kind`, int64(c.at.Home), c.at.ID)
	return out, err
}

// checkBridge checks that each month closes, and that all months together have every group and line.
func (c *statementCheck) checkBridge(ctx context.Context, whole depositSums) error {
	rest := map[ledger.Date]ledger.Amount{}
	var received, booked ledger.Amount
	err := sqldb.EachRow(ctx, c.q, func(rows *sql.Rows) error {
		var month ledger.Date
		var line string
		var amount ledger.Amount
		if err := rows.Scan(sqldb.IntoDate(&month), &line, &amount); err != nil {
			return err
		}
		switch line {
		case "received":
			received += amount
			rest[month] += amount
		case "booked":
			booked += amount
			rest[month] -= amount
		default:
			rest[month] -= amount
		}
		return nil
	}, `
		SELECT
			month,
			line,
			amount
		FROM bank_bridge
		WHERE account = $1 AND bank = $2 AND ended_run IS NULL`, int64(c.at.Home), c.at.ID)
	if err != nil {
		return err
	}
	for _, month := range slices.Sorted(maps.Keys(rest)) {
		if rest[month] != 0 {
			c.addFault(words.NewMessage("check_fault.bank_bridge_leaves", "bank", c.at.ID, "month", month.String()[:7], "rest", rest[month]))
		}
	}
	if received != whole[banking.GroupPart] || booked != whole[banking.LinePart] {
		c.addFault(words.NewMessage("check_fault.bank_bridge_ends", "bank", c.at.ID, "received", received, "booked", booked, "groups", whole[banking.GroupPart], "lines", whole[banking.LinePart]))
	}
	return nil
}
