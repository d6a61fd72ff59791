package store

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
)

// CardDifferences gives N* − R of the account's cards per day, brand and product, the other side of the bridge: R is
// taken from the rows, not from what the rules made of it. What was paid before a claw-back is netted against it.
// Rows no run has judged, and vanished ones, are not in it. Line is empty.
func (r *Reconciling) CardDifferences() ([]ledger.BridgeRow, error) {
	out, err := differences(r.ctx, r.t, r.account, "cards", cardDifferences)
	return out, r.t.l.fault(r.doing, err)
}

// SlipDifferences gives V* − credited of the account's slips per day, as CardDifferences does: credited is what was
// paid, once the view seen last has a credit date.
func (r *Reconciling) SlipDifferences() ([]ledger.BridgeRow, error) {
	out, err := differences(r.ctx, r.t, r.account, "slips", slipDifferences)
	return out, r.t.l.fault(r.doing, err)
}

// Differences gives the other side of the account's bridge as it stands: both sides, cards before slips.
func (l *Ledger) Differences(ctx context.Context, a ledger.Account) ([]ledger.BridgeRow, error) {
	cards, err := differences(ctx, l.db.Read, a, "cards", cardDifferences)
	if err != nil {
		return nil, l.fault("sum the cards of account "+a.String(), err)
	}
	slips, err := differences(ctx, l.db.Read, a, "slips", slipDifferences)
	return append(cards, slips...), l.fault("sum the slips of account "+a.String(), err)
}

func differences(ctx context.Context, q querier, a ledger.Account, side, query string) ([]ledger.BridgeRow, error) {
	var out []ledger.BridgeRow
	err := each(ctx, q, func(rows *sql.Rows) error {
		b := ledger.BridgeRow{Account: a, Side: side}
		err := rows.Scan(&b.Day, &b.Brand, &b.Product, &b.Amount)
		out = append(out, b)
		return err
	}, query, int64(a))
	return out, err
}

const cardDifferences = `
		SELECT
			i.sale_day,
			e.brand,
			e.product,
			CAST(SUM(e.net_contract - CASE
				WHEN e.class IN ('cancelled', 'chargeback') AND i.received < 0 THEN i.received + COALESCE((
					SELECT MAX(b.received)
					FROM installment AS b
					WHERE b.account = i.account AND b.sale_day = i.sale_day AND b.nsu = i.nsu AND b.auth = i.auth
						AND b.number = i.number AND b.occurrence = i.occurrence AND b.version < i.version
						AND b.received > 0), 0)
				ELSE COALESCE(i.received, 0)
			END) AS BIGINT)
		FROM installment AS i
		JOIN expectation AS e ON ` + expectationOf + `
		WHERE i.account = $1 AND i.ended_pull IS NULL
		GROUP BY i.sale_day, e.brand, e.product
		ORDER BY i.sale_day, e.brand, e.product`

const slipDifferences = mergedSlips + `
		SELECT
			COALESCE(e.day, 0),
			'',
			'',
			CAST(SUM(e.face - CASE WHEN m.credited_on IS NULL THEN 0 ELSE COALESCE(m.paid_value, 0) END) AS BIGINT)
		FROM merged AS m
		JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND e.ended_run IS NULL
		GROUP BY COALESCE(e.day, 0)
		ORDER BY COALESCE(e.day, 0)`

// mergedSlips is ledger.SlipOf in SQL, for sums that must not come from the same code as the rows: of the views of
// account $1 that stand, the one seen last, with the charges of the credit list's.
const mergedSlips = `
		WITH covered AS (
			SELECT
				d.list,
				d.list_day,
				MAX(p.began) AS began
			FROM (
				SELECT DISTINCT
					list,
					list_day
				FROM slip
				WHERE account = $1 AND ended_pull IS NULL AND proven = 1 AND list_day IS NOT NULL) AS d
			JOIN pull AS p ON p.account = $1 AND p.source = d.list AND p.complete = 1 AND p.from_day <= d.list_day
				AND p.to_day >= d.list_day
			GROUP BY d.list, d.list_day),
		ranked AS (
			SELECT
				v.id,
				v.value,
				v.issued,
				v.due,
				v.paid_on,
				v.credited_on,
				v.paid_value,
				ROW_NUMBER() OVER (
					PARTITION BY v.id
					ORDER BY
						CASE WHEN v.proven = 1 AND c.began > p.began THEN c.began ELSE p.began END DESC,
						CASE v.list
							WHEN 'slips.detail' THEN 0
							WHEN 'slips.credit' THEN 1
							WHEN 'slips.payment' THEN 2
							ELSE 3
						END) AS place
			FROM slip AS v
			JOIN pull AS p ON p.account = v.account AND p.id = COALESCE(v.last_pull, v.first_pull)
			LEFT JOIN covered AS c ON c.list = v.list AND c.list_day = v.list_day
			WHERE v.account = $1 AND v.ended_pull IS NULL),
		merged AS (
			SELECT
				r.id,
				r.value,
				r.issued,
				r.due,
				r.paid_on,
				r.credited_on,
				r.paid_value,
				t.penalty_received,
				t.interest_received
			FROM ranked AS r
			LEFT JOIN slip AS t ON t.account = $1 AND t.id = r.id AND t.list = 'slips.credit' AND t.ended_pull IS NULL
			WHERE r.place = 1)`
