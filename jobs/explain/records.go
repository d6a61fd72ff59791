package explain

import (
	"context"
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// addRecord adds the record the case is about: what it is, and what each pull changed of it.
func (e *explanation) addRecord(ctx context.Context) error {
	subject, ok := ledger.ParseSubject(e.finding.Subject)
	if !ok {
		return nil
	}
	if key, number, ok := subject.SaleKey(); ok {
		return e.addCardVersions(ctx, key, number)
	}
	switch {
	case subject.Kind == "slip" && len(subject.Parts) == 1:
		return e.addSlipVersions(ctx, subject.Parts[0])
	case subject.Kind == "day" && len(subject.Parts) == 2:
		return e.addDayPulls(ctx, ledger.Source(subject.Parts[0]), subject.Parts[1])
	case subject.Kind == "own" && len(subject.Parts) == 3:
		return e.addOwnPayment(ctx, &subject)
	case subject.Kind == "order":
		return e.addOrderedInstallment(ctx)
	case subject.Kind == "option" && len(subject.Parts) == 2:
		return e.addSimulation(ctx, subject.Parts[0], subject.Parts[1])
	}
	return nil
}

// addOrderedInstallment adds the first installment of an order that was not paid in time.
func (e *explanation) addOrderedInstallment(ctx context.Context) error {
	var nsu, auth, number string
	for _, n := range e.finding.Numbers {
		switch n.Name {
		case "nsu":
			nsu = n.Value
		case "auth":
			auth = n.Value
		case "number":
			number = n.Value
		}
	}
	var found ledger.InstallmentKey
	err := e.Ledger.InstallmentsByNSU(ctx, e.finding.Account, []string{nsu}, func(v *ledger.InstallmentVersion) error {
		// The case is dated by the order: of several sales of one name the last before it is meant.
		if k := v.Key(); k.Auth == auth && strconv.Itoa(k.Number) == number && k.Day <= e.finding.Day && k.Day > found.Day {
			found = k
		}
		return nil
	})
	if err != nil || found.Day == 0 {
		return err
	}
	key := ledger.SaleKey{Account: found.Account, Day: found.Day, NSU: found.NSU, Auth: found.Auth, Occurrence: found.Occurrence}
	return e.addCardVersions(ctx, key, found.Number)
}

// addSimulation adds what the simulator was asked and answered, in the run that the case rests on.
func (e *explanation) addSimulation(ctx context.Context, brand, installments string) error {
	pulls, err := e.Ledger.PullsOfRun(ctx, e.finding.Account, e.finding.LastRun)
	if err != nil {
		return err
	}
	for i := range pulls {
		s := pulls[i].Note.Simulated
		if s == nil || s.Brand != brand {
			continue
		}
		for _, o := range s.Options {
			if strconv.Itoa(o.Installments) == installments {
				e.page.Record = []RecordMember{
					{"Brand", s.Brand}, {"netValue", s.Net.String()}, {"installment", installments}, {"amount", o.Gross.String()},
				}
				e.showedLast = append(e.showedLast, pulls[i].ID)
			}
		}
	}
	return nil
}

// maxDayPulls bounds how many pulls of a day are listed.
const maxDayPulls = 5

func (e *explanation) addDayPulls(ctx context.Context, source ledger.Source, day string) error {
	d, err := ledger.ParseDate(day)
	if err != nil {
		return nil // no day of a list: there is nothing to add
	}
	pulls, err := e.Ledger.PullsOfDay(ctx, e.finding.Account, source, d)
	for _, p := range pulls[max(0, len(pulls)-maxDayPulls):] {
		e.showedLast = append(e.showedLast, p.ID)
	}
	return err
}

// addCoveringPull notes the last answer that covers the record's day.
func (e *explanation) addCoveringPull(ctx context.Context, source ledger.Source, d ledger.Date) error {
	covers, err := e.Ledger.Coverage(ctx, e.finding.Account, source, ledger.Period{From: d, To: d})
	if c, ok := covers[d]; ok && err == nil {
		e.showedLast = append(e.showedLast, c.Pull)
	}
	return err
}

func (e *explanation) addCardVersions(ctx context.Context, key ledger.SaleKey, number int) error {
	versions, err := e.Ledger.SaleVersions(ctx, key, number)
	if err != nil || len(versions) == 0 {
		return err
	}
	var before, hidden []RecordMember
	for i := range versions {
		v := &versions[i]
		now, secret := cardMembers(&v.Installment), hiddenCardMembers(&v.Installment)
		if v.Version == 1 {
			before, hidden = nil, secret
		}
		e.addVersion(RecordVersion{Of: strconv.Itoa(v.Key().Number), Version: v.Version, Pull: v.FirstPull, Vanished: v.Vanished}, before, now, hiddenChanges(hidden, secret))
		before, hidden = now, secret
	}
	if number != 0 {
		last := &versions[len(versions)-1]
		e.page.Record = before
		if err := e.addFigures(ctx, last); err != nil {
			return err
		}
	}
	return e.addCoveringPull(ctx, ledger.Cards, key.Day)
}

// addFigures are the terms of an installment's net.
func (e *explanation) addFigures(ctx context.Context, v *ledger.InstallmentVersion) error {
	add := func(name string, a ledger.Amount) {
		e.figures = append(e.figures, ledger.Number{Name: name, Value: a.String()})
	}
	add("gross", v.Gross)
	add("mdr", v.MDR.Or(0))
	add("fee", v.Fee.Or(0))
	add("antifraud", v.Antifraud.Or(0))
	add("anticipation", v.Anticipation.Or(0))
	add("received", v.Received.Or(0))
	return e.Ledger.SaleRows(ctx, v.SaleKey(), func(i *ledger.InstallmentVersion, x *ledger.Expectation) error {
		if x != nil && i.Key() == v.Key() {
			add("net", x.Net)
		}
		return nil
	})
}

func (e *explanation) addSlipVersions(ctx context.Context, id string) error {
	versions, err := e.Ledger.SlipVersions(ctx, e.finding.Account, id)
	if err != nil {
		return err
	}
	var before, hidden []RecordMember
	var views []ledger.SlipVersion
	for i := range versions {
		v := &versions[i]
		now, secret := slipMembers(&v.SlipView), hiddenMembers(&v.SlipView)
		if v.Version == 1 {
			before, hidden = nil, secret
		}
		e.addVersion(RecordVersion{Of: string(v.List), Version: v.Version, Pull: v.FirstPull, Vanished: v.Vanished}, before, now, hiddenChanges(hidden, secret))
		before, hidden = now, secret
		if i+1 == len(versions) || versions[i+1].List != v.List {
			views = append(views, *v)
			if d := v.ListDay(); d != 0 {
				if err := e.addCoveringPull(ctx, v.List, d); err != nil {
					return err
				}
			}
		}
	}
	e.page.Record = mergeListViews(views)
	return nil
}

// mergeListViews are the members of the lists' last views; where one says otherwise than those before it, it is named.
func mergeListViews(views []ledger.SlipVersion) []RecordMember {
	var out []RecordMember
	said := map[string]string{}
	for i := range views {
		for _, m := range slipMembers(&views[i].SlipView) {
			switch before, ok := said[m.Name]; {
			case !ok:
				said[m.Name] = m.Value
				out = append(out, m)
			case before != m.Value:
				out = append(out, RecordMember{m.Name + " (" + string(views[i].List) + ")", m.Value})
			}
		}
	}
	return out
}

// addVersion adds a version with what it changed.
func (e *explanation) addVersion(v RecordVersion, before, now []RecordMember, hidden []MemberChange) {
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
				v.Changes = append(v.Changes, MemberChange{Name: m.Name, Before: was[m.Name], After: m.Value})
			}
		}
		for _, m := range before {
			if !is[m.Name] {
				v.Changes = append(v.Changes, MemberChange{Name: m.Name, Before: m.Value})
			}
		}
		v.Changes = append(v.Changes, hidden...)
	}
	e.page.Versions = append(e.page.Versions, v)
}

