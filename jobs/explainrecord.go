package jobs

import (
	"context"
	"strconv"

	"concilia/store"
	"concilia/store/ledger"
)

// record tells of the record the case is about: what it is, and what each pull changed of it.
func (e *explaining) record(ctx context.Context) error {
	subject, ok := ledger.ParseSubject(e.f.Subject)
	if !ok {
		return nil
	}
	if key, number, ok := subject.Sale(); ok {
		return e.cards(ctx, key, number)
	}
	switch {
	case subject.Kind == "slip" && len(subject.Parts) == 1:
		return e.slip(ctx, subject.Parts[0])
	case subject.Kind == "day" && len(subject.Parts) == 2:
		return e.dayPulls(ctx, ledger.Source(subject.Parts[0]), subject.Parts[1])
	}
	return nil
}

// lastShown bounds how many pulls of a day are told.
const lastShown = 5

func (e *explaining) dayPulls(ctx context.Context, source ledger.Source, day string) error {
	d, err := ledger.ParseDate(day)
	if err != nil {
		return nil // no day of a list: there is nothing to tell
	}
	pulls, err := e.w.Ledger.DayPulls(ctx, e.f.Account, source, d)
	for _, p := range pulls[max(0, len(pulls)-lastShown):] {
		e.shown = append(e.shown, p.ID)
	}
	return err
}

// seenLast notes the last answer that covers the record's day.
func (e *explaining) seenLast(ctx context.Context, source ledger.Source, d ledger.Date) error {
	covers, err := e.w.Ledger.Coverage(ctx, e.f.Account, source, ledger.Period{From: d, To: d})
	if c, ok := covers[d]; ok && err == nil {
		e.shown = append(e.shown, c.Pull)
	}
	return err
}

func (e *explaining) cards(ctx context.Context, key ledger.SaleKey, number int) error {
	versions, err := e.w.Ledger.SaleVersions(ctx, key, number)
	if err != nil || len(versions) == 0 {
		return err
	}
	var before []Member
	for i := range versions {
		v := &versions[i]
		now := cardMembers(&v.Installment)
		if v.Version == 1 {
			before = nil
		}
		e.version(ExplainedVersion{Of: strconv.Itoa(v.Key().Number), Version: v.Version, Pull: v.FirstPull, Vanished: v.Vanished}, before, now, nil)
		before = now
	}
	if number != 0 {
		last := &versions[len(versions)-1]
		e.out.Record = before
		if err := e.figuresOf(ctx, last); err != nil {
			return err
		}
	}
	return e.seenLast(ctx, ledger.Cards, key.Day)
}

// figuresOf are the terms of an installment's net.
func (e *explaining) figuresOf(ctx context.Context, v *ledger.InstallmentVersion) error {
	add := func(name string, a ledger.Amount) {
		e.figures = append(e.figures, ledger.Number{Name: name, Value: a.String()})
	}
	add("gross", v.Gross)
	add("mdr", v.MDR.Or(0))
	add("fee", v.Fee.Or(0))
	add("antifraud", v.Antifraud.Or(0))
	add("anticipation", v.Anticipation.Or(0))
	add("received", v.Received.Or(0))
	day := v.SoldAt.Date()
	query := store.Query{Account: e.f.Account, Basis: "operation", Period: ledger.Period{From: day, To: day}}
	return e.w.Ledger.Installments(ctx, query, func(i *ledger.InstallmentVersion, x *ledger.Expectation) error {
		if x != nil && i.Key() == v.Key() {
			add("net", x.Net)
		}
		return nil
	})
}

func (e *explaining) slip(ctx context.Context, id string) error {
	versions, err := e.w.Ledger.SlipVersions(ctx, e.f.Account, id)
	if err != nil {
		return err
	}
	var before, hidden []Member
	var views []ledger.SlipVersion
	for i := range versions {
		v := &versions[i]
		now, secret := slipMembers(&v.SlipView), hiddenMembers(&v.SlipView)
		if v.Version == 1 {
			before, hidden = nil, secret
		}
		e.version(ExplainedVersion{Of: string(v.List), Version: v.Version, Pull: v.FirstPull, Vanished: v.Vanished}, before, now, hiddenChanges(hidden, secret))
		before, hidden = now, secret
		if i+1 == len(versions) || versions[i+1].List != v.List {
			views = append(views, *v)
			if d := v.ListDay(); d != 0 {
				if err := e.seenLast(ctx, v.List, d); err != nil {
					return err
				}
			}
		}
	}
	e.out.Record = together(views)
	return nil
}

// together are the members of the lists' last views; where one says otherwise than those before it, it is named.
func together(views []ledger.SlipVersion) []Member {
	var out []Member
	said := map[string]string{}
	for i := range views {
		for _, m := range slipMembers(&views[i].SlipView) {
			switch before, ok := said[m.Name]; {
			case !ok:
				said[m.Name] = m.Value
				out = append(out, m)
			case before != m.Value:
				out = append(out, Member{m.Name + " (" + string(views[i].List) + ")", m.Value})
			}
		}
	}
	return out
}

