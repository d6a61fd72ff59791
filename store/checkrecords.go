package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"io"
	"strings"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
	"concilia/store/totals"
)

// checkExpectations looks for what ended before it began, and for expectations of a version that is not there.
func (c *ledgerCheck) checkExpectations(ctx context.Context) error {
	addUnfit := func(rows *sql.Rows) error {
		var what, run string
		err := rows.Scan(&what, &run)
		c.addFault(words.NewMessage("check_fault.expectation_without_row", "what", what, "run", run))
		return err
	}
	err := sqldb.EachRow(ctx, c.l.db.Read, addUnfit, `
		SELECT
			CAST(e.account AS TEXT) || ' ' || e.nsu || ' ' || e.auth || ' ' || CAST(e.number AS TEXT),
			e.run
		FROM expectation AS e
		LEFT JOIN installment AS i ON i.account = e.account AND i.sale_day = e.sale_day AND i.nsu = e.nsu
			AND i.auth = e.auth AND i.number = e.number AND i.occurrence = e.occurrence AND i.version = e.version
		WHERE e.ended_run <= e.run OR i.account IS NULL`)
	if err != nil {
		return err
	}
	return sqldb.EachRow(ctx, c.l.db.Read, addUnfit, `
		SELECT
			'slip ' || e.id,
			e.run
		FROM slip_expectation AS e
		WHERE e.ended_run <= e.run OR NOT EXISTS (SELECT 1 FROM slip AS v WHERE v.account = e.account AND v.id = e.id)`)
}

