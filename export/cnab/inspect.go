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
	out := &explainer{w: bufio.NewWriter(w), o: o, movements: map[Movement]movementTotal{}}
	rd := &reader{o: ReadOptions{Limit: o.Limit, Title: out.title, Entry: func(int, Entry) error { return nil }}}
	if rd.o.Limit <= 0 {
		rd.o.Limit = defaultFaultLimit
	}
	if !o.Summary {
		rd.o.Record = func(line int, rec *Record) error { return out.record(line, rec, rd.fieldFaults) }
		rd.skipped = out.skipped
	}
	err := rd.run(newLineReader(r))
	report := Report{File: rd.file, Faults: rd.faults}
	if err != nil {
		return report, errors.Join(err, out.w.Flush())
	}
	out.summary(report)
	return report, out.w.Flush()
}

// explainer prints; a bufio.Writer keeps its first error until Flush.
type explainer struct {
	w         *bufio.Writer
	o         InspectOptions
	movements map[Movement]movementTotal
	marked    bool // an exclamation mark has been printed
}

type movementTotal struct {
	titles int
	face   ledger.Amount
}

func (x *explainer) title(_ int, t Title) error {
	m := x.movements[t.Movement]
	m.titles++
	if err := add(&m.face, t.Face); err != nil {
		return err
	}
	x.movements[t.Movement] = m
	return nil
}

// record prints one record. An exclamation mark stands before each field that has a fault or a warning.
func (x *explainer) record(line int, rec *Record, marked map[string]bool) error {
	fmt.Fprintf(x.w, "line %d  %s\n", line, rec.layout.name)
	for i := range rec.layout.fields {
		f := &rec.layout.fields[i]
		if f.meaning == blank && !x.o.Fillers && !marked[f.ID] {
			continue
		}
		mark := ' '
		if marked[f.ID] {
			mark, x.marked = '!', true
		}
		content := shown(rec, f)
		said := f.Name
		if m := explain(rec, f); m != "" {
			said += ": " + m
		}
		row := fmt.Sprintf("%c %-6s %-24s %-8s [%s]", mark, f.Number, f.ID, f.columns(), content)
		fmt.Fprintf(x.w, "%-*s  %s\n", explainedFrom, row, said)
	}
	fmt.Fprintln(x.w)
	return nil
}

// explainedFrom is the column of the screen where the meanings stand; only texts wider than 20 reach beyond it.
const explainedFrom = 65

// skipped stands for a line of another length. What would show under its fields might be anybody's name.
func (x *explainer) skipped(line int) error {
	fmt.Fprintf(x.w, "line %d  not shown: its length is wrong, so its columns say nothing\n\n", line)
	return nil
}

func (x *explainer) summary(r Report) {
	if r.File.Totals.Records > 0 { // else there is nothing to add up
		x.totals(&r.File)
	}
	x.list("faults", r.Faults)
	x.list("warnings", r.File.Warnings)
	if x.marked {
		fmt.Fprintf(x.w, "\nabove, a ! stands before each field that they speak of\n")
	}
}
