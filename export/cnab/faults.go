package cnab

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/export/words"
	"concilia/store/ledger"
)

// Fault is one thing wrong, or as a warning one thing unusual, in a file.
type Fault struct {
	Code     string // what kind of fault, stable: "number", "count", "sequence"; see the constants
	Line     int    // from 1
	Record   string // the layout's name; empty when the kind of record is unknown
	Field    string // the field's id; empty when the fault is not about one field
	From, To int    // the field's columns
	Value    string // the field's content; empty where it does not help, and where it may be a person's
	Text     words.Message
}

// The codes of faults.
const (
	CodeForeign   = "foreign"   // no CNAB 240 file at all
	CodeLength    = "length"    // a line that is not 240 bytes
	CodeRecord    = "record"    // a record of no known kind, or one that does not belong there
	CodeOrder     = "order"     // records in another order than 0, 1, 3…, 5, 9; T without U
	CodeTrailing  = "trailing"  // something after the file trailer
	CodeFixed     = "fixed"     // other content than the layout or the file header prescribes
	CodeNumber    = "number"    // not digits where digits have to be
	CodeDate      = "date"      // no such day or time
	CodeASCII     = "ascii"     // a byte that is not plain ASCII
	CodeLote      = "lote"      // a lote number out of turn
	CodeSequence  = "sequence"  // a record number out of turn
	CodeCount     = "count"     // a counter that disagrees with the records
	CodeSum       = "sum"       // a sum that disagrees with the records
	CodeMovement  = "movement"  // U or Y of another movement than its T
	CodeSplit     = "split"     // Y of another title than its T
	CodeIdentity  = "identity"  // a title whose amounts are inconsistent; a warning unless StrictIdentities is set
	CodeSign      = "sign"      // a category that disagrees with debit or credit
	CodeVersion   = "version"   // warning: another edition's or bank's layout number
	CodeBlank     = "blank"     // warning: blanks in a numeric field
	CodeXDigit    = "x_digit"   // warning: a letter as check digit in a numeric column
	CodeFiller    = "filler"    // warning: something in columns the standard leaves blank
	CodeCase      = "case"      // warning: small letters
	CodeDocument  = "document"  // warning: a tax id whose check digits fail
	CodeLineEnd   = "line_end"  // warning: LF without CR
	CodeLastLine  = "last_line" // warning: no CR LF after the last record
	CodeEndOfFile = "eof_1a"    // warning: one 0x1A after the last record
)

// String is the whole sentence: cnab line 14 segment T field "valor_titulo" (82-96): "00A": not a number.
func (f Fault) String() string { return f.In("en") }

// In is String in a language.
func (f Fault) In(language string) string {
	var b strings.Builder
	b.WriteString(words.Text(language, "inspect.fault_line", "line", f.Line))
	if f.Record != "" {
		b.WriteString(" " + words.Label(language, "cnab_record", f.Record))
	}
	if f.Field != "" {
		b.WriteString(" " + words.Text(language, "inspect.fault_field", "field", fmt.Sprintf("%q", f.Field), "from", f.From, "to", f.To))
	}
	b.WriteString(": ")
	if f.Value != "" {
		fmt.Fprintf(&b, "%q: ", f.Value)
	}
	b.WriteString(f.Text.In(language))
	return b.String()
}

// Faults are the faults of a file: the first ones in full, and the number of the others.
type Faults struct {
	List []Fault
	More int // how many are not in List
}

// Count is how many there are, listed or not.
func (f Faults) Count() int { return len(f.List) + f.More }

// Error lists them, one a line.
func (f Faults) Error() string { return f.In("en") }

// In is Error in a language.
func (f Faults) In(language string) string {
	lines := make([]string, 0, len(f.List)+1)
	for _, x := range f.List {
		lines = append(lines, x.In(language))
	}
	if f.More > 0 {
		lines = append(lines, words.Text(language, "inspect.more", "n", f.More))
	}
	return strings.Join(lines, "\n")
}

func (f *Faults) add(x Fault, limit int) {
	if len(f.List) < limit {
		f.List = append(f.List, x)
		return
	}
	f.More++
}

