package store

// What a past run knew and believed. A reconcile notes with every pull that it was the first to know it, and every
// belief, sum and event bears the run that wrote it: what a run knew are the pulls noted by it and by those before it,
// and later runs change nothing of that.

// knownTo is the condition that the reconciles up to a run, a placeholder, know a pull.
func knownTo(pull, run string) string { return pull + ".judged <= " + run }

// knownPull is the condition that they know the pull that a column names.
func knownPull(column, account, run string) string {
	return column + " IN (SELECT k.id FROM pull AS k WHERE k.account = " + account + " AND " + knownTo("k", run) + ")"
}

// stoodAsOf is the condition that a version stood as of a run.
func stoodAsOf(version, account, run string) string {
	return knownPull(version+".first_pull", account, run) + " AND (" + version + ".ended_pull IS NULL OR NOT " +
		knownPull(version+".ended_pull", account, run) + ")"
}

// believedAsOf is the condition that an expectation e was believed as of a run.
func believedAsOf(run string) string {
	return "e.run <= " + run + " AND (e.ended_run IS NULL OR e.ended_run > " + run + ")"
}

// alsoKnown is one more condition on the table pull: that the reconciles up to the run know it. No run is no condition.
func (w *where) alsoKnown(run string) string {
	if run == "" {
		return ""
	}
	return " AND " + knownTo("pull", w.arg(run))
}

// standing adds the conditions that an installment i is of the account and stands.
func (q *Query) standing(w *where) {
	account := w.arg(int64(q.Account))
	w.add("i.account = " + account)
	if q.AsOfRun == "" {
		w.add("i.ended_pull IS NULL")
		return
	}
	w.add(stoodAsOf("i", account, w.arg(q.AsOfRun)))
}

// believed is the condition that joins an installment i with what is believed of it.
func (q *Query) believed(w *where) string {
	if q.AsOfRun == "" {
		return expectationOf
	}
	return expectationKey + " AND " + believedAsOf(w.arg(q.AsOfRun))
}

// rewind takes from a version what later runs made of it.
func (q *Query) rewind(v *version) {
	if q.AsOfRun != "" {
		v.LastPull, v.ended, v.Vanished = "", "", false
	}
}

// slipSight is what mergedSlips goes by, whose $1 is the account, and the condition on what is believed of a slip.
func (q *Query) slipSight(w *where) (sight slipSight, believed string) {
	if q.AsOfRun == "" {
		return nowSlips(), "e.ended_run IS NULL"
	}
	run := w.arg(q.AsOfRun)
	known := func(column string) string { return knownPull(column, "$1", run) }
	const ofView = "s.account = v.account AND s.id = v.id AND s.list = v.list AND s.version = v.version"
	return slipSight{
		stands: stoodAsOf("v", "$1", run),
		proven: "v.proven = 1 AND NOT EXISTS (SELECT 1 FROM slip_sighting AS s WHERE " + ofView +
			" AND s.proved = 1 AND NOT " + known("s.pull") + ")",
		known:  knownTo("p", run),
		judged: "c.run <= " + run,
		last: "COALESCE((SELECT s.pull FROM slip_sighting AS s WHERE " + ofView + " AND " + known("s.pull") +
			" ORDER BY s.sequence DESC LIMIT 1), v.first_pull)",
	}, believedAsOf(run)
}

// toldAsOf is the condition that an event was there when a run had reconciled. What people did after it bears its id,
// too.
func toldAsOf(event, run string) string {
	return "(" + event + ".run < " + run + " OR (" + event + ".run = " + run + " AND " + event + ".act = 0))"
}

// findingsAsOf is a FROM item of the cases as their last events up to a run tell them.
func findingsAsOf(run string) string {
	return `(
			SELECT v.*
			FROM finding_event AS v
			WHERE ` + toldAsOf("v", run) + ` AND NOT EXISTS (
				SELECT 1
				FROM finding_event AS n
				WHERE n.account = v.account AND n.case_id = v.case_id AND n.sequence > v.sequence
					AND ` + toldAsOf("n", run) + `)) AS finding`
}
