package cnab

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"concilia/store/ledger"
)

// InspectOptions choose how much Inspect prints. The zero value prints every record without its blank fillers.
type InspectOptions struct {
	Fillers bool // the blank columns too
	Summary bool // only totals, faults and warnings
	Limit   int  // as in ReadOptions
}

// Report is what Inspect found.
type Report struct {
	File   File   // without titles and entries
	Faults Faults // empty: the file is in order
}

// OK says that the file has no fault; it may have warnings.
func (r Report) OK() bool { return r.Faults.Count() == 0 }

// Inspect explains a file line by line and column by column on w, names and documents of payers and beneficiaries
// masked, and ends with totals and every fault and warning. Memory does not grow with the file. A file at fault is
// no error: the error is that of r or w.
func Inspect(r io.Reader, w io.Writer, o InspectOptions) (Report, error) {
	out := &inspection{w: bufio.NewWriter(w), options: o, movements: map[Movement]movementTotal{}}
	rd := &reader{options: ReadOptions{Limit: o.Limit, OnTitle: out.addTitle, OnEntry: func(int, Entry) error { return nil }}}
	if rd.options.Limit <= 0 {
		rd.options.Limit = defaultFaultLimit
	}
	if !o.Summary {
		rd.options.OnRecord = func(line int, rec *Record) error { return out.printRecord(line, rec, rd.fieldFaults) }
		rd.onSkipped = out.printSkipped
	}
	err := rd.readFile(newLineReader(r))
	report := Report{File: rd.file, Faults: rd.faults}
	if err != nil {
		return report, errors.Join(err, out.w.Flush())
	}
	out.printSummary(report)
	return report, out.w.Flush()
}

// inspection prints; a bufio.Writer keeps its first error until Flush.
type inspection struct {
	w         *bufio.Writer
	options   InspectOptions
	movements map[Movement]movementTotal
	anyMarked bool // an exclamation mark has been printed
}

type movementTotal struct {
	titles int
	face   ledger.Amount
}

func (x *inspection) addTitle(_ int, t Title) error {
	m := x.movements[t.Movement]
	m.titles++
	if err := addAmount(&m.face, t.Face); err != nil {
		return err
	}
	x.movements[t.Movement] = m
	return nil
}

// printRecord prints one record. An exclamation mark stands before each field that has a fault or a warning.
func (x *inspection) printRecord(line int, rec *Record, marked map[string]bool) error {
	fmt.Fprintf(x.w, "line %d  %s\n", line, rec.layout.name)
	for i := range rec.layout.fields {
		f := &rec.layout.fields[i]
		if f.meaning == blank && !x.options.Fillers && !marked[f.ID] {
			continue
		}
		mark := ' '
		if marked[f.ID] {
			mark, x.anyMarked = '!', true
		}
		content := displayContent(rec, f)
		said := f.Name
		if m := explainField(rec, f); m != "" {
			said += ": " + m
		}
		row := fmt.Sprintf("%c %-6s %-24s %-8s [%s]", mark, f.Number, f.ID, f.columnRange(), content)
		fmt.Fprintf(x.w, "%-*s  %s\n", meaningColumn, row, said)
	}
	fmt.Fprintln(x.w)
	return nil
}

// meaningColumn is the column of the screen where the meanings stand; only texts wider than 20 reach beyond it.
const meaningColumn = 65

// printSkipped stands for a line of another length. What would show under its fields might be anybody's name.
func (x *inspection) printSkipped(line int) error {
	fmt.Fprintf(x.w, "line %d  not shown: its length is wrong, so its columns say nothing\n\n", line)
	return nil
}

func (x *inspection) printSummary(r Report) {
	if r.File.Totals.Records > 0 { // else there is nothing to add up
		x.printTotals(&r.File)
	}
	x.printFaults("faults", r.Faults)
	x.printFaults("warnings", r.File.Warnings)
	if x.anyMarked {
		fmt.Fprintf(x.w, "\nabove, a ! stands before each field that they speak of\n")
	}
}
