package sales

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// TakeIn is a file to be taken in.
type TakeIn struct {
	// Shop is the id of the shop; First becomes its home if it has none.
	Shop              string
	First             ledger.Account
	Hash              ledger.FileHash
	Name, Format, Map string
	// Notes says that the days are known by the numbers of notes, and that a note which a file lacks is not gone.
	Notes bool
	// Period is what a person says the file covers; the zero Period is unknown.
	Period ledger.Period
	// Today is the day on which it is taken in.
	Today ledger.Date
	Actor string
	At    time.Time
	// Read tells what the file says. It is called more than once and tells the same each time.
	Read func(take func(*ledger.OwnRecord) error) error
}

// errDryRun ends a transaction of which nothing is to be kept.
var errDryRun = errors.New("dry run")

// errTwice ends a transaction that found a payment twice in the file; the next one knows which.
var errTwice = errors.New("a payment is twice in the file")

// TakeInSales takes in a file, whole or not at all. A file whose bytes are known changes nothing. With dryRun it says what would change
// and keeps nothing. An error may be a *ledger.OwnRefusal.
func (s *Store) TakeInSales(ctx context.Context, in *TakeIn, dryRun bool) (out ledger.OwnImport, err error) {
	first := &survey{}
	if err := in.Read(first.takeRecord); err != nil {
		return out, err
	}
	if err := first.findRefusal(in.Period.From != 0); err != nil {
		return out, err
	}
	twice := map[paymentKey]bool{}
	for {
		err = s.db.TransactRepeatable(ctx, "take in sales", func(t *sqldb.Tx) error {
			m := &merge{Tx: t, in: in, survey: *first, twice: twice}
			err := m.mergeFile(ctx)
			if out = m.out; err == nil && dryRun {
				return errDryRun
			}
			return err
		})
		switch {
		case errors.Is(err, errTwice):
		case errors.Is(err, errDryRun):
			return out, nil
		default:
			return out, err
		}
	}
}

// paymentKey names a payment of a shop.
type paymentKey struct {
	sale   string
	number int
}

// merge takes in one file.
type merge struct {
	*sqldb.Tx
	in       *TakeIn
	survey   survey
	at       Shop
	whole    ledger.Period
	made     ledger.LocalTime
	files    map[ledger.FileHash]*File
	hasVoids bool
	touched  ledger.Period       // from the first to the last day of which payments changed
	overlaps bool                // payments of the days that it has whole were known before
	twice    map[paymentKey]bool // payments that are twice in the file with different contents
	found    bool                // one was added to twice
	payments []ledger.OwnPayment
	voids    []ledger.OwnVoid
	numbers  []ledger.OwnNumbers
	out      ledger.OwnImport
}

// chunk is how many rows are merged at a time.
const chunk = 8192

