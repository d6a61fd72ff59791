package published

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// tailDigits is how much of a title's number some readers of CNAB files keep: its last columns.
const (
	tailDigits  = 11
	maxOwnDigit = 20
)

// ReserveNSA returns the number of an EDI file of the account and agreement, from 900,001. A file keeps its number, so
// that a killed publication is repeated identically, and no two files share one.
func (l *NumberStore) ReserveNSA(ctx context.Context, a ledger.Account, agreement, file string) (int, error) {
	n, _, err := l.ReserveEDI(ctx, a, agreement, file, nil, nil)
	return n, err
}

// TitleNumbers gives each subject the number its title keeps in every file. A subject seen for the first time takes
// ours(subject), the number it is known by elsewhere, when that is all digits, at most 20 of them, and its last 11 are
// free in the account; else ledger.TitleNumber of the subject or, when another title of the account has that, the next
// free number. New subjects are numbered in their order as texts. ours may be nil.
func (l *NumberStore) TitleNumbers(ctx context.Context, a ledger.Account, subjects []string, ours func(subject string) string,
) (map[string]string, error) {
	var out map[string]string
	err := l.db.Transact(ctx, "number the titles of account "+a.String(), func(t *sqldb.Tx) error {
		var err error
		out, err = titleNumbers(ctx, t, a, subjects, ours)
		return err
	})
	return out, err
}

// ReserveEDI reserves the number of a file and those of its titles in one transaction, as ReserveNSA and TitleNumbers
// do. own are the numbers by which titles are known elsewhere, by subject.
func (l *NumberStore) ReserveEDI(ctx context.Context, a ledger.Account, agreement, file string, subjects []string,
	own map[string]string,
) (nsa int, numbers map[string]string, err error) {
	err = l.db.Transact(ctx, "reserve the numbers of "+file, func(t *sqldb.Tx) error {
		var err error
		numbers, err = NumberTitles(ctx, t, a, subjects, own)
		if err != nil {
			return err
		}
		nsa, err = fileNumber(ctx, t, a, agreement, file)
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	return nsa, numbers, nil
}

// Two chains number the EDI files of an account and agreement: those of the movement stay below firstOther, all others begin there.
const (
	firstMovement = 1
	firstOther    = 900_001
	lastNumber    = 999_999
)

// ReserveMovementNumber is ReserveNSA for a file of the movement, in a transaction: a chain of its own without gaps, since each
// number is reserved in the transaction that makes what the file says.
func ReserveMovementNumber(ctx context.Context, t *sqldb.Tx, a ledger.Account, agreement, file string) (int, error) {
	return fileNumberIn(ctx, t, a, agreement, file, firstMovement, firstOther-1)
}

// NumberTitles is TitleNumbers in a transaction. own are the numbers by which titles are known elsewhere, by subject.
func NumberTitles(ctx context.Context, t *sqldb.Tx, a ledger.Account, subjects []string, own map[string]string,
) (map[string]string, error) {
	return titleNumbers(ctx, t, a, subjects, func(s string) string { return own[s] })
}

// fileNumber is the number the file has, else the next one. The lock on the account's titles is held.
func fileNumber(ctx context.Context, t *sqldb.Tx, a ledger.Account, agreement, file string) (n int, err error) {
	return fileNumberIn(ctx, t, a, agreement, file, firstOther, lastNumber)
}

// fileNumberIn is fileNumber within a chain.
func fileNumberIn(ctx context.Context, t *sqldb.Tx, a ledger.Account, agreement, file string, first, last int) (n int, err error) {
	err = t.QueryRowContext(ctx, `
		SELECT number
		FROM nsa
		WHERE account = $1 AND agreement = $2 AND file = $3`, int64(a), agreement, file).Scan(&n)
	if !errors.Is(err, sql.ErrNoRows) {
		return n, err
	}
	err = t.QueryRowContext(ctx, `
		INSERT INTO nsa (
			account,
			agreement,
			number,
			file)
		SELECT
			$1,
			$2,
			COALESCE(MAX(number), $4 - 1) + 1,
			$3
		FROM nsa
		WHERE account = $1 AND agreement = $2 AND number BETWEEN $4 AND $5
		RETURNING number`, int64(a), agreement, file, int64(first), int64(last)).Scan(&n)
	return n, err
}

func titleNumbers(ctx context.Context, t *sqldb.Tx, a ledger.Account, subjects []string, ours func(string) string,
) (map[string]string, error) {
	if err := t.DB.Dialect.Lock(ctx, t.Tx, "titles/"+a.String()); err != nil {
		return nil, err
	}
	n := titles{Tx: t, account: a, ours: ours, numbers: make(map[string]string, len(subjects))}
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(subjects))), titlesAtATime) {
		if err := n.reserveNumbers(ctx, some); err != nil {
			return nil, err
		}
	}
	return n.numbers, nil
}

