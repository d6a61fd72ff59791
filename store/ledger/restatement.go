package ledger

// Restatement is what a run found changed of one item of a closed period since the run before it: what the basis reports
// of the item, and by how much that moves the figures that were closed (operations 10, reports D.12).
type Restatement struct {
	Close   PeriodClose
	Subject string
	Run     string
	SeenOn  Date // as-of of the run
	Cause   RestatementCause
	Fields  []RestatedField
	Moved   RestatedSums
}

// RestatedField is one member that a basis reports, before and after. Nothing is reported of an item outside the period.
type RestatedField struct {
	Name string
	Old  string // empty: the item entered the period, or the member was not sent
	New  string // empty: it left
}

// RestatedSums are by how much the figures of a closed period moved: after less before. Those from Contract on are the cards'
// columns of a summary that follow; slips leave them zero.
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

// RestatementCause says why.
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
)

// RestatementCauses are the causes, in the order in which totals name them.
func RestatementCauses() []RestatementCause {
	return []RestatementCause{
		CauseRestated, CauseCancelled, CauseChargedBack, CauseReversed, CauseVanished, CauseReappeared, CauseEntered, CauseLeft,
		CauseReclassified,
	}
}

// ReportedCard is an installment as it stood as of a run, with what is believed of it.
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
