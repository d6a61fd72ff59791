package results

// ExpectationCurrentAsOf is the condition that an expectation e was believed as of a run.
func ExpectationCurrentAsOf(run string) string {
	return "e.run <= " + run + " AND (e.ended_run IS NULL OR e.ended_run > " + run + ")"
}

// EventWrittenBy is the condition that an event was there when a run had reconciled. What people did after it bears its id,
// too.
func EventWrittenBy(event, run string) string {
	return "(" + event + ".run < " + run + " OR (" + event + ".run = " + run + " AND " + event + ".act = 0))"
}

// CasesAsOf is a FROM item of the cases as their last events up to a run tell them.
func CasesAsOf(run string) string {
	return `(
			SELECT v.*
			FROM finding_event AS v
			WHERE ` + EventWrittenBy("v", run) + ` AND NOT EXISTS (
				SELECT 1
				FROM finding_event AS n
				WHERE n.account = v.account AND n.case_id = v.case_id AND n.sequence > v.sequence
					AND ` + EventWrittenBy("n", run) + `)) AS finding`
}