// titlesAtATime is of how many titles the numbers are looked up and stored at once.
const titlesAtATime = 400

// titles numbers the titles of an account.
type titles struct {
	*sqldb.Tx
	account ledger.Account
	ours    func(subject string) string // nil: titles have no numbers of their own
	numbers map[string]string
	taken   map[int64]bool // tails that were looked up, or given to one of the titles
	made    []titleNumber  // not stored yet
}

type titleNumber struct {
	subject, number string
	tail            int64
}

// reserveNumbers gives a number to each of some subjects, in their order, that has none.
func (n *titles) reserveNumbers(ctx context.Context, subjects []string) error {
	if err := n.readNumbers(ctx, subjects); err != nil {
		return err
	}
	fresh := slices.DeleteFunc(slices.Clone(subjects), func(s string) bool { return n.numbers[s] != "" })
	if len(fresh) == 0 {
		return nil
	}
	if err := n.readTails(ctx, fresh); err != nil {
		return err
	}
	for _, subject := range fresh {
		if err := n.reserveNumber(ctx, subject); err != nil {
			return err
		}
	}
	return n.storeNumbers(ctx)
}

// readNumbers reads the numbers that subjects have.
func (n *titles) readNumbers(ctx context.Context, subjects []string) error {
	list, err := sqldb.EncodeList(subjects)
	if err != nil {
		return err
	}
	return sqldb.EachRow(ctx, n, func(rows *sql.Rows) error {
		var subject, number string
		err := rows.Scan(&subject, &number)
		n.numbers[subject] = number
		return err
	}, `
		SELECT
			x.subject,
			x.number
		FROM `+sqldb.FromListed(n.DB.Dialect, "title_number", "title_number_subject", "subject", n.DB.Dialect.TextMember), int64(n.account), list)
}

// readTails looks up which of the tails that subjects would have first are taken.
func (n *titles) readTails(ctx context.Context, subjects []string) error {
	var tails []int64
	for _, s := range subjects {
		if tail, ok := tailOf(n.ownOf(s)); ok {
			tails = append(tails, tail)
		}
		tails = append(tails, ledger.TitleNumber(s))
	}
	n.taken = make(map[int64]bool, len(tails))
	for _, tail := range tails {
		n.taken[tail] = false
	}
	list, err := sqldb.EncodeList(tails)
	if err != nil {
		return err
	}
	return sqldb.EachRow(ctx, n, func(rows *sql.Rows) error {
		var tail int64
		err := rows.Scan(&tail)
		n.taken[tail] = true
		return err
	}, `
		SELECT x.tail
		FROM `+sqldb.FromListed(n.DB.Dialect, "title_number", "title_number_tail", "tail", n.DB.Dialect.IntMember), int64(n.account), list)
}

func (n *titles) ownOf(subject string) string {
	if n.ours == nil {
		return ""
	}
	return n.ours(subject)
}

