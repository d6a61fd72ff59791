package render

import (
	"context"
	"encoding/json"

	"concilia/export"
	"concilia/export/causes"
	"concilia/export/report"
	"concilia/export/staging"
	"concilia/store/ledger"
)

// saleDays reads the card rows of a set day by day, takes the days that did not move from the current revision, and keeps what each
// day leaves.
type saleDays struct {
	report.RowSource
	r        *rendering
	contents map[report.Kind]report.DayContent
	files    *staging.KeptFiles // nil: every day is read
	marks    map[string]staging.TableMark
	hasRows  bool           // of the day that is read
	verdict  ledger.Verdict // that its rows leave
	kept     []export.KeptDay
	unusable bool // a day left lines that can't be copied
}

// useSaleDays has the rows of the set read by days, if that was asked for and its contents allow it.
func (r *rendering) useSaleDays(set *report.Set) error {
	d := r.Job.SaleDays
	if d == nil || r.Job.Hooks.Repeat != nil || r.cardTitles != nil {
		r.Job.SaleDays = nil
		return nil
	}
	contents, ok := set.DayContents()
	if !ok || len(contents) == 0 {
		r.Job.SaleDays = nil
		return nil
	}
	r.days = &saleDays{RowSource: set.Source, r: r, contents: contents, marks: make(map[string]staging.TableMark)}
	set.Source = r.days
	if !r.Job.CopiesDays() || len(d.Kept) != r.Job.Period.Days() {
		return nil
	}
	files, ok, err := staging.OpenKeptFiles(d)
	if ok {
		r.days.files = files
	}
	return err
}

// Installments yields the rows of the days that are read, in order, and copies the others in between.
func (s *saleDays) Installments(ctx context.Context, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	s.markTables()
	p := s.r.Job.Period
	for d := p.From; d <= p.To; {
		if s.isKept(d) {
			if err := s.copyDay(d); err != nil {
				return err
			}
			d++
			continue
		}
		last := d
		for last < p.To && !s.isKept(last+1) {
			last++
		}
		if err := s.readDays(ctx, ledger.Period{From: d, To: last}, yield); err != nil {
			return err
		}
		d = last + 1
	}
	if !s.unusable {
		s.r.Result.Days = s.kept
	}
	return nil
}

// isKept reports whether a day did not move since the current revision.
func (s *saleDays) isKept(d ledger.Date) bool {
	days := s.r.Job.SaleDays
	return s.files != nil && days.States[d] == days.Kept[d-s.r.Job.Period.From].State
}

// readDays reads the rows of days of which none is kept.
func (s *saleDays) readDays(ctx context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	day := p.From
	endBefore := func(next ledger.Date) error {
		for ; day < next; day++ {
			if err := s.endDay(day); err != nil {
				return err
			}
		}
		return nil
	}
	err := s.r.Job.SaleDays.Read(ctx, p, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		if d := v.Key().Day; d != day {
			if err := endBefore(d); err != nil {
				return err
			}
		}
		if e != nil {
			s.hasRows, s.verdict = true, s.verdict.Worse(causes.VerdictOf(e.Brackets))
		}
		return yield(v, e)
	})
	if err != nil {
		return err
	}
	return endBefore(p.To + 1)
}

// endDay keeps what the rows of a day left, which have all passed.
func (s *saleDays) endDay(d ledger.Date) error {
	left := export.KeptDay{
		Day: d, State: s.r.Job.SaleDays.States[d], HasRows: s.hasRows, Verdict: s.verdict, Contents: make(map[report.Kind]json.RawMessage),
		Tables: make(map[string]export.KeptLines),
	}
	s.hasRows, s.verdict = false, ""
	for k, c := range s.contents {
		body, err := c.TakeDay(d)
		if err != nil {
			return err
		}
		if body != nil {
			left.Contents[k] = body
		}
	}
	for id, mark := range s.marks {
		lines, ok := s.r.Tables[id].LinesSince(&mark)
		s.unusable = s.unusable || !ok
		if lines.Rows > 0 {
			left.Tables[id] = lines
		}
	}
	s.kept = append(s.kept, left)
	if s.files != nil {
		was := &s.r.Job.SaleDays.Kept[d-s.r.Job.Period.From]
		for id, lines := range was.Tables {
			if err := s.files.Skip(id, &lines); err != nil {
				return err
			}
		}
	}
	s.markTables()
	return nil
}

// copyDay takes a day from the current revision.
func (s *saleDays) copyDay(d ledger.Date) error {
	left := &s.r.Job.SaleDays.Kept[d-s.r.Job.Period.From]
	for k, c := range s.contents {
		if err := c.AddDay(d, left.Contents[k]); err != nil {
			return err
		}
	}
	for id, lines := range left.Tables {
		if err := s.r.Tables[id].CopyLines(&lines, s.files); err != nil {
			return err
		}
	}
	s.r.causes.AddCardRows(s.r.Job.SaleDays.Account, &export.CardRows{Verdict: left.Verdict, HasRows: left.HasRows})
	s.kept = append(s.kept, *left)
	s.markTables()
	return nil
}

// markTables notes how far the tables are written that are open while rows of cards are read.
func (s *saleDays) markTables() {
	for id, t := range s.r.Tables {
		if t.IsOpen() {
			s.marks[id] = t.Mark()
		}
	}
}
