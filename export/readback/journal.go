package readback

import (
	"io"

	"concilia/export/journal"
	"concilia/export/report"
	"concilia/store/ledger"
)

// ReadJournal reads a file of the journal in the format of an accountant's program, or an office's own CSV, whose columns show values.
func ReadJournal(in io.Reader, f report.Format, values []string) (journal.Totals, error) {
	if f == report.CSV {
		return journal.ReadOwn(in, values)
	}
	return journal.ReadTotals(in, journal.Format(f))
}

// JournalFigures returns the figures of a file of the journal by measure.
func JournalFigures(t journal.Totals) func(string) ledger.Opt[int64] {
	values := map[string]int64{"count": t.Entries * 10_000, "debit": int64(t.Debits), "credit": int64(t.Credits)}
	return func(measure string) ledger.Opt[int64] {
		v, ok := values[measure]
		return ledger.Opt[int64]{V: v, OK: ok}
	}
}

// JournalSums returns the sums of the file in the format of the manifest.
func JournalSums(t journal.Totals) map[string]string {
	return map[string]string{"debit": t.Debits.Fixed(2), "credit": t.Credits.Fixed(2)}
}
