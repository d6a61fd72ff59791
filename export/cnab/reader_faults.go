package cnab

import (
	"errors"
	"fmt"
	"strings"

	"concilia/store/ledger"
)

// addFault and warn say something about a line, or about its record.
func (r *reader) addFault(rec *Record, code, text string) {
	r.keepFault(r.newFault(rec, code, text), false)
}

func (r *reader) addWarning(rec *Record, code, text string) {
	r.keepFault(r.newFault(rec, code, text), true)
}

// addFieldFault says something about one field, as another record or a count demands it.
func (r *reader) addFieldFault(rec *Record, id, code, format string, args ...any) {
	r.keepFault(r.newFieldFault(rec, rec.layout.byID[id], code, fmt.Sprintf(format, args...)), false)
}

func (r *reader) keepFault(f Fault, warning bool) {
	if f.Field != "" {
		if r.fieldFaults == nil {
			r.fieldFaults = map[string]bool{}
		}
		r.fieldFaults[f.Field] = true
	}
	if warning {
		r.file.Warnings.add(f, r.options.Limit)
		return
	}
	r.faults.add(f, r.options.Limit)
}

func (r *reader) newFault(rec *Record, code, text string) Fault {
	f := Fault{Code: code, Line: r.line, Text: text}
	if rec != nil {
		f.Record = rec.layout.name
	}
	return f
}

func (r *reader) newFieldFault(rec *Record, f *Field, code, text string) Fault {
	x := r.newFault(rec, code, text)
	x.Field, x.From, x.To = f.ID, f.From, f.To
	if !f.isPersonal() {
		x.Value = rec.Raw(f.ID)
	}
	return x
}

// reportOverflow adds to a total and reports the one that left the range of amounts.
func (r *reader) reportOverflow(rec *Record, err error) {
	if errors.Is(err, ledger.ErrOverflow) {
		r.addFault(rec, CodeSum, "the sums of the file are larger than any amount")
	}
}

// checkCount and checkSum compare what a trailer says with what was counted.

func (r *reader) checkCount(rec *Record, id string, want int) {
	if readNum(rec, id) != want {
		r.addFieldFault(rec, id, CodeCount, "should be %d", want)
	}
}

func (r *reader) checkSum(rec *Record, id string, want ledger.Amount) {
	if readAmount(rec, id) != want {
		r.addFieldFault(rec, id, CodeSum, "should be %s", want)
	}
}

// oneLine prints joined errors as one sentence.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
