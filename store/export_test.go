package store

import "fmt"

// LimitPages leaves the file of a ledger room for that many more pages.
func LimitPages(l *Ledger, more int) error {
	var now int
	if err := l.db.Write.QueryRow("PRAGMA page_count").Scan(&now); err != nil {
		return err
	}
	var limit int
	return l.db.Write.QueryRow(fmt.Sprint("PRAGMA max_page_count = ", now+more)).Scan(&limit)
}
