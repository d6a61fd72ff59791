package bank

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Conclude is what a run keeps of the bank account. The titles of their days were added.
func (m *Matched) Conclude(titles *Titles, ev *Evaluation, v ledger.Verdict) *banking.Conclusion {
	out := &banking.Conclusion{
		Outcome: banking.Outcome{Bank: m.Account.ID, Verdict: v, Frontier: banking.Frontier(m.Days, m.Account.Since), Voided: int64(len(m.Voided)), LeftOut: m.LeftOut, Readings: m.describeReadings()},
		Days:    m.seenDays(),
		Credits: m.Credits(titles),
		Paid:    m.listPaid(),
	}
	cases := map[string][]*ledger.Finding{}
	for i := range ev.Findings {
		f := &ev.Findings[i]
		cases[f.Subject] = append(cases[f.Subject], f)
	}
	closed := m.closedDays()
	out.TakenBack = m.takenBack
	for i := range m.Results {
		r := &m.Results[i]
		for n := range r.Rows {
			d, parts := m.DepositOf(r, &r.Rows[n])
			if day, plain := r.dayOf(&r.Rows[n]); plain && closed[day] {
				d.Closed = day
			}
			for n := range parts {
				addCases(&d, cases[parts[n].Part])
				parts[n].Closed = d.Closed
			}
			out.Deposits, out.Parts = append(out.Deposits, d), append(out.Parts, parts...)
		}
	}
	for _, month := range m.Bridge() {
		add := func(line match.BridgeLine, a ledger.Amount) {
			out.Bridge = append(out.Bridge, banking.BridgeAmount{Bank: m.Account.ID, Month: month.Month, Line: string(line), Amount: a})
		}
		add(BridgeReceived, month.Received)
		for _, line := range match.BridgeLines() {
			if a := month.Lines[line]; a != 0 {
				add(line, a)
			}
		}
		add(BridgeBooked, month.Booked)
	}
	return out
}

// The ends of a bridge.
const (
	BridgeReceived match.BridgeLine = "received"
	BridgeBooked   match.BridgeLine = "booked"
)

// describeReadings says how the payers pay, as it is read.
func (g *Grouping) describeReadings() string {
	var all []string
	for i := range g.Account.Payers {
		p := &g.Account.Payers[i]
		tariff := "none"
		switch {
		case p.NetOfTariff:
			tariff = "net"
		case p.TariffDebited:
			tariff = "debit"
		}
		all = append(all, fmt.Sprintf("%s: grain %s, per_account %v, net_of_splits %v, slip_tariff %s", p.Name, p.Grain, p.PerAccount, p.NetOfSplits, tariff))
	}
	return strings.Join(all, "\n")
}

// addCases adds the codes of cases of a part, and what they come to.
func addCases(d *banking.Deposit, cases []*ledger.Finding) {
	codes := strings.FieldsFunc(d.Codes, func(r rune) bool { return r == '|' })
	for _, f := range cases {
		if !slices.Contains(codes, f.Code) {
			codes = append(codes, f.Code)
		}
		if f.Impact.OK {
			d.Impact = ledger.Some(d.Impact.V + f.Impact.V)
		}
	}
	slices.Sort(codes)
	d.Codes = strings.Join(codes, "|")
}

func (c *Conciliation) seenDays() []banking.SeenDay {
	out := make([]banking.SeenDay, len(c.Days))
	for i := range c.Days {
		d := &c.Days[i]
		out[i] = banking.SeenDay{
			Account: c.Home, Bank: c.Account.ID, Day: d.Day, State: d.State, Lines: d.Lines, Other: c.others[d.Day],
			Credits: d.Credits, Debits: d.Debits, Balance: d.Balance, Residual: d.Residual,
		}
		if d.File != (ledger.FileHash{}) {
			out[i].File = hex.EncodeToString(d.File[:8])
		}
	}
	return out
}

