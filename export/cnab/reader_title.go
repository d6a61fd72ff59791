package cnab

import (
	"errors"
	"fmt"
)

// beginTitle takes a T.
func (r *reader) beginTitle(rec *Record) error {
	err := r.closeTitle(rec)
	t := *rec
	r.lote.t, r.lote.tLine, r.lote.spoiled = &t, r.line, r.damaged
	return err
}

// secondHalf takes a U.
func (r *reader) secondHalf(rec *Record) {
	l := r.lote
	if l.t == nil {
		r.fault(rec, CodeOrder, "stands without its T right before it")
		return
	}
	l.spoiled = l.spoiled || r.damaged
	r.movementIs(rec, l.t.Raw("movimento"))
	t := titleFrom(l.t, rec)
	l.t, l.title = nil, &t
}

// share takes a Y-50.
func (r *reader) share(rec *Record) {
	t := r.lote.title
	if t == nil {
		r.fault(rec, CodeOrder, "stands without a title before it")
		return
	}
	if r.lote.spoiled = r.lote.spoiled || r.damaged; r.lote.spoiled {
		return
	}
	r.movementIs(rec, t.Movement.String())
	if rec.Text("nosso_numero") != t.TitleNumber {
		r.faultAt(rec, "nosso_numero", CodeSplit, "should be %s, as in the T of its title", t.TitleNumber)
	}
	if rec.Raw("tipo_valor") == "1" {
		r.warn(rec, CodeSplit, "a share in percent: it is in no sum")
	}
	t.Splits = append(t.Splits, splitFrom(rec))
}

func (r *reader) movementIs(rec *Record, want string) {
	if !r.lote.spoiled && rec.Raw("movimento") != want {
		r.faultAt(rec, "movimento", CodeMovement, "should be %s, as in the T of its title", want)
	}
}

// closeTitle hands on the title whose records are all read. rec is the record that follows it.
func (r *reader) closeTitle(rec *Record) error {
	l := r.lote
	if l.t != nil {
		r.fault(rec, CodeOrder, fmt.Sprintf("the T of line %d has no U", l.tLine))
		l.t = nil
	}
	if l.title == nil {
		return nil
	}
	t := *l.title
	l.title = nil
	if l.spoiled {
		return nil
	}
	if err := t.Check(); err != nil {
		f := Fault{Code: CodeIdentity, Line: l.tLine, Record: SegmentT.name, Text: oneLine(err)}
		r.say(f, !r.o.Identities)
	}
	r.sum(rec, errors.Join(r.file.Totals.addTitle(&t), l.sums.add(t.Portfolio, t.Face)))
	if r.o.Title != nil {
		return r.o.Title(l.tLine, t)
	}
	l.lote.Titles = append(l.lote.Titles, t)
	return nil
}
