package explain

import (
	"context"
	"strconv"

	"concilia/store/ledger"
	"concilia/store/reports"
)

// record tells of the record the case is about: what it is, and what each pull changed of it.
func (e *explaining) record(ctx context.Context) error {
	subject, ok := ledger.ParseSubject(e.f.Subject)
	if !ok {
		return nil
	}
	if key, number, ok := subject.SaleKey(); ok {
		return e.cards(ctx, key, number)
	}
	switch {
	case subject.Kind == "slip" && len(subject.Parts) == 1:
		return e.slip(ctx, subject.Parts[0])
	case subject.Kind == "day" && len(subject.Parts) == 2:
		return e.dayPulls(ctx, ledger.Source(subject.Parts[0]), subject.Parts[1])
	case subject.Kind == "order":
		return e.ordered(ctx)
	case subject.Kind == "option" && len(subject.Parts) == 2:
		return e.simulated(ctx, subject.Parts[0], subject.Parts[1])
	}
	return nil
}

// ordered tells of the first installment of an order that was not paid in time.
func (e *explaining) ordered(ctx context.Context) error {
	var nsu, auth, number string
	for _, n := range e.f.Numbers {
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
	err := e.Ledger.SoldAs(ctx, e.f.Account, []string{nsu}, func(v *ledger.InstallmentVersion) error {
		// The case is dated by the order: of several sales of one name the last before it is meant.
		if k := v.Key(); k.Auth == auth && strconv.Itoa(k.Number) == number && k.Day <= e.f.Day && k.Day > found.Day {
			found = k
		}
		return nil
	})
	if err != nil || found.Day == 0 {
		return err
	}
	key := ledger.SaleKey{Account: found.Account, Day: found.Day, NSU: found.NSU, Auth: found.Auth, Occurrence: found.Occurrence}
	return e.cards(ctx, key, found.Number)
}

// simulated tells what the simulator was asked and said, in the run that the case rests on.
func (e *explaining) simulated(ctx context.Context, brand, installments string) error {
	pulls, err := e.Ledger.PullsOf(ctx, e.f.Account, e.f.LastRun)
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
				e.out.Record = []Member{
					{"Brand", s.Brand}, {"netValue", s.Net.String()}, {"installment", installments}, {"amount", o.Gross.String()},
				}
				e.shown = append(e.shown, pulls[i].ID)
			}
		}
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
	pulls, err := e.Ledger.DayPulls(ctx, e.f.Account, source, d)
	for _, p := range pulls[max(0, len(pulls)-lastShown):] {
		e.shown = append(e.shown, p.ID)
	}
	return err
}

// seenLast notes the last answer that covers the record's day.
func (e *explaining) seenLast(ctx context.Context, source ledger.Source, d ledger.Date) error {
	covers, err := e.Ledger.Coverage(ctx, e.f.Account, source, ledger.Period{From: d, To: d})
	if c, ok := covers[d]; ok && err == nil {
		e.shown = append(e.shown, c.Pull)
	}
	return err
}

func (e *explaining) cards(ctx context.Context, key ledger.SaleKey, number int) error {
	versions, err := e.Ledger.SaleVersions(ctx, key, number)
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
		e.version(Version{Of: strconv.Itoa(v.Key().Number), Version: v.Version, Pull: v.FirstPull, Vanished: v.Vanished}, before, now, nil)
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
	query := reports.Query{Account: e.f.Account, Basis: "operation", Period: ledger.Period{From: day, To: day}}
	return e.Ledger.Installments(ctx, query, func(i *ledger.InstallmentVersion, x *ledger.Expectation) error {
		if x != nil && i.Key() == v.Key() {
			add("net", x.Net)
		}
		return nil
	})
}

func (e *explaining) slip(ctx context.Context, id string) error {
	versions, err := e.Ledger.SlipVersions(ctx, e.f.Account, id)
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
		e.version(Version{Of: string(v.List), Version: v.Version, Pull: v.FirstPull, Vanished: v.Vanished}, before, now, hiddenChanges(hidden, secret))
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
func (e *explaining) version(v Version, before, now []Member, hidden []Change) {
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
				v.Changes = append(v.Changes, Change{Name: m.Name, Before: was[m.Name], After: m.Value})
			}
		}
		for _, m := range before {
			if !is[m.Name] {
				v.Changes = append(v.Changes, Change{Name: m.Name, Before: m.Value})
			}
		}
		v.Changes = append(v.Changes, hidden...)
	}
	e.out.Versions = append(e.out.Versions, v)
}
