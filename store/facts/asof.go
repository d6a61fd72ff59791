package facts

import (
	"concilia/store/sqldb"
)

// What a past run knew and believed. A reconcile notes with every pull that it was the first to know it, and every
// belief, sum and event bears the run that wrote it: what a run knew are the pulls noted by it and by those before it,
// and later runs change nothing of that.

// KnownTo is the condition that the reconciles up to a run, a placeholder, know a pull.
func KnownTo(pull, run string) string { return pull + ".judged <= " + run }

// KnownPull is the condition that they know the pull that a column names.
func KnownPull(column, account, run string) string {
	return column + " IN (SELECT k.id FROM pull AS k WHERE k.account = " + account + " AND " + KnownTo("k", run) + ")"
}

// StoodAsOf is the condition that a version stood as of a run.
func StoodAsOf(version, account, run string) string {
	return KnownPull(version+".first_pull", account, run) + " AND (" + version + ".ended_pull IS NULL OR NOT " +
		KnownPull(version+".ended_pull", account, run) + ")"
}

// alsoKnown is one more condition on the table pull: that the reconciles up to the run know it. No run is no condition.
func alsoKnown(w *sqldb.Conditions, run string) string {
	if run == "" {
		return ""
	}
	return " AND " + KnownTo("pull", w.AddArg(run))
}
