package facts

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// QuarantinedRows returns the account's rows that could not be parsed and that the service still sends, by source and hash.
func (l *PullStore) QuarantinedRows(ctx context.Context, a ledger.Account) ([]ledger.Quarantined, error) {
	return l.ReadQuarantine(ctx, l.db.Read, a)
}

// ReadQuarantine is QuarantinedRows on any connection or transaction.
func (l *PullStore) ReadQuarantine(ctx context.Context, q sqldb.Querier, a ledger.Account) ([]ledger.Quarantined, error) {
	var out []ledger.Quarantined
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		r := ledger.Quarantined{Account: a}
		err := rows.Scan(&r.Source, sqldb.IntoDate(&r.Day), &r.Hash, &r.Body, &r.Reason, sqldb.IntoOpt(&r.Gross), sqldb.IntoBool(&r.KeyRead))
		out = append(out, r)
		return err
	}, `
		SELECT
			source,
			day,
			hash,
			body,
			reason,
			gross,
			key_read
		FROM quarantine
		WHERE account = $1 AND ended_pull IS NULL
		ORDER BY source, hash`, int64(a))
	return out, l.db.WrapError("read the quarantine of account "+a.String(), err)
}

// mergeQuarantine keeps the rows of the answer that could not be parsed. Those kept before from the same days that a
// complete answer no longer has are over.
func (m *pullMerge) mergeQuarantine(ctx context.Context, bad []ledger.Quarantined) error {
	m.counts.Quarantined = int64(len(bad))
	m.counts.Rows += int64(len(bad))
	if m.pull.Complete && m.pull.Window.Source != ledger.SlipDetail {
		_, err := m.ExecContext(ctx, `
			UPDATE quarantine
			SET ended_pull = $5
			WHERE account = $1 AND source = $2 AND day >= $3 AND day <= $4 AND ended_pull IS NULL`,
			int64(m.pull.Window.Account), string(m.pull.Window.Source), int64(m.pull.Window.Period.From),
			int64(m.pull.Window.Period.To), m.pull.ID)
		if err != nil {
			return err
		}
	}
	for i := range bad {
		if err := m.storeQuarantined(ctx, &bad[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *pullMerge) storeQuarantined(ctx context.Context, q *ledger.Quarantined) error {
	day := q.Day
	if day == 0 {
		day = m.pull.Window.Period.From
	}
	body := q.Body
	if body == nil {
		body = []byte{}
	}
	_, err := m.ExecContext(ctx, `
		INSERT INTO quarantine (
			account,
			source,
			hash,
			day,
			body,
			reason,
			gross,
			key_read,
			first_pull,
			ended_pull)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL)
		ON CONFLICT (account, source, hash) DO UPDATE
		SET
			day = excluded.day,
			reason = excluded.reason,
			gross = excluded.gross,
			key_read = excluded.key_read,
			ended_pull = NULL`,
		int64(q.Account), string(q.Source), q.Hash, sqldb.DateArg(day), body, q.Reason, sqldb.OptArg(q.Gross), sqldb.BoolArg(q.KeyRead),
		m.pull.ID)
	return err
}

// unreadableRows answers whether a row that is absent now may be one that came back unreadable.
type unreadableRows struct {
	cards   map[ledger.InstallmentKey]bool // without occurrence
	slips   map[string]bool
	unknown bool // a key could be read but was not handed on
}

func indexUnreadable(bad []ledger.Quarantined) unreadableRows {
	u := unreadableRows{cards: make(map[ledger.InstallmentKey]bool), slips: make(map[string]bool)}
	for i := range bad {
		q := &bad[i]
		k := q.Key
		k.Occurrence = 0
		switch {
		case !q.KeyRead:
		case q.SlipID != "":
			u.slips[q.SlipID] = true
		case k != ledger.InstallmentKey{}:
			k.Account = q.Account
			u.cards[k] = true
		default:
			u.unknown = true
		}
	}
	return u
}

func (u *unreadableRows) hasCard(k ledger.InstallmentKey) bool {
	k.Occurrence = 0
	return u.unknown || u.cards[k]
}

func (u *unreadableRows) hasSlip(id string) bool { return u.unknown || u.slips[id] }
