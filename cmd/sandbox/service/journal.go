package service

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Journal is the file of deliveries, from which a restart resumes them. It is appended
// to, one JSON object a line, and rewritten when most of it is old. A delivery is on the disk before the
// move of the clock that caused it is answered; its result is not synced, so after a power failure it may be
// sent again. It belongs to one process at a time.
type Journal struct {
	path   string
	unlock func()
	file   *os.File
	lines  int

	// The file's content when it was opened.
	deliveries []Delivery // by number
	clock      *clockLine
}

// journalLine holds one of its members. A later delivery of the same number replaces the earlier.
type journalLine struct {
	Delivery *Delivery  `json:"delivery,omitempty"`
	Clock    *clockLine `json:"clock,omitempty"`
}

// clockLine is the position of the business clock, for a world of the same as-of.
type clockLine struct {
	AsOf string    `json:"as_of"`
	Now  time.Time `json:"now"`
}

// lockWait is how long another process may take to release the journal.
const lockWait = 5 * time.Second

// OpenJournal opens a journal that need not exist yet. A last line that was cut off by a crash is dropped.
func OpenJournal(path string) (*Journal, error) {
	j := &Journal{path: path}
	if err := j.acquireLock(); err != nil {
		return nil, fmt.Errorf("delivery journal %s: %w", path, err)
	}
	lines, err := j.readLines()
	if err == nil {
		// The rewriting also keeps a cut line from ending up amid the file.
		err = j.replaceFile(lines)
	}
	if err != nil {
		j.unlock()
		return nil, fmt.Errorf("delivery journal %s: %w", path, err)
	}
	return j, nil
}

// acquireLock locks the journal for this process; an error if another process holds it for lockWait.
func (j *Journal) acquireLock() error {
	type answer struct {
		unlock func()
		err    error
	}
	got := make(chan answer, 1)
	go func() {
		unlock, err := lockFile(j.path + ".lock")
		got <- answer{unlock, err}
	}()
	select {
	case a := <-got:
		j.unlock = a.unlock
		return a.err
	case <-time.After(lockWait):
		return errors.New("another process uses it")
	}
}

// readLines returns the latest line of each delivery and the clock.
func (j *Journal) readLines() ([]journalLine, error) {
	b, err := os.ReadFile(j.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if cut := bytes.LastIndexByte(b, '\n'); cut+1 < len(b) {
		b = b[:cut+1]
	}
	at := map[int64]int{} // where in deliveries a number is
	for n, text := range bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")) {
		if len(b) == 0 {
			break
		}
		var line journalLine
		if err := json.Unmarshal(text, &line); err != nil {
			return nil, fmt.Errorf("line %d: %w; mend it or move the file away", n+1, err)
		}
		switch d := line.Delivery; {
		case line.Clock != nil:
			j.clock = line.Clock
		case d == nil:
		default:
			i, known := at[d.Number]
			if !known {
				i, at[d.Number] = len(j.deliveries), len(j.deliveries)
				j.deliveries = append(j.deliveries, Delivery{})
			}
			j.deliveries[i] = *d
		}
	}
	return journalLines(j.deliveries, j.clock), nil
}

// journalLines are the lines of a journal with one line for each delivery and one for the clock.
func journalLines(deliveries []Delivery, clock *clockLine) []journalLine {
	var lines []journalLine
	for i := range deliveries {
		lines = append(lines, journalLine{Delivery: &deliveries[i]})
	}
	if clock != nil {
		lines = append(lines, journalLine{Clock: clock})
	}
	return lines
}

// replaceFile replaces the file atomically; later lines are appended to the new one.
func (j *Journal) replaceFile(lines []journalLine) error {
	f, err := os.CreateTemp(filepath.Dir(j.path), "."+filepath.Base(j.path)+".*")
	if err != nil {
		return err
	}
	err = errors.Join(writeLines(f, lines), f.Sync())
	if err == nil {
		err = os.Rename(f.Name(), j.path)
	}
	if err != nil {
		f.Close()
		return errors.Join(err, os.Remove(f.Name()))
	}
	if j.file != nil {
		j.file.Close() // its name is gone, and its content with it
	}
	j.file, j.lines = f, len(lines)
	return nil
}

// appendLines adds lines; with sync they are on the disk when it returns.
func (j *Journal) appendLines(sync bool, lines ...journalLine) error {
	if err := writeLines(j.file, lines); err != nil {
		return err
	}
	j.lines += len(lines)
	if sync {
		return j.file.Sync()
	}
	return nil
}

func writeLines(f *os.File, lines []journalLine) error {
	out := bufio.NewWriterSize(f, 64<<10)
	e := json.NewEncoder(out)
	for _, line := range lines {
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// close syncs and closes the file and releases the lock.
func (j *Journal) close() error {
	err := errors.Join(j.file.Sync(), j.file.Close())
	j.unlock()
	return err
}
