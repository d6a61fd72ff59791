package reports

import (
	"strconv"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// takenBack is the greatest amount that is below zero once it is rounded to cents, half away from zero.
const takenBack = -ledger.Cent / 2

// sinceColumns are the columns of the day on which an installment i was first seen to be what is believed of it, NULL for what it
// is not: cancelled or charged back, and taken back. Of its versions up to this one those count of which a run believed
// the same class, and those of which the service said the same words: no run may have judged them, or it could not read
// the words yet, and nothing but words makes these classes. Only rows that are one of these have their versions looked up.
func (q *Query) sinceColumns(w *sqldb.Conditions) string {
	believed := ""
	if q.AsOfRun != "" {
		believed = " AND x.run <= " + w.AddArg(q.AsOfRun)
	}
	const earlier = `
				SELECT MIN(h.last_changed)
				FROM installment AS h
				WHERE h.account = i.account AND h.sale_day = i.sale_day AND h.nsu = i.nsu AND h.auth = i.auth
					AND h.number = i.number AND h.occurrence = i.occurrence AND h.version <= i.version`
	short := strconv.Itoa(int(takenBack))
	return `
			CASE WHEN e.class IN ('cancelled', 'chargeback') THEN (` + earlier + `
					AND (h.status = i.status AND h.received_status = i.received_status OR EXISTS (
						SELECT 1
						FROM expectation AS x
						WHERE x.account = h.account AND x.sale_day = h.sale_day AND x.nsu = h.nsu AND x.auth = h.auth
							AND x.number = h.number AND x.occurrence = h.occurrence AND x.version = h.version
							AND x.class = e.class` + believed + `))
				) END AS class_since,
			CASE WHEN i.received <= ` + short + ` THEN (` + earlier + `
					AND h.received <= ` + short + `
				) END AS taken_back_since`
}
