package ledger

// Restatement is a change of one item of a closed period since the run before: the reported members that changed, and by
// how much that changes the closed figures (operations 10, reports D.12).
type Restatement struct {
	Close   PeriodClose
	Subject string
	Run     string
	SeenOn  Date // as-of of the run
	Cause   RestatementCause
	Fields  []RestatedField
	Moved   RestatedSums
}

// RestatedField is the value of one reported member before and after a change. An item outside the period has no values.
// Of a changed document it is the kind and the hashes.
type RestatedField struct {
	Name string
	Old  string // empty: the item entered the period, or the member was absent
	New  string // empty: the item left the period, or the member is absent
}

// RestatedSums is by how much the figures of a closed period changed: after less before. Those from Contract on are only
// for cards; they are zero for slips.
type RestatedSums struct {
	Gross, Net, Received                                      Amount
	Contract, Came, NotDue, Overdue, Blocked, ShortBy, OverBy Amount
}

// Less is r − o, column by column.
func (r RestatedSums) Less(o RestatedSums) RestatedSums {
	return RestatedSums{
		Gross: r.Gross - o.Gross, Net: r.Net - o.Net, Received: r.Received - o.Received, Contract: r.Contract - o.Contract,
		Came: r.Came - o.Came, NotDue: r.NotDue - o.NotDue, Overdue: r.Overdue - o.Overdue, Blocked: r.Blocked - o.Blocked,
		ShortBy: r.ShortBy - o.ShortBy, OverBy: r.OverBy - o.OverBy,
	}
}

// RestatementCause is the reason of a restatement.
type RestatementCause string

// The causes.
const (
	CauseRestated     RestatementCause = "restated"     // by the service
	CauseCancelled    RestatementCause = "cancelled"    // taken back
	CauseChargedBack  RestatementCause = "charged_back" // taken back
	CauseReversed     RestatementCause = "reversed"     // what was taken back, or received, is not any more
	CauseVanished     RestatementCause = "vanished"     // no complete pull shows it
	CauseReappeared   RestatementCause = "reappeared"   // it had vanished
	CauseEntered      RestatementCause = "entered"      // the period
	CauseLeft         RestatementCause = "left"         // the period, for another
	CauseReclassified RestatementCause = "reclassified" // the same record, read with another mapping
	// The record is the same, and what it should have brought is another: by operation a document is the reason.
	CauseContract RestatementCause = "contract_changed"
	CauseCalendar RestatementCause = "calendar_changed"
	CauseMapping  RestatementCause = "mapping_changed"
	CauseProfile  RestatementCause = "profile_changed"
)

// RestatementCauses returns all causes in the order of the totals.
func RestatementCauses() []RestatementCause {
	return []RestatementCause{
		CauseRestated, CauseCancelled, CauseChargedBack, CauseReversed, CauseVanished, CauseReappeared, CauseEntered, CauseLeft,
		CauseReclassified, CauseContract, CauseCalendar, CauseMapping, CauseProfile,
	}
}

// ReportedCard is an installment as of a run, with what is believed of it.
type ReportedCard struct {
	Key       InstallmentKey
	Version   int
	Count     int
	Effective Date
	Gross     Amount
	MDR       Opt[Amount]
	Fee       Opt[Amount]
	Antifraud Opt[Amount]
	Received  Opt[Amount]
	Class     Class
	Rest      Line
	Net       Amount
	Contract  Amount
}