// memberList gathers what is there, in order.
type memberList []RecordMember

func (m *memberList) addText(name, v string) {
	if v != "" {
		*m = append(*m, RecordMember{name, v})
	}
}

func (m *memberList) addAmount(name string, v ledger.Opt[ledger.Amount]) {
	m.addText(name, amountText(v))
}

func (m *memberList) addRate(name string, v ledger.Opt[ledger.Rate]) {
	if v.OK {
		m.addText(name, v.V.String())
	}
}

// hiddenCardMembers are those that are compared and never shown: beneficiaries, who may be persons.
func hiddenCardMembers(i *ledger.Installment) []RecordMember {
	beneficiaries := make([]string, len(i.Splits))
	for n := range i.Splits {
		beneficiaries[n] = i.Splits[n].Beneficiary
	}
	return []RecordMember{{"beneficiario", strings.Join(beneficiaries, "\n")}}
}

// cardMembers are the members of an installment that are there and can be shown. Splits go by their number.
func cardMembers(i *ledger.Installment) []RecordMember {
	var m memberList
	m.addText("transactionDate", i.SoldAt.String())
	m.addText("terminal", i.Terminal)
	m.addText("cardNumber", i.Card)
	m.addText("cardType", i.CardType)
	m.addText("cardName", i.CardName)
	m.addText("codAuth", i.Auth)
	m.addText("nsu", i.NSU)
	m.addText("installmentNumber", strconv.Itoa(i.Number))
	m.addText("installmentsCount", strconv.Itoa(i.Count))
	m.addText("installmentValue", i.Gross.String())
	m.addAmount("transactionTotalValue", i.SaleTotal)
	m.addText("installmentStatus", i.Status)
	m.addAmount("discountMdrValue", i.MDR)
	m.addRate("discountMdrTax", i.MDRRate)
	m.addAmount("discountTrnRateInstalmentValue", i.Fee)
	m.addAmount("discountTrnRateTransactionValue", i.SaleFee)
	m.addAmount("discountAntifraudRateInstalmentValue", i.Antifraud)
	m.addAmount("discountAntifraudRateTransactionValue", i.SaleAntifraud)
	m.addAmount("discountAntecipationValue", i.Anticipation)
	m.addRate("discountAntecipationTax", i.AnticipationRate)
	m.addAmount("receivedValue", i.Received)
	m.addText("receivedDateForeast", i.Forecast.String())
	m.addText("receivedDateEffective", i.Effective.String())
	m.addText("receivedType", i.ReceivedType)
	m.addText("receivedStatus", i.ReceivedStatus)
	m.addText("transactionReference", i.Reference)
	m.addText("transactionPaymentIdWeb", i.WebPaymentID)
	for n, s := range i.Splits {
		at := "splits[" + strconv.Itoa(n+1) + "]."
		m.addText(at+"tipoSplit", s.Type)
		m.addRate(at+"pctSplit", s.Pct)
		m.addAmount(at+"valorBaseSplit", s.Base)
		m.addAmount(at+"valorSplit", s.Value)
	}
	return m
}