// DepositOf is a row as the ledger keeps it, and what it is made of.
func (m *Matched) DepositOf(r *PayerResult, row *match.Row) (d banking.Deposit, parts []banking.DepositPart) {
	d = banking.Deposit{
		Account: m.Home, Bank: m.Account.ID, Payer: r.Payer, Debits: row.Debits, Lines: int64(len(row.Lines)), Status: string(row.Status),
		Reason: m.findReason(r, row),
	}
	var groups, lines, names []string
	for _, i := range row.Groups {
		g := &r.Groups[i]
		groups = append(groups, m.GroupSubject(r.Payer, g))
		parts = append(parts, banking.DepositPart{Part: groups[len(groups)-1], Kind: banking.GroupPart, BankDay: g.BankDay, Amount: g.Amount})
		d.Items, d.Splits = d.Items+g.Count, d.Splits+g.Splits
		for n := range g.Items {
			names = append(names, g.Items[n].Name())
		}
	}
	for _, i := range row.Lines {
		l := &r.Lines[i]
		lines = append(lines, l.Key)
		parts = append(parts, banking.DepositPart{Part: l.Key, Kind: banking.LinePart, BankDay: l.BankDay, Amount: l.Amount})
	}
	for _, i := range row.DebitsOf {
		x := &r.Debits[i]
		if !x.Known && x.Name != slipTariff {
			d.Declared += x.Amount
		}
		parts = append(parts, banking.DepositPart{Part: DebitPart(r.Payer, x.Key), Kind: banking.DebitPart, Amount: x.Amount})
	}
	slices.Sort(names)
	d.Parts = strings.Join(slices.Compact(names), "|")
	if len(row.Groups) > 0 {
		g := &r.Groups[row.Groups[0]]
		d.CreditDay, d.Day, d.Expected = g.Day, g.BankDay, ledger.Some(row.Expected)
	}
	if len(row.Lines) > 0 {
		d.Day, d.Credited, d.Text = r.Lines[row.Lines[0]].Day, ledger.Some(row.Credited), ledger.MaskPersonDocuments(r.Text(row.Lines[0]))
	}
	slices.Sort(groups)
	slices.Sort(lines)
	d.Subject = cmp.Or(slices.Concat(groups, lines)...)
	d.Name = d.Subject
	if row.Matched {
		d.Match = NameMatch(m.Account.ID, groups, lines)
		d.Name, d.Pass = d.Match, ledger.Some(int64(row.Pass))
		d.Shift = m.shiftOf(r, row)
	}
	for i := range parts {
		parts[i].Deposit = d.Name
	}
	return d, parts
}

// DebitPart is how the ledger keeps a debit of a payer among the parts of a deposit.
func DebitPart(payer, key string) string { return "debit:" + payer + ":" + key }

// shiftOf is how many business days after its last group the first line of a match came.
func (m *Matched) shiftOf(r *PayerResult, row *match.Row) (days ledger.Opt[int64]) {
	if len(row.Groups) == 0 || len(row.Lines) == 0 {
		return days
	}
	from, to := r.Groups[row.Groups[len(row.Groups)-1]].BankDay, r.Lines[row.Lines[0]].BankDay
	n := m.Calendar.CountBusinessDays(calendar.Settles, from, to) - m.Calendar.CountBusinessDays(calendar.Settles, to, from)
	return ledger.Some(int64(n))
}

// The ids of reasons.
const (
	ReasonNames       = "names"
	ReasonUnexplained = "unexplained"
	ReasonSeveralFit  = "several_fit"
	ReasonLess        = "less"
	ReasonEquals      = "equals_missing"
	ReasonParts       = "parts"
	ReasonSeveralSets = "several_sets"
	ReasonCredits     = "credits"
	ReasonSeveralLeft = "several_credits"
	ReasonNearest     = "nearest"
)

// findReason finds where a person should look. It proves nothing.
func (m *Matched) findReason(r *PayerResult, row *match.Row) banking.DepositReason {
	for _, line := range row.Lines {
		if names := r.Ambiguous[line]; len(names) > 0 {
			return banking.DepositReason{ID: ReasonSeveralFit, Names: strings.Join(names, ", ")}
		}
	}
	if row.Status == match.DebitLine && !row.Matched {
		return banking.DepositReason{ID: ReasonUnexplained}
	}
	if len(row.DebitsOf) > 0 {
		var names []string
		for _, d := range row.DebitsOf {
			names = append(names, r.Debits[d].Key)
		}
		id := ReasonLess
		if row.Status == match.DebitLine {
			id = ReasonNames
		}
		return banking.DepositReason{ID: id, Names: strings.Join(names, ", ")}
	}
	e := r.Explain(row)
	credit := row.Credited
	if e.Credit >= 0 {
		credit = r.Lines[e.Credit].Amount
	}
	switch {
	case m.equalTo(r, row) != "" && e.Group >= 0:
		return banking.DepositReason{ID: ReasonEquals, Names: r.Groups[e.Group].Key} // lists name a group by its key
	case m.equalTo(r, row) != "":
		return banking.DepositReason{ID: ReasonEquals, Names: m.equalTo(r, row)}
	case row.Status == match.Unexpected:
		return banking.DepositReason{}
	case len(e.CreditSets) > 0:
		return banking.DepositReason{ID: ReasonSeveralLeft}
	case e.Several:
		return banking.DepositReason{ID: ReasonSeveralSets, Amount: credit}
	case len(e.Parts) > 0:
		var names []string
		for i := range e.Parts {
			names = append(names, e.Parts[i].Name())
		}
		return banking.DepositReason{ID: ReasonParts, Names: strings.Join(names, ", "), Amount: credit}
	case len(e.Credits) > 0:
		return banking.DepositReason{ID: ReasonCredits, Names: strings.Join(r.nameLines(e.Credits), ", ")}
	case e.Credit >= 0:
		return banking.DepositReason{ID: ReasonNearest, Amount: credit}
	}
	return banking.DepositReason{}
}
