package cnab

import (
	"errors"
	"fmt"
)

// beginTitle takes a T.
func (r *reader) beginTitle(rec *Record) error {
	err := r.closeTitle(rec)
	t := *rec
	r.lote.pendingT, r.lote.titleLine, r.lote.damaged = &t, r.line, r.damaged
	return err
}

// completeTitle takes a U.
func (r *reader) completeTitle(rec *Record) {
	l := r.lote
	if l.pendingT == nil {
		r.addFault(rec, CodeOrder, "stands without its T right before it")
		return
	}
	l.damaged = l.damaged || r.damaged
	r.checkMovement(rec, l.pendingT.Raw("movimento"))
	t := titleFrom(l.pendingT, rec)
	l.pendingT, l.title = nil, &t
}

// readSplit takes a Y-50.
func (r *reader) readSplit(rec *Record) {
	t := r.lote.title
	if t == nil {
		r.addFault(rec, CodeOrder, "stands without a title before it")
		return
	}
	if r.lote.damaged = r.lote.damaged || r.damaged; r.lote.damaged {
		return
	}
	r.checkMovement(rec, t.Movement.String())
	if rec.Text("nosso_numero") != t.TitleNumber {
		r.addFieldFault(rec, "nosso_numero", CodeSplit, "should be %s, as in the T of its title", t.TitleNumber)
	}
	if rec.Raw("tipo_valor") == "1" {
		r.addWarning(rec, CodeSplit, "a share in percent: it is in no sum")
	}
	t.Splits = append(t.Splits, splitFrom(rec))
}

func (r *reader) checkMovement(rec *Record, want string) {
	if !r.lote.damaged && rec.Raw("movimento") != want {
		r.addFieldFault(rec, "movimento", CodeMovement, "should be %s, as in the T of its title", want)
	}
}

// closeTitle hands on the title whose records are all read. rec is the record that follows it.
func (r *reader) closeTitle(rec *Record) error {
	l := r.lote
	if l.pendingT != nil {
		r.addFault(rec, CodeOrder, fmt.Sprintf("the T of line %d has no U", l.titleLine))
		l.pendingT = nil
	}
	if l.title == nil {
		return nil
	}
	t := *l.title
	l.title = nil
	if l.damaged {
		return nil
	}
	if err := t.CheckAmounts(); err != nil {
		f := Fault{Code: CodeIdentity, Line: l.titleLine, Record: SegmentT.name, Text: oneLine(err)}
		r.keepFault(f, !r.options.StrictIdentities)
	}
	r.reportOverflow(rec, errors.Join(r.file.Totals.addTitle(&t), l.sums.addTitle(t.Portfolio, t.Face)))
	if r.options.OnTitle != nil {
		return r.options.OnTitle(l.titleLine, t)
	}
	l.lote.Titles = append(l.lote.Titles, t)
	return nil
}