// version adds a version with what it changed.
func (e *explaining) version(v ExplainedVersion, before, now []Member, hidden []MemberChanged) {
	e.pulls = append(e.pulls, v.Pull)
	was := map[string]string{}
	for _, m := range before {
		was[m.Name] = m.Value
	}
	if before != nil {
		is := map[string]bool{}
		for _, m := range now {
			is[m.Name] = true
			if was[m.Name] != m.Value {
				v.Changes = append(v.Changes, MemberChanged{Name: m.Name, Before: was[m.Name], After: m.Value})
			}
		}
		for _, m := range before {
			if !is[m.Name] {
				v.Changes = append(v.Changes, MemberChanged{Name: m.Name, Before: m.Value})
			}
		}
		v.Changes = append(v.Changes, hidden...)
	}
	e.out.Versions = append(e.out.Versions, v)
}

// members gathers what is there, in order.
type members []Member

func (m *members) text(name, v string) {
	if v != "" {
		*m = append(*m, Member{name, v})
	}
}

func (m *members) amount(name string, v ledger.Opt[ledger.Amount]) { m.text(name, amountText(v)) }

func (m *members) rate(name string, v ledger.Opt[ledger.Rate]) {
	if v.OK {
		m.text(name, v.V.String())
	}
}

// cardMembers are the members of an installment that are there. A beneficiary, who may be a person, is a number.
func cardMembers(i *ledger.Installment) []Member {
	var m members
	m.text("transactionDate", i.SoldAt.String())
	m.text("terminal", i.Terminal)
	m.text("cardNumber", i.Card)
	m.text("cardType", i.CardType)
	m.text("cardName", i.CardName)
	m.text("codAuth", i.Auth)
	m.text("nsu", i.NSU)
	m.text("installmentNumber", strconv.Itoa(i.Number))
	m.text("installmentsCount", strconv.Itoa(i.Count))
	m.text("installmentValue", i.Gross.String())
	m.amount("transactionTotalValue", i.SaleTotal)
	m.text("installmentStatus", i.Status)
	m.amount("discountMdrValue", i.MDR)
	m.rate("discountMdrTax", i.MDRRate)
	m.amount("discountTrnRateInstalmentValue", i.Fee)
	m.amount("discountTrnRateTransactionValue", i.SaleFee)
	m.amount("discountAntifraudRateInstalmentValue", i.Antifraud)
	m.amount("discountAntifraudRateTransactionValue", i.SaleAntifrd)
	m.amount("discountAntecipationValue", i.Anticipation)
	m.rate("discountAntecipationTax", i.AnticipRate)
	m.amount("receivedValue", i.Received)
	m.text("receivedDateForeast", i.Forecast.String())
	m.text("receivedDateEffective", i.Effective.String())
	m.text("receivedType", i.ReceivedType)
	m.text("receivedStatus", i.ReceivedStat)
	for n, s := range i.Splits {
		at := "splits[" + strconv.Itoa(n+1) + "]."
		m.text(at+"tipoSplit", s.Type)
		m.rate(at+"pctSplit", s.Pct)
		m.amount(at+"valorBaseSplit", s.Base)
		m.amount(at+"valorSplit", s.Value)
	}
	return m
}

// slipMembers are the members of a slip's view that are there and can be shown.
func slipMembers(v *ledger.SlipView) []Member {
	var m members
	number := func(name string, o ledger.Opt[int64]) {
		if o.OK {
			m.text(name, strconv.FormatInt(o.V, 10))
		}
	}
	m.text("id", v.ID)
	m.text("value", v.Value.String())
	m.text("issueDate", v.Issued.String())
	m.text("dueDate", v.Due.String())
	number("statusBill", v.Status)
	number("statusIntegration", v.Integration)
	m.text("effectivePaymentDate", v.PaidOn.String())
	m.amount("effectivePaymentValue", v.PaidValue)
	m.text("effectiveCreditDate", v.CreditedOn.String())
	if v.LateAllowed.OK {
		m.text("overduePaymentAllow", strconv.FormatBool(v.LateAllowed.V))
	}
	m.text("overduePaymentDateLimit", v.LateLimit.String())
	m.amount("overduePaymentPenalty", v.Penalty)
	m.amount("overduePenaltyReceived", v.PenaltyReceived)
	m.amount("overduePaymentInterest", v.Interest)
	m.amount("overdueInterestReceived", v.InterestReceived)
	m.text("cancelDate", v.CancelledOn.String())
	return m
}

// hiddenMembers are those that are compared and never shown: the payer's, and codes that can be paid.
func hiddenMembers(v *ledger.SlipView) []Member {
	return []Member{
		{"payer", v.PayerDocument + "\n" + v.PayerName + "\n" + v.PayerStreet + "\n" + v.PayerZip + "\n" + v.PayerCity + "\n" + v.PayerState +
			"\n" + v.PayerDistrict + "\n" + v.PayerPhone},
		{"barCode", v.BarCode},
		{"digitableLine", v.DigitableLine},
		{"pixEmv", v.PixCode},
		{"ourNumber", v.OurNumber},
		{"referenceCode", v.ReferenceCode},
		{"cancellationReason", v.CancelReason},
	}
}

// hiddenChanges names the hidden members that differ.
func hiddenChanges(before, now []Member) []MemberChanged {
	var out []MemberChanged
	for i := range now {
		if before[i].Value != now[i].Value {
			out = append(out, MemberChanged{Name: now[i].Name, Hidden: true})
		}
	}
	return out
}