// faultLog gathers the faults and warnings of a file while it is read.
type faultLog struct {
	limit    int // how many of each are kept in full
	line     int // that is read
	faults   Faults
	warnings *Faults

	// fieldFaults are the fields of the current line that have a fault or a warning, for Inspect.
	fieldFaults map[string]bool
	malformed   bool // one of them is no number, date or code of its kind: the columns of the line may be shifted
}

// beginLine forgets what was found on the line before.
func (l *faultLog) beginLine() {
	clear(l.fieldFaults)
	l.malformed = false
}

// addFault and addWarning report something about a line, or, when rec is not nil, about its record, by the id of a text and its values.
func (l *faultLog) addFault(rec *Record, code, text string, values ...any) {
	l.keepFault(l.newFault(rec, code, words.NewMessage(text, values...)), false)
}

func (l *faultLog) addWarning(rec *Record, code, text string, values ...any) {
	l.keepFault(l.newFault(rec, code, words.NewMessage(text, values...)), true)
}

// addFieldFault reports a field that disagrees with another record or with a count.
func (l *faultLog) addFieldFault(rec *Record, id, code, text string, values ...any) {
	l.keepFault(l.newFieldFault(rec, rec.layout.byID[id], code, words.NewMessage(text, values...)), false)
}

func (l *faultLog) keepFault(f Fault, warning bool) {
	if f.Field != "" {
		if l.fieldFaults == nil {
			l.fieldFaults = map[string]bool{}
		}
		l.fieldFaults[f.Field] = true
		l.malformed = l.malformed || suggestsShift(&f, warning)
	}
	if warning {
		l.warnings.add(f, l.limit)
		return
	}
	l.faults.add(f, l.limit)
}

func (l *faultLog) newFault(rec *Record, code string, text words.Message) Fault {
	f := Fault{Code: code, Line: l.line, Text: text}
	if rec != nil {
		f.Record = rec.layout.name
	}
	return f
}

func (l *faultLog) newFieldFault(rec *Record, f *Field, code string, text words.Message) Fault {
	x := l.newFault(rec, code, text)
	x.Field, x.From, x.To = f.ID, f.From, f.To
	if l.mayShow(f, code) {
		x.Value = rec.Raw(f.ID)
	}
	return x
}

// widestShown is the width of the fields whose content a fault always shows: codes, and nothing of a person.
const widestShown = 4

// mayShow says whether a fault may show the content of a field. When columns are shifted it may be a payer's: it is shown
// only of the first record, of short fields, and of numbers that disagree in a record without another fault.
func (l *faultLog) mayShow(f *Field, code string) bool {
	switch {
	case f.isPersonal():
		return false
	case l.line == 1 || f.Width() <= widestShown:
		return true
	}
	return (isDisagreement(code) || code == CodeBlank) && !l.malformed
}

// suggestsShift says whether the columns of a record with that fault or warning may belong to other fields: habits of banks,
// such as blanks for zeros, do not suggest it, except where a payer's document should be.
func suggestsShift(f *Fault, warning bool) bool {
	switch f.Code {
	case CodeDocument, CodeFiller:
		return true
	case CodeBlank:
		return f.Field == "numero_inscricao_pagador"
	}
	return !warning && !isDisagreement(f.Code)
}

// isDisagreement says whether a fault is a number that differs from what was read, of a field that has the form it should.
func isDisagreement(code string) bool {
	return slices.Contains([]string{CodeCount, CodeSum, CodeSequence, CodeMovement, CodeSplit}, code)
}

// reportOverflow reports a total that left the range of amounts.
func (l *faultLog) reportOverflow(rec *Record, err error) {
	if errors.Is(err, ledger.ErrOverflow) {
		l.addFault(rec, CodeSum, "cnab_fault.large_sums")
	}
}

// checkCount and checkSum compare a counter or sum of a trailer with that of the records read.

func (l *faultLog) checkCount(rec *Record, id string, want int) {
	if readNum(rec, id) != want {
		l.addFieldFault(rec, id, CodeCount, "cnab_fault.should_be", "want", want)
	}
}

func (l *faultLog) checkSum(rec *Record, id string, want ledger.Amount) {
	if readAmount(rec, id) != want {
		l.addFieldFault(rec, id, CodeSum, "cnab_fault.should_be", "want", want)
	}
}
