package reports

import (
	"concilia/store/facts"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// standing adds the conditions that an installment i is of the account and stands.
func (q *Query) standing(w *sqldb.Conditions) {
	account := w.AddArg(int64(q.Account))
	w.Add("i.account = " + account)
	if q.AsOfRun == "" {
		w.Add("i.ended_pull IS NULL")
		return
	}
	w.Add(facts.StoodAsOf("i", account, w.AddArg(q.AsOfRun)))
}

// believed is the condition that joins an installment i with what is believed of it.
func (q *Query) believed(w *sqldb.Conditions) string {
	if q.AsOfRun == "" {
		return facts.ExpectationOf
	}
	return facts.ExpectationKey + " AND " + results.BelievedAsOf(w.AddArg(q.AsOfRun))
}

// rewind takes from a version what later runs made of it.
func (q *Query) rewind(v *facts.VersionRow) {
	if q.AsOfRun != "" {
		v.LastPull, v.EndedPull, v.Vanished = "", "", false
	}
}

// slipSight is what mergedSlips goes by, whose $1 is the account, and the condition on what is believed of a slip.
func (q *Query) slipSight(w *sqldb.Conditions) (sight facts.SlipSight, believed string) {
	if q.AsOfRun == "" {
		return facts.NowSlips(), "e.ended_run IS NULL"
	}
	run := w.AddArg(q.AsOfRun)
	known := func(column string) string { return facts.KnownPull(column, "$1", run) }
	const ofView = "s.account = v.account AND s.id = v.id AND s.list = v.list AND s.version = v.version"
	return facts.SlipSight{
		Stands: facts.StoodAsOf("v", "$1", run),
		Proven: "v.proven = 1 AND NOT EXISTS (SELECT 1 FROM slip_sighting AS s WHERE " + ofView +
			" AND s.proved = 1 AND NOT " + known("s.pull") + ")",
		Known:  facts.KnownTo("p", run),
		Judged: "c.run <= " + run,
		Last: "COALESCE((SELECT s.pull FROM slip_sighting AS s WHERE " + ofView + " AND " + known("s.pull") +
			" ORDER BY s.sequence DESC LIMIT 1), v.first_pull)",
	}, results.BelievedAsOf(run)
}
