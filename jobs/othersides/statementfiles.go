package othersides

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"concilia/export/words"
	"concilia/jobs/api/mask"
	jobsbank "concilia/jobs/bank"
	"concilia/jobs/calendar"
	"concilia/store"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// StatementFile is a file of statements to be taken in.
type StatementFile struct {
	*jobsbank.File
	Name     string             // without folder
	Accounts []jobsbank.Account // whose statements may be in it
	Options  jobsbank.ReadOptions
	Actor    string
	At       time.Time
	Calendar *calendar.Calendar
	DryRun   bool
}

// TakenStatement is what became of one statement of a file.
type TakenStatement struct {
	*jobsbank.Reading
	banking.Import
}

// TakeInStatements takes in the statements of a file, all of them or none. An error may be a *words.Refusal. passedOver are the
// statements of other accounts in it.
func TakeInStatements(ctx context.Context, l *store.Ledger, f *StatementFile) (taken []TakenStatement, passedOver int, err error) {
	if !f.Options.Own {
		// Files for a bank that allows no remark in the header are recognized as ours by their bytes alone.
		switch published, err := l.WasPublished(ctx, f.Hash.String()); {
		case err != nil:
			return nil, 0, err
		case published:
			return nil, 0, jobsbank.RefuseOwn()
		}
	}
	if taken, err = listKnown(ctx, l, f); err != nil || len(taken) > 0 {
		return taken, 0, err
	}
	readings, passedOver, err := f.ReadStatements(f.Accounts, f.Options)
	if err != nil {
		return nil, 0, err
	}
	all := make([]bank.TakeIn, len(readings))
	for i := range readings {
		r := &readings[i]
		all[i] = bank.TakeIn{
			Bank: r.Account.ID, First: r.Account.Accounts[0], Bytes: f.Hash, Part: r.Part, Name: f.Name, WriteBody: f.writeBody,
			Statement: &r.Statement, PassedOver: passedOver, Actor: f.Actor, At: f.At, Since: r.Account.Since,
			IsBusinessDay: func(d ledger.Date) bool { return f.Calendar.IsBusinessDay(calendar.Settles, d) },
		}
	}
	done, err := l.TakeInStatements(ctx, all, f.DryRun)
	for i := range done {
		taken = append(taken, TakenStatement{&readings[i], done[i]})
	}
	return taken, passedOver, err
}

// listKnown lists what was taken in from the same bytes before, so that they need not be read again. There is nothing where a statement was
// passed over: its account may be configured now.
func listKnown(ctx context.Context, l *store.Ledger, f *StatementFile) (all []TakenStatement, err error) {
	for i := range f.Accounts {
		a := &f.Accounts[i]
		known, err := l.KnownStatements(ctx, a.ID, f.Hash)
		if err != nil {
			return nil, err
		}
		if len(known) == 0 {
			continue
		}
		home, _, err := l.HomeOf(ctx, a.ID, a.Accounts[0])
		if err != nil {
			return nil, err
		}
		days, err := l.BankDays(ctx, bank.Account{Home: home, ID: a.ID})
		if err != nil {
			return nil, err
		}
		for part := range known {
			k := &known[part]
			if k.PassedOver > 0 {
				return nil, nil
			}
			all = append(all, TakenStatement{
				&jobsbank.Reading{Account: a, Part: part, Statement: banking.Statement{
					Format: k.Format, Window: k.Window, Stated: k.Stated, Made: k.Made, AsOf: k.AsOf, Rows: banking.RowList(nil),
					BalanceRows: int(k.BalanceRows), Blocked: int(k.Blocked), Notes: k.Notes,
				}},
				banking.Import{
					Known: true, Lines: k.Lines, Scheduled: k.Scheduled, Same: k.Lines - k.Scheduled, SettledTo: banking.Frontier(days, a.Since),
				},
			})
		}
	}
	return all, nil
}

// errChanged means that a file is not what it was when it was opened.
var errChanged error = words.NewFault("publish_fault.file_changed", "")

