package cnab

import (
	"errors"
	"fmt"
	"strings"

	"concilia/store/ledger"
)

// fault and warn say something about a line, or about its record.
func (r *reader) fault(rec *Record, code, text string) { r.say(r.about(rec, code, text), false) }
func (r *reader) warn(rec *Record, code, text string)  { r.say(r.about(rec, code, text), true) }

// faultAt says something about one field, as another record or a count demands it.
func (r *reader) faultAt(rec *Record, id, code, format string, args ...any) {
	r.say(r.fieldFault(rec, rec.layout.byID[id], code, fmt.Sprintf(format, args...)), false)
}

func (r *reader) say(f Fault, warning bool) {
	if f.Field != "" {
		if r.fieldFaults == nil {
			r.fieldFaults = map[string]bool{}
		}
		r.fieldFaults[f.Field] = true
	}
	if warning {
		r.file.Warnings.add(f, r.o.Limit)
		return
	}
	r.faults.add(f, r.o.Limit)
}

func (r *reader) about(rec *Record, code, text string) Fault {
	f := Fault{Code: code, Line: r.line, Text: text}
	if rec != nil {
		f.Record = rec.layout.name
	}
	return f
}

func (r *reader) fieldFault(rec *Record, f *Field, code, text string) Fault {
	x := r.about(rec, code, text)
	x.Field, x.From, x.To = f.ID, f.From, f.To
	if !f.private() {
		x.Value = rec.Raw(f.ID)
	}
	return x
}

// sum adds to a total and reports the one that left the range of amounts.
func (r *reader) sum(rec *Record, err error) {
	if errors.Is(err, ledger.ErrOverflow) {
		r.fault(rec, CodeSum, "the sums of the file are larger than any amount")
	}
}

// countIs and sumIs compare what a trailer says with what was counted.

func (r *reader) countIs(rec *Record, id string, want int) {
	if number(rec, id) != want {
		r.faultAt(rec, id, CodeCount, "should be %d", want)
	}
}

func (r *reader) sumIs(rec *Record, id string, want ledger.Amount) {
	if money(rec, id) != want {
		r.faultAt(rec, id, CodeSum, "should be %s", want)
	}
}

// oneLine prints joined errors as one sentence.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
