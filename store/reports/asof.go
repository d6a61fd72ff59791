package reports

import (
	"concilia/store/facts"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// addCurrent adds the conditions that an installment i is of the account and stands.
func (q *Query) addCurrent(w *sqldb.Conditions) {
	account := w.AddArg(int64(q.Account))
	w.Add("i.account = " + account)
	if q.AsOfRun == "" {
		w.Add("i.ended_pull IS NULL")
		return
	}
	w.Add(facts.VersionCurrentAsOf("i", account, w.AddArg(q.AsOfRun)))
}

// expectationJoin is the condition that joins an installment i with what is believed of it.
func (q *Query) expectationJoin(w *sqldb.Conditions) string {
	if q.AsOfRun == "" {
		return facts.CurrentExpectationJoin
	}
	return facts.ExpectationJoin + " AND " + results.ExpectationCurrentAsOf(w.AddArg(q.AsOfRun))
}

// rewindVersion takes from a version what later runs made of it.
func (q *Query) rewindVersion(v *facts.InstallmentRow) {
	if q.AsOfRun != "" {
		v.LastPull, v.EndedPull, v.Vanished = "", "", false
	}
}

// slipConditions is what mergedSlips goes by, whose $1 is the account, and the condition on what is believed of a slip.
func (q *Query) slipConditions(w *sqldb.Conditions) (sight facts.SlipConditions, believed string) {
	if q.AsOfRun == "" {
		return facts.CurrentSlips(), "e.ended_run IS NULL"
	}
	run := w.AddArg(q.AsOfRun)
	known := func(column string) string { return facts.PullIDIncludedBy(column, "$1", run) }
	const ofView = "s.account = v.account AND s.id = v.id AND s.list = v.list AND s.version = v.version"
	return facts.SlipConditions{
		Current: facts.VersionCurrentAsOf("v", "$1", run),
		Proven: "v.proven = 1 AND NOT EXISTS (SELECT 1 FROM slip_sighting AS s WHERE " + ofView +
			" AND s.proved = 1 AND NOT " + known("s.pull") + ")",
		Included:   facts.PullIncludedBy("p", run),
		Reconciled: "c.run <= " + run,
		LastPull: "COALESCE((SELECT s.pull FROM slip_sighting AS s WHERE " + ofView + " AND " + known("s.pull") +
			" ORDER BY s.sequence DESC LIMIT 1), v.first_pull)",
	}, results.ExpectationCurrentAsOf(run)
}
