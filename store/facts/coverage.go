package facts

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// DayCoverage is what is known about one day of a source.
type DayCoverage struct {
	Complete      bool        // a complete pull began on a later business day
	Pull          string      // the last complete pull that proves the day, or else the last that touched it
	Began         time.Time   // of that pull, on the wall clock
	On            ledger.Date // of that pull, on the business clock
	Rows          int64       // it saw, of its whole window
	RowsUnchanged bool        // of that pull: it brought no new row of its window and lacked none
	CompletePulls int         // number of complete pulls of the day, whether begun before or after its end
	FirstProof    string      // the first complete pull that proves the day; empty while none does
	FirstProofOn  ledger.Date // of that pull, on the business clock
	Failure       string      // why Pull is not complete
}

// Coverage says of each day of the period that any pull of the source touched what is known of it. A day without an
// entry was never asked for. A day had ended when the pull has a later date (Pull.On).
func (l *PlanReader) Coverage(ctx context.Context, a ledger.Account, source ledger.Source, period ledger.Period,
) (map[ledger.Date]DayCoverage, error) {
	days := make(map[ledger.Date]DayCoverage)
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var day ledger.Date
		var c DayCoverage
		err := rows.Scan(&day, sqldb.IntoBool(&c.Complete), &c.Pull, sqldb.IntoTime(&c.Began), sqldb.IntoDate(&c.On), &c.Rows, sqldb.IntoBool(&c.RowsUnchanged), &c.CompletePulls, &c.FirstProof,
			sqldb.IntoDate(&c.FirstProofOn), &c.Failure)
		days[day] = c
		return err
	}, `
		SELECT
			c.day,
			CASE WHEN c.proved_pull = '' THEN 0 ELSE 1 END,
			p.id,
			p.began,
			p.pulled_on,
			p.rows_seen,
			CASE WHEN p.complete = 1 AND p.rows_new = 0 AND p.vanished = 0 THEN 1 ELSE 0 END,
			c.whole,
			c.since_pull,
			s.pulled_on,
			p.failure
		FROM cover AS c
		JOIN pull AS p ON p.account = c.account AND p.id = CASE WHEN c.proved_pull = '' THEN c.asked_pull ELSE c.proved_pull END
		LEFT JOIN pull AS s ON s.account = c.account AND s.id = c.since_pull
		WHERE c.account = $1 AND c.source = $2 AND c.day BETWEEN $3 AND $4`,
		int64(a), string(source), int64(period.From), int64(period.To))
	return days, l.db.WrapError("read the coverage of account "+a.String(), err)
}

// recordCoverage notes of each day of a pull what the pull is to it. Pulls may be kept in any order: first and last are by when
// they began, and by id where two began at once.
func recordCoverage(ctx context.Context, t *sqldb.Tx, p *ledger.Pull) {
	w := &sqldb.Conditions{}
	account, source := w.AddArg(int64(p.Window.Account)), w.AddArg(string(p.Window.Source))
	whole, id, began := w.AddArg(sqldb.BoolArg(p.Complete)), w.AddArg(p.ID), w.AddArg(p.Began.UnixMicro())
	is := func(so bool) string {
		if so {
			return began + ", " + id
		}
		return "0, ''"
	}
	var days []string
	for d := p.Window.Period.From; d <= p.Window.Period.To; d++ {
		proves := is(p.ProvesDay(d))
		row := []string{account, source, w.AddArg(int64(d)), whole, is(true), is(p.Complete), proves, proves}
		days = append(days, "("+strings.Join(row, ", ")+")")
	}
	if len(days) == 0 {
		return
	}
	t.ExecLater(ctx, `
		INSERT INTO cover (
			account,
			source,
			day,
			whole,
			asked_began,
			asked_pull,
			shown_began,
			shown_pull,
			proved_began,
			proved_pull,
			since_began,
			since_pull)
		VALUES `+strings.Join(days, ", ")+onCoverageConflict(), w.Args...)
}

// onCoverageConflict keeps of two pulls the last, and of since the first; a day that has none is at 0 and ”.
func onCoverageConflict() string {
	return `
		ON CONFLICT (account, source, day) DO UPDATE SET
			whole = cover.whole + excluded.whole` + choosePull("asked", ifLater) + choosePull("shown", ifLater) + choosePull("proved", ifLater) +
		choosePull("since", ifEarlier)
}

const (
	ifLater   = "(excluded.#_began, excluded.#_pull) > (cover.#_began, cover.#_pull)"
	ifEarlier = "excluded.#_pull <> '' AND (cover.#_pull = '' OR (excluded.#_began, excluded.#_pull) < (cover.#_began, cover.#_pull))"
)

// choosePull sets the two columns of a pull to those of the new one where the condition, in which # is their name, holds.
func choosePull(name, condition string) string {
	return strings.ReplaceAll(`,
			#_began = CASE WHEN `+condition+` THEN excluded.#_began ELSE cover.#_began END,
			#_pull = CASE WHEN `+condition+` THEN excluded.#_pull ELSE cover.#_pull END`, "#", name)
}

// RequestedWindow is a window that was answered completely at least once, with the business days on which it was asked.
type RequestedWindow struct {
	Source      ledger.Source
	Period      ledger.Period
	First, Last ledger.Date // dates of the first and the last such pull
	LastChange  ledger.Date // of the last that brought a new, changed or vanished row; none: no pull ever did
}

// RequestedWindows returns the completely answered windows of the account that touch since or a later day, except details of
// single slips.
func (l *PlanReader) RequestedWindows(ctx context.Context, a ledger.Account, since ledger.Date) ([]RequestedWindow, error) {
	var out []RequestedWindow
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var w RequestedWindow
		err := rows.Scan(&w.Source, &w.Period.From, &w.Period.To, sqldb.IntoDate(&w.First), sqldb.IntoDate(&w.Last), sqldb.IntoDate(&w.LastChange))
		out = append(out, w)
		return err
	}, `
		SELECT
			source,
			from_day,
			to_day,
			first_on,
			last_on,
			moved_on
		FROM asked
		WHERE account = $1 AND to_day >= $2
		ORDER BY source, from_day, to_day`, int64(a), int64(since))
	return out, l.db.WrapError("read what account "+a.String()+" was asked for", err)
}

// recordWindow notes of the window of a pull that arrived whole when it was asked for. Pulls may be kept in any order. A day
// of 0 is none.
func recordWindow(ctx context.Context, t *sqldb.Tx, p *ledger.Pull) {
	if !p.Complete || p.Window.Source == ledger.SlipDetail {
		return
	}
	var changed ledger.Date
	if p.Counts.New+p.Counts.Changed+p.Counts.Vanished > 0 {
		changed = p.On
	}
	t.ExecLater(ctx, `
		INSERT INTO asked (
			account,
			source,
			from_day,
			to_day,
			first_on,
			last_on,
			moved_on)
		VALUES ($1, $2, $3, $4, $5, $5, $6)
		ON CONFLICT (account, source, from_day, to_day) DO UPDATE SET
			first_on = CASE
				WHEN excluded.first_on > 0 AND (asked.first_on = 0 OR excluded.first_on < asked.first_on) THEN excluded.first_on
				ELSE asked.first_on
			END,
			last_on = CASE WHEN excluded.last_on > asked.last_on THEN excluded.last_on ELSE asked.last_on END,
			moved_on = CASE WHEN excluded.moved_on > asked.moved_on THEN excluded.moved_on ELSE asked.moved_on END`,
		int64(p.Window.Account), string(p.Window.Source), int64(p.Window.Period.From), int64(p.Window.Period.To), int64(p.On), int64(changed))
}
