package facts

import (
	"concilia/store/sqldb"
)

// What a past run knew and believed. A reconcile notes with every pull that it was the first to know it, and every
// belief, sum and event bears the run that wrote it: what a run knew are the pulls noted by it and by those before it,
// and later runs change nothing of that.

// PullIncludedBy is the condition that the reconciles up to a run, a placeholder, know a pull.
func PullIncludedBy(pull, run string) string { return pull + ".judged <= " + run }

// PullIDIncludedBy is the condition that they know the pull that a column names.
func PullIDIncludedBy(column, account, run string) string {
	return column + " IN (SELECT k.id FROM pull AS k WHERE k.account = " + account + " AND " + PullIncludedBy("k", run) + ")"
}

// VersionCurrentAsOf is the condition that a version stood as of a run.
func VersionCurrentAsOf(version, account, run string) string {
	return PullIDIncludedBy(version+".first_pull", account, run) + " AND (" + version + ".ended_pull IS NULL OR NOT " +
		PullIDIncludedBy(version+".ended_pull", account, run) + ")"
}

// andIncludedBy is one more condition on the table pull: that the reconciles up to the run know it. No run is no condition.
func andIncludedBy(w *sqldb.Conditions, run string) string {
	if run == "" {
		return ""
	}
	return " AND " + PullIncludedBy("pull", w.AddArg(run))
}