// slipMembers are the members of a slip's view that are there and can be shown.
func slipMembers(v *ledger.SlipView) []RecordMember {
	var m memberList
	number := func(name string, o ledger.Opt[int64]) {
		if o.OK {
			m.addText(name, strconv.FormatInt(o.V, 10))
		}
	}
	m.addText("id", v.ID)
	m.addText("value", v.Value.String())
	m.addText("issueDate", v.Issued.String())
	m.addText("dueDate", v.Due.String())
	number("statusBill", v.Status)
	number("statusIntegration", v.Integration)
	m.addText("effectivePaymentDate", v.PaidOn.String())
	m.addAmount("effectivePaymentValue", v.PaidValue)
	m.addText("effectiveCreditDate", v.CreditedOn.String())
	if v.LateAllowed.OK {
		m.addText("overduePaymentAllow", strconv.FormatBool(v.LateAllowed.V))
	}
	m.addText("overduePaymentDateLimit", v.LateLimit.String())
	m.addAmount("overduePaymentPenalty", v.Penalty)
	m.addAmount("overduePenaltyReceived", v.PenaltyReceived)
	m.addAmount("overduePaymentInterest", v.Interest)
	m.addAmount("overdueInterestReceived", v.InterestReceived)
	m.addText("cancelDate", v.CancelledOn.String())
	return m
}

// hiddenMembers are those that are compared and never shown: the payer's, and codes that can be paid.
func hiddenMembers(v *ledger.SlipView) []RecordMember {
	return []RecordMember{
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
func hiddenChanges(before, now []RecordMember) []MemberChange {
	var out []MemberChange
	for i := range now {
		if before[i].Value != now[i].Value {
			out = append(out, MemberChange{Name: now[i].Name, Hidden: true})
		}
	}
	return out
}

func amountText(o ledger.Opt[ledger.Amount]) string {
	if !o.OK {
		return ""
	}
	return o.V.String()
}