// reserveNumber gives a number to a subject that has none.
func (n *titles) reserveNumber(ctx context.Context, subject string) error {
	own := n.ownOf(subject)
	if tail, ok := tailOf(own); ok && !n.taken[tail] {
		n.appendNumber(titleNumber{subject, own, tail})
		return nil
	}
	for tail := ledger.TitleNumber(subject); ; tail = tail%ledger.MaxTitleNumber + 1 {
		taken, err := n.isTaken(ctx, tail)
		if err != nil {
			return err
		}
		if !taken {
			n.appendNumber(titleNumber{subject, fmt.Sprintf("%0*d", tailDigits, tail), tail})
			return nil
		}
	}
}

func (n *titles) isTaken(ctx context.Context, tail int64) (bool, error) {
	if taken, known := n.taken[tail]; known {
		return taken, nil
	}
	var count int
	err := n.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM title_number
		WHERE account = $1 AND tail = $2`, int64(n.account), tail).Scan(&count)
	return count > 0, err
}

func (n *titles) appendNumber(of titleNumber) {
	n.made = append(n.made, of)
	n.taken[of.tail], n.numbers[of.subject] = true, of.number
}

// storeNumbers stores the numbers that were made.
func (n *titles) storeNumbers(ctx context.Context) error {
	var sequence int64
	err := n.QueryRowContext(ctx, `
		SELECT COALESCE(MAX(sequence), 0)
		FROM title_number
		WHERE account = $1`, int64(n.account)).Scan(&sequence)
	if err != nil {
		return err
	}
	made := n.made
	n.made = nil
	return n.LoadRows(ctx, "title_number", []string{"account", "subject", "number", "tail", "sequence"}, len(made), func(i int, r sqldb.Row) error {
		r.Int(int64(n.account))
		r.Text(made[i].subject)
		r.Text(made[i].number)
		r.Int(made[i].tail)
		r.Int(sequence + int64(i) + 1)
		return nil
	})
}

// tailOf is the number that the last digits of a title's own number make; no digits but zeros are no number.
func tailOf(own string) (int64, bool) {
	if own == "" || len(own) > maxOwnDigit {
		return 0, false
	}
	for _, c := range []byte(own) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	tail, err := strconv.ParseInt(own[max(0, len(own)-tailDigits):], 10, 64)
	return tail, err == nil && tail > 0
}

// KnownTitleNumbers returns the existing title numbers of the subjects and reserves none.
func (l *NumberStore) KnownTitleNumbers(ctx context.Context, a ledger.Account, subjects []string) (map[string]string, error) {
	asked := make(map[string]bool, len(subjects))
	for _, s := range subjects {
		asked[s] = true
	}
	out := make(map[string]string)
	// One pass over the account's titles: subjects are many, and one question each would take longer.
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var subject, number string
		if err := rows.Scan(&subject, &number); err != nil {
			return err
		}
		if asked[subject] {
			out[subject] = number
		}
		return nil
	}, `
		SELECT
			subject,
			number
		FROM title_number
		WHERE account = $1`, int64(a))
	return out, l.db.WrapError("read the title numbers of account "+a.String(), err)
}

// SubjectOfTitle is the subject whose title has the number, which is digits; empty when none has it.
func (l *NumberStore) SubjectOfTitle(ctx context.Context, a ledger.Account, number string) (string, error) {
	tail, err := strconv.ParseInt(number[max(0, len(number)-tailDigits):], 10, 64)
	if err != nil {
		return "", nil // no number of a title
	}
	var subject, kept string
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT
			subject,
			number
		FROM title_number
		WHERE account = $1 AND tail = $2`, int64(a), tail).Scan(&subject, &kept)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", l.db.WrapError("look for title "+number, err)
	}
	if err != nil || strings.TrimLeft(kept, "0") != strings.TrimLeft(number, "0") {
		return "", nil
	}
	return subject, nil
}
