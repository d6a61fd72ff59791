package staging

import (
	"errors"
	"fmt"
	"io"
	"os"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/table"
)

// copiedLines are the parts of a file whose lines were copied from that of the current revision.
type copiedLines struct {
	parts []filePart // in order
	sums  table.Counter
}

// filePart is a part of a file, by its bytes.
type filePart struct{ from, to int64 }

// add notes that the lines from an offset on were copied.
func (c *copiedLines) add(from, size int64, sums *table.Counter) error {
	if c.sums.Table == nil {
		c.sums = table.NewCounter(sums.Table)
	}
	c.parts = append(c.parts, filePart{from, from + size})
	return c.sums.Merge(sums)
}

// readBackRest reads back what was not copied, and adds what is known of the rest: it was read back when it was first written, and the
// hash of the file, which is compared in any case, shows that the bytes are the same.
func (w *writtenFormat) readBackRest(path string, t *table.Table) (sums table.Counter, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sums, err
	}
	var rest []io.Reader
	at := int64(0)
	for _, p := range w.copied.parts {
		rest = append(rest, io.NewSectionReader(f, at, p.from-at))
		at = p.to
	}
	info, err := f.Stat()
	if err == nil {
		rest = append(rest, io.NewSectionReader(f, at, info.Size()-at))
		sums, err = w.read(io.MultiReader(rest...), t)
	}
	if err == nil {
		err = sums.Merge(&w.copied.sums)
	}
	return sums, errors.Join(err, f.Close())
}

// readsBehind reports whether files of tables are read back while they are written. Of those with copied lines only the rest is, and
// once it is known which part that is.
func (s *Set) readsBehind() bool { return s.Job.ExpectsRevision && !s.Job.CopiesDays() }

// IsOpen reports whether rows can be written to the table now.
func (f *Table) IsOpen() bool { return f.file != nil }

// TableMark is how far a table was written.
type TableMark struct {
	counted table.Counter
	size    map[string]int64 // of its files, by extension
}

// Mark returns how far the table is written.
func (f *Table) Mark() TableMark {
	m := TableMark{f.csv.Counter.Clone(), map[string]int64{report.CSV.Extension(): f.csvSize()}}
	for _, x := range f.otherFormats {
		m.size[x.Format.Extension()] = x.file.size + int64(x.w.Buffered())
	}
	return m
}

func (f *Table) csvSize() int64 { return f.file.size + int64(f.csv.Buffered()) }

// LinesSince returns the lines that were written since a mark. ok is false if they can't be copied into another file.
func (f *Table) LinesSince(m *TableMark) (lines export.KeptLines, ok bool) {
	now := f.Mark()
	since := now.counted.Since(&m.counted)
	for ext, size := range m.size {
		now.size[ext] -= size
	}
	return export.NewKeptLines(&since, now.size), since.Rows == 0 || f.table.CopiesLines() && !f.undigested
}

// CopyLines writes the lines of a day unchanged from the files of the current revision.
func (f *Table) CopyLines(lines *export.KeptLines, from *KeptFiles) error {
	sums, ok := lines.Counter(f.table)
	if !ok {
		return fmt.Errorf("table %s: lines that were kept have other columns", f.table.ID)
	}
	csv := report.CSV.Extension()
	if err := f.copied.add(f.csvSize(), lines.Bytes[csv], &sums); err != nil {
		return err
	}
	if err := errors.Join(f.csv.Counter.Merge(&sums), f.digest.Counter.Merge(&sums)); err != nil {
		return err
	}
	err := from.copyPart(f.table.ID+"."+csv, lines.Bytes[csv], func(part []byte) (int, error) {
		whole, err := f.digest.AddLines(part)
		if err != nil {
			return 0, err
		}
		return whole, f.csv.CopyLines(part[:whole])
	})
	for _, x := range f.otherFormats {
		ext := x.Format.Extension()
		err = errors.Join(err, x.copied.add(x.file.size+int64(x.w.Buffered()), lines.Bytes[ext], &sums), x.sums.Merge(&sums),
			from.copyPart(f.table.ID+"."+ext, lines.Bytes[ext], x.w.Write))
	}
	return err
}

// KeptFiles are the files of the current revision, read from front to back.
type KeptFiles struct {
	files map[string]*os.File
	part  []byte
}

// OpenKeptFiles opens the files that lines are copied from, each at the first line of the days, which are its last bytes. ok is false if
// one of them does not fit what was kept of it.
func OpenKeptFiles(d *export.SaleDays) (k *KeptFiles, ok bool, err error) {
	size := make(map[string]int64) // of the days
	for i := range d.Kept {
		for id, lines := range d.Kept[i].Tables {
			for ext, n := range lines.Bytes {
				size[id+"."+ext] += n
			}
		}
	}
	k = &KeptFiles{files: make(map[string]*os.File), part: make([]byte, copiedAtOnce)}
	for name, lines := range size {
		if lines == 0 {
			continue
		}
		path, there := d.Files[name]
		if !there {
			return nil, false, k.Close()
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, false, errors.Join(fmt.Errorf("staging: %w", err), k.Close())
		}
		k.files[name] = f
		whole, err := f.Seek(0, io.SeekEnd)
		if err == nil && whole >= lines {
			_, err = f.Seek(whole-lines, io.SeekStart)
		}
		if err != nil || whole < lines {
			return nil, false, errors.Join(err, k.Close())
		}
	}
	return k, true, nil
}

// copiedAtOnce is how many bytes are copied at once. A longer line takes more.
const copiedAtOnce = 256 << 10

// copyPart passes the next bytes of a file to write, which returns how many of them it took: those that it did not take come again, with more.
func (k *KeptFiles) copyPart(name string, size int64, write func([]byte) (int, error)) error {
	held := 0 // at the front of part
	for size > 0 || held > 0 {
		if held == len(k.part) {
			k.part = append(k.part, make([]byte, len(k.part))...)
		}
		n := min(int64(len(k.part)-held), size)
		if _, err := io.ReadFull(k.files[name], k.part[held:held+int(n)]); err != nil {
			return fmt.Errorf("staging: %s of the current revision: %w", name, err)
		}
		size -= n
		part := k.part[:held+int(n)]
		took, err := write(part)
		if err != nil {
			return err
		}
		if n == 0 && took == 0 {
			return fmt.Errorf("staging: %s of the current revision: a day does not end with a line", name)
		}
		held = copy(k.part, part[took:])
	}
	return nil
}

// Skip passes over lines that are not copied.
func (k *KeptFiles) Skip(id string, lines *export.KeptLines) error {
	for ext, n := range lines.Bytes {
		if n == 0 {
			continue
		}
		if _, err := k.files[id+"."+ext].Seek(n, io.SeekCurrent); err != nil {
			return fmt.Errorf("staging: %w", err)
		}
	}
	return nil
}

// Close closes the files. It does nothing on nil.
func (k *KeptFiles) Close() (err error) {
	if k == nil {
		return nil
	}
	for _, f := range k.files {
		err = errors.Join(err, f.Close())
	}
	return err
}