// checkCases compares every case with its last event. An evaluation that changed nothing changed only its dates.
func (c *ledgerCheck) checkCases(ctx context.Context) error {
	if err := c.l.db.Read.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM finding`).Scan(&c.Cases); err != nil {
		return err
	}
	if err := c.checkDeletedCases(ctx); err != nil {
		return err
	}
	return sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var id string
		var last, events int64
		err := rows.Scan(&id, &last, &events)
		c.addFault(words.NewMessage("check_fault.case_differs", "case", id, "n", events, "last", last))
		return err
	}, `
		SELECT
			f.case_id,
			COALESCE(n.last, 0),
			COALESCE(n.events, 0)
		FROM finding AS f
		LEFT JOIN (
			SELECT
				account,
				case_id,
				MAX(sequence) AS last,
				COUNT(*) AS events
			FROM finding_event
			GROUP BY account, case_id) AS n ON n.account = f.account AND n.case_id = f.case_id
		LEFT JOIN finding_event AS e ON e.account = f.account AND e.case_id = f.case_id AND e.sequence = n.last
		WHERE n.last IS NULL OR n.last <> n.events OR e.code <> f.code OR e.subject <> f.subject OR e.state <> f.state
			OR e.severity <> f.severity OR COALESCE(e.impact, 0) <> COALESCE(f.impact, 0)
			OR e.expected_number <> f.expected_number OR e.expected_text <> f.expected_text
			OR e.actual_number <> f.actual_number OR e.actual_text <> f.actual_text`)
}

// checkDeletedCases looks for events of cases that are not there: no case is ever removed.
func (c *ledgerCheck) checkDeletedCases(ctx context.Context) error {
	return sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var id string
		var events int64
		err := rows.Scan(&id, &events)
		c.addFault(words.NewMessage("check_fault.case_deleted", "case", id, "n", events))
		return err
	}, `
		SELECT
			e.case_id,
			COUNT(*)
		FROM finding_event AS e
		LEFT JOIN finding AS f ON f.account = e.account AND f.case_id = e.case_id
		WHERE f.case_id IS NULL
		GROUP BY e.account, e.case_id
		ORDER BY e.case_id`)
}

func (c *ledgerCheck) checkDocuments(ctx context.Context) error {
	return c.checkHashes(ctx, "check_fault.document_changed", `
		SELECT
			sha256,
			body
		FROM document`)
}

func (c *ledgerCheck) checkQuarantine(ctx context.Context) error {
	const fault = "check_fault.row_changed"
	if err := c.checkHashes(ctx, fault, `
		SELECT
			hash,
			body
		FROM quarantine
		WHERE forgotten = ''`); err != nil {
		return err
	}
	return sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var hash string
		var body []byte
		var seal ledger.PayerSeal
		err := rows.Scan(&hash, &body, (*string)(&seal))
		if err == nil && !seal.ProvesText(hash, body) {
			c.addFault(words.NewMessage(fault, "hash", hash))
		}
		return err
	}, `
		SELECT
			hash,
			body,
			forgotten
		FROM quarantine
		WHERE forgotten <> ''`)
}

func (c *ledgerCheck) checkHashes(ctx context.Context, fault, query string) error {
	return sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var hash string
		var body []byte
		if err := rows.Scan(&hash, &body); err != nil {
			return err
		}
		if sum := sha256.Sum256(body); hash != hex.EncodeToString(sum[:]) {
			c.addFault(words.NewMessage(fault, "hash", hash))
		}
		return nil
	}, query)
}

// checkBodies unpacks every kept body and holds it against its hash as kept, then looks for the bodies of pulls.
func (c *ledgerCheck) checkBodies(ctx context.Context) error {
	var b ledger.Body // of which all parts so far are there
	check := func() {
		switch {
		case b.SHA256 == "":
		case b.Packed != nil:
			c.Bodies++
			if _, err := b.WriteTo(io.Discard); err != nil {
				c.addFault(words.NewMessage("check_fault.body_changed", "body", b.SHA256))
			}
		case b.ExpiredOn == 0:
			c.addFault(words.NewMessage("check_fault.body_gone", "body", b.SHA256))
		}
	}
	err := sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var next ledger.Body
		err := rows.Scan(&next.SHA256, &next.Kept, &next.Size, sqldb.IntoDate(&next.ExpiredOn), &next.Packed)
		if next.SHA256 == b.SHA256 {
			b.Packed = append(b.Packed, next.Packed...)
			return err
		}
		check()
		b = next
		return err
	}, `
		SELECT
			body.sha256,
			body.kept_sha256,
			body.size,
			body.expired_on,
			body_bytes.packed
		FROM body
		LEFT JOIN body_bytes ON body_bytes.sha256 = body.sha256
		ORDER BY body.sha256, body_bytes.part`)
	if err != nil {
		return err
	}
	check()
	return c.checkBodiesOfPulls(ctx)
}

// checkBodiesOfPulls looks for pulls whose answer is not on record. Ledgers are older than the keeping of bodies: what was pulled
// up to the day of the first one may lack its own.
func (c *ledgerCheck) checkBodiesOfPulls(ctx context.Context) error {
	return sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var pull, sum string
		err := rows.Scan(&pull, &sum)
		c.addFault(words.NewMessage("check_fault.pull_without_body", "pull", pull, "body", sum))
		return err
	}, `
		SELECT
			p.id,
			p.sha256
		FROM pull AS p
		LEFT JOIN body AS b ON b.sha256 = p.sha256
		WHERE p.complete = 1 AND p.sha256 <> '' AND b.sha256 IS NULL
			AND p.pulled_on > (SELECT MIN(first_on) FROM body)`)
}

// checkAggregates looks for sums of which two are current at once, and for those that no reconcile after their own ended; for expectations in
// installments only the first, since the others are looked at with their rows. It names the part of the key that the
// program made itself: the others may hold what the service wrote.
func (c *ledgerCheck) checkAggregates(ctx context.Context) error {
	for _, t := range []struct{ table, named, keys string }{
		{results.BridgeTable.Name, "line", strings.Join(results.BridgeTable.Keys, ", ")},
		{results.RoundingTable.Name, "code", strings.Join(results.RoundingTable.Keys, ", ")},
		{results.PopulationTable.Name, "kind", strings.Join(results.PopulationTable.Keys, ", ")},
		{"continuity", "CAST(day AS TEXT)", "day, brand, product"},
		{totals.ForecastTable.Name, "kind", strings.Join(totals.ForecastTable.Keys, ", ")},
		{totals.MonthTable.Name, "basis", strings.Join(totals.MonthTable.Keys, ", ")},
		{totals.DaySumTable.Name, "CAST(sale_day AS TEXT)", strings.Join(totals.DaySumTable.Keys, ", ")},
	} {
		if err := c.checkOneCurrent(ctx, t.table, t.named, t.keys); err != nil {
			return err
		}
		if err := c.checkEnds(ctx, t.table, t.named); err != nil {
			return err
		}
	}
	// No index ensures this: one of the current rows would be a second index of the whole key.
	return c.checkOneCurrent(ctx, results.InstallmentExpectations.Name, "CAST(sale_day AS TEXT)", "sale_day, nsu, auth, number, occurrence")
}

func (c *ledgerCheck) checkOneCurrent(ctx context.Context, table, named, keys string) error {
	return sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var account, what string
		var n int64
		err := rows.Scan(&account, &what, &n)
		c.addFault(words.NewMessage("check_fault.rows_of_one_key", "table", table, "account", account, "what", what, "n", n))
		return err
	}, `
		SELECT
			CAST(account AS TEXT),
			MIN(`+named+`),
			COUNT(*)
		FROM `+table+`
		WHERE ended_run IS NULL
		GROUP BY account, `+keys+`
		HAVING COUNT(*) > 1
		ORDER BY account, `+keys)
}

func (c *ledgerCheck) checkEnds(ctx context.Context, table, named string) error {
	return sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var account, what, run, ended string
		err := rows.Scan(&account, &what, &run, &ended)
		c.addFault(words.NewMessage("check_fault.ended_by_no_run", "table", table, "account", account, "what", what, "run", run, "ended", ended))
		return err
	}, `
		SELECT
			CAST(s.account AS TEXT),
			s.what,
			s.run,
			s.ended_run
		FROM (
			SELECT
				account,
				`+named+` AS what,
				run,
				ended_run
			FROM `+table+`
			WHERE ended_run IS NOT NULL) AS s
		LEFT JOIN reconciled AS r ON r.account = s.account AND r.run = s.ended_run
		WHERE r.run IS NULL OR s.ended_run <= s.run`)
}