// writeBody writes the file as it is kept as evidence: card numbers are masked, line by line.
func (f *StatementFile) writeBody(to io.Writer) error {
	sum := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(io.NewSectionReader(f, 0, f.Size()), sum), longLine)
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line[:0], piece...)
		for errors.Is(err, bufio.ErrBufferFull) && !endsApart(line) {
			var next byte
			if next, err = in.ReadByte(); err == nil {
				line, err = append(line, next), bufio.ErrBufferFull
			}
		}
		mask.CardsOfIssuers(line)
		if _, err := to.Write(line); err != nil {
			return err
		}
		switch {
		case errors.Is(err, io.EOF) && ledger.FileHash(sum.Sum(nil)) != f.Hash:
			return errChanged
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// longLine is from how many bytes on a line is taken in pieces.
const longLine = 256 << 10

// endsApart reports whether a piece of a line ends in what is within no card number.
func endsApart(piece []byte) bool {
	return bytes.HasSuffix(piece, []byte(">")) || bytes.HasSuffix(piece, []byte("}"))
}

// inboxReading is what a run found in the inboxes of bank accounts.
type inboxReading struct {
	refused  map[string][]jobsbank.RefusedFile // by bank account; of one without an inbox there is nothing
	files    map[string]int                    // statements that were new
	newLines map[string]int64
}

// takeInInboxes takes in what the inboxes hold. A file that is refused hinders no other, and is looked at again by the next
// run.
func (k *Keeper) takeInInboxes(ctx context.Context) (*inboxReading, error) {
	in := &inboxReading{refused: map[string][]jobsbank.RefusedFile{}, files: map[string]int{}, newLines: map[string]int64{}}
	byFolder := map[string][]jobsbank.Account{}
	var folders []string
	for i := range k.Banks {
		a := &k.Banks[i]
		if a.Inbox == "" {
			continue
		}
		if in.refused[a.ID] = []jobsbank.RefusedFile{}; len(byFolder[a.Inbox]) == 0 {
			folders = append(folders, a.Inbox)
		}
		byFolder[a.Inbox] = append(byFolder[a.Inbox], *a)
	}
	for _, folder := range folders {
		accounts := byFolder[folder]
		refuse := func(name, reason string) {
			id := accounts[0].ID
			in.refused[id] = append(in.refused[id], jobsbank.RefusedFile{Name: name, Reason: reason})
		}
		paths, err := k.listInbox(ctx, folder)
		if err != nil {
			refuse(".", "unreadable")
			continue
		}
		for _, path := range paths {
			var refusal *words.Refusal
			switch err := k.takeInFile(ctx, path, accounts, in); {
			case errors.As(err, &refusal):
				refuse(filepath.Base(path), refusal.ID)
			case errors.Is(err, errUnreadable):
				refuse(filepath.Base(path), "unreadable")
			case err != nil:
				return nil, err
			}
		}
	}
	return in, nil
}

// errUnreadable means that the system does not let a file of an inbox be read.
var errUnreadable error = words.NewFault("publish_fault.inbox_unreadable", "")

// takeInFile takes in one file of an inbox, and moves it to where files go that are in.
func (k *Keeper) takeInFile(ctx context.Context, path string, accounts []jobsbank.Account, in *inboxReading) error {
	taken, err := k.takeInPath(ctx, path, accounts)
	if err != nil {
		return err
	}
	for i := range taken {
		t := &taken[i]
		if !t.Known {
			in.files[t.Account.ID]++
		}
		in.newLines[t.Account.ID] += t.New
	}
	done := accounts[0].Done
	if done == "" {
		return nil
	}
	if err := moveInto(done, path); err != nil {
		return words.NewFault("publish_fault.not_moved", "", "cause", err)
	}
	return nil
}

func (k *Keeper) takeInPath(ctx context.Context, path string, accounts []jobsbank.Account) (taken []TakenStatement, err error) {
	file, err := jobsbank.OpenFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	f := StatementFile{File: file, Name: filepath.Base(path), Accounts: accounts, Actor: "concilia", At: k.Wall(), Calendar: k.BankCalendar}
	if len(accounts) == 1 {
		f.Options.Only = accounts[0].ID
	}
	taken, _, err = TakeInStatements(ctx, k.Ledger, &f)
	var unreadable *fs.PathError
	if errors.As(err, &unreadable) {
		err = fmt.Errorf("%w: %w", errUnreadable, err)
	}
	return taken, err
}

// moveInto moves a file into a folder. One of its name that is there stays: the file gets a number behind its name.
func moveInto(folder, path string) error {
	name := filepath.Base(path)
	ext := filepath.Ext(name)
	to := filepath.Join(folder, name)
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, os.ErrNotExist) {
			return os.Rename(path, to)
		} else if err != nil {
			return err
		}
		to = filepath.Join(folder, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext))
	}
}

const (
	// freshFor is for how long a file may still be being written, lookAgain how long it is given to show that it is.
	freshFor  = time.Minute
	lookAgain = 2 * time.Second
)

// listInbox are the files of a folder that are whole, by name: regular ones, not hidden, not named as parts. One changed just
// now is looked at again, and left for the next run if it grew.
func (k *Keeper) listInbox(ctx context.Context, folder string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	fresh := map[string]os.FileInfo{}
	for _, e := range entries {
		part := slices.Contains([]string{".part", ".tmp", ".crdownload"}, strings.ToLower(filepath.Ext(e.Name())))
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || part || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(folder, e.Name())
		if paths = append(paths, path); k.Wall().Sub(info.ModTime()).Abs() < freshFor {
			fresh[path] = info
		}
	}
	if len(fresh) == 0 {
		return paths, nil
	}
	select {
	case <-ctx.Done():
		return nil, nil // the run ends before it takes anything in
	case <-time.After(lookAgain):
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		was := fresh[path]
		if was == nil {
			return false
		}
		now, err := os.Stat(path)
		return err != nil || cmp.Compare(now.Size(), was.Size()) != 0 || !now.ModTime().Equal(was.ModTime())
	}), nil
}