func (m *merge) mergeFile(ctx context.Context) (err error) {
	// Two that take in files of one shop would each compute its days without the other's file.
	if err := m.DB.Dialect.Lock(ctx, m.Tx.Tx, "sales/"+m.in.Shop); err != nil {
		return err
	}
	m.at.ID = m.in.Shop
	if m.at.Home, err = readShopHome(ctx, m, m.in.Shop, m.in.First); err != nil {
		return err
	}
	if err := m.readBefore(ctx); err != nil {
		return err
	}
	m.whole, m.made = m.survey.findCover(m.in)
	m.out.Shown = m.in.Period
	if m.out.Shown.From == 0 {
		m.out.Shown = ledger.Period{From: m.survey.first, To: m.survey.last}
	}
	if err := m.readOverlap(ctx); err != nil {
		return err
	}
	if m.files[m.in.Hash] != nil {
		m.out.Known, m.out.Rows, m.out.Same = true, m.survey.payments, m.survey.payments
		return nil
	}
	if err := m.in.Read(func(r *ledger.OwnRecord) error { return m.takeRecord(ctx, r) }); err != nil {
		return err
	}
	for _, rest := range []func(context.Context) error{m.mergePayments, m.mergeVoids, m.mergeNumbers} {
		if err := rest(ctx); err != nil {
			return err
		}
	}
	if m.found {
		return errTwice
	}
	if err := m.markVanished(ctx); err != nil {
		return err
	}
	m.out.Rows = m.survey.payments + m.survey.quarantined
	for _, key := range m.twiceInOrder() {
		m.survey.quarantined++
		m.survey.addFault(ledger.OwnFault{Where: fmt.Sprintf("sale %.60s, payment %d", key.sale, key.number), Reason: "twice in the file, with different contents"})
	}
	m.out.Quarantined, m.out.Faults, m.out.Unmapped = m.survey.quarantined, m.survey.faults, m.survey.unmapped
	if err := m.survey.findRefusal(true); err != nil {
		return err
	}
	for _, write := range []func(context.Context) error{m.writeFile, m.writeFaults, m.writeDays} {
		if err := write(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (m *merge) twiceInOrder() []paymentKey {
	return slices.SortedFunc(maps.Keys(m.twice), func(a, b paymentKey) int {
		return cmp.Or(cmp.Compare(a.sale, b.sale), cmp.Compare(a.number, b.number))
	})
}

// readBefore reads what the file is held against.
func (m *merge) readBefore(ctx context.Context) error {
	files, err := readFiles(ctx, m, m.at)
	if err != nil {
		return err
	}
	m.files = make(map[ledger.FileHash]*File, len(files))
	for i := range files {
		m.files[files[i].Hash] = &files[i]
	}
	var voids int64
	err = m.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM own_void
		WHERE account = $1 AND store = $2`, int64(m.at.Home), m.at.ID).Scan(&voids)
	m.hasVoids = voids > 0
	return err
}

// readOverlap finds out whether the file may lack a payment that was known: most files tell of days that are new.
func (m *merge) readOverlap(ctx context.Context) error {
	var known int64
	err := m.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM own_sale
		WHERE account = $1 AND store = $2 AND ended_file IS NULL AND day >= $3 AND day <= $4`,
		int64(m.at.Home), m.at.ID, int64(m.whole.From), int64(m.whole.To)).Scan(&known)
	m.overlaps = known > 0
	return err
}

func (m *merge) takeRecord(ctx context.Context, r *ledger.OwnRecord) error {
	switch {
	case r.Payment != nil:
		if m.payments = append(m.payments, *r.Payment); len(m.payments) == chunk {
			return m.mergePayments(ctx)
		}
	case r.Void != nil:
		m.voids = append(m.voids, *r.Void)
	case r.Numbers != nil:
		if m.numbers = append(m.numbers, *r.Numbers); len(m.numbers) == chunk {
			return m.mergeNumbers(ctx)
		}
	}
	return nil
}

// isOlder reports whether the file says less of a payment than one that was taken in: that one was made later.
func (m *merge) isOlder(than ledger.FileHash) bool {
	f := m.files[than]
	return f != nil && f.Made > m.made
}

// isGone reports whether a file that was made later has the whole day, and would show a payment that this one brings.
func (m *merge) isGone(d ledger.Date) bool {
	if m.in.Notes {
		return false
	}
	for _, f := range m.files {
		if f.Made > m.made && f.Whole.Contains(d) {
			return true
		}
	}
	return false
}

func (m *merge) writeFile(ctx context.Context) error {
	o := &m.out
	_, err := m.ExecContext(ctx, `
		INSERT INTO own_file (account, store, file, name, format, map, from_day, to_day, made, rows_seen, quarantined, created, changed,
			same, vanished, actor, taken)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		int64(m.at.Home), m.at.ID, m.in.Hash[:], m.in.Name, m.in.Format, m.in.Map, int64(m.whole.From), int64(m.whole.To), int64(m.made),
		o.Rows, o.Quarantined, o.New, o.Changed, o.Same, o.Vanished, m.in.Actor, sqldb.TimeArg(m.in.At))
	return err
}
