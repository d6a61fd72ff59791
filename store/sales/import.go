package sales

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
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
	// Together are the files that are taken in with it, one after another, by the same map; nil: it alone.
	Together map[ledger.FileHash]bool
	// Today is the day on which it is taken in.
	Today ledger.Date
	Actor string
	At    time.Time
	// Read hands over what the file says. It is called once.
	Read func(take func(*ownsales.Record) error) error
}

// errDryRun ends a transaction of which nothing is to be kept.
var errDryRun = errors.New("dry run")

// TakeInSales takes in a file, whole or not at all. A file whose bytes are known changes nothing, unless it was read by another map: then
// what it said by that one is replaced. With dryRun it says what would change and keeps nothing. An error may be a *words.Refusal.
func (s *SaleStore) TakeInSales(ctx context.Context, in *TakeIn, dryRun bool) (out ownsales.Import, err error) {
	first := &survey{}
	rows := newSpool(partSize)
	defer func() { err = errors.Join(err, rows.Close()) }()
	err = in.Read(func(r *ownsales.Record) error {
		first.takeRecord(r)
		return rows.add(r)
	})
	if err == nil {
		err = rows.EndAdding()
	}
	if err != nil {
		return out, err
	}
	if err := first.findRefusal(in.Period.From != 0); err != nil {
		return out, err
	}
	err = s.db.TransactRepeatable(ctx, "take in sales", func(t *sqldb.Tx) error {
		m := &merge{Tx: t, in: in, rows: rows, survey: *first, period: in.Period, twice: map[paymentKey]bool{}}
		err := m.mergeFile(ctx)
		if out = m.out; err == nil && dryRun {
			return errDryRun
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return out, err
}

// paymentKey names a payment of a shop.
type paymentKey struct {
	sale   string
	number int
}

func keyOf(p *ownsales.Payment) paymentKey { return paymentKey{p.Sale, p.Number} }

func (k paymentKey) compare(o paymentKey) int {
	return cmp.Or(cmp.Compare(k.sale, o.sale), cmp.Compare(k.number, o.number))
}

// merge takes in one file.
type merge struct {
	*sqldb.Tx
	in          *TakeIn
	rows        *recordSpool
	survey      survey
	period      ledger.Period // that it covers, as was said now or when it was taken in before; the zero Period is unknown
	at          Shop
	whole       ledger.Period
	knownBefore map[ledger.Date]int64 // payments of each day that were known before and had not vanished
	shownAgain  map[ledger.Date]int64 // and those of them that the file shows
	twice       map[paymentKey]bool   // payments that are twice in the file with different contents
	last        *ownsales.Payment     // of the file, nil: none is open
	differs     bool                  // another row of the file has other values of it
	merged      paymentKey            // up to which payments are merged
	payments    []ownsales.Payment    // to be merged, in order of key
	out         ownsales.Import

	others   otherFiles
	stored   storedReader
	versions *versionWriter
	voids    voidKeeper
	numbers  numberKeeper
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
	m.stored, m.numbers = storedReader{Tx: m.Tx, at: m.at}, numberKeeper{Tx: m.Tx, at: m.at}
	m.versions = &versionWriter{
		Tx: m.Tx, at: m.at, file: m.in.Hash, days: map[ledger.Date]dayCount{}, shown: &shownDays{Tx: m.Tx, at: m.at, file: m.in.Hash},
	}
	m.voids.versionWriter = m.versions
	if err := m.readBefore(ctx); err != nil {
		return err
	}
	if known := m.others.byHash[m.in.Hash]; known != nil {
		if known.Map == m.in.Map {
			m.out.Known, m.out.Rows, m.out.Same = true, m.survey.payments, m.survey.payments
			m.out.Shown = m.shownPeriod()
			return nil
		}
		if err := m.beginReread(ctx, known); err != nil {
			return err
		}
	}
	m.out.Shown = m.shownPeriod()
	m.whole, m.others.made = m.survey.findCover(m.in, m.period)
	if !m.in.Notes && !m.others.anyIsNewer() {
		m.versions.shown.whole = m.whole
	}
	if err := m.rows.read(func(r *ownsales.Record) error { return m.takeRecord(ctx, r) }); err != nil {
		return err
	}
	for _, rest := range []func(context.Context) error{m.mergeLast, m.voids.mergeWaiting, m.numbers.mergeWaiting, m.markVanished, m.bringBack} {
		if err := rest(ctx); err != nil {
			return err
		}
	}
	m.out.Voided, m.out.Rows = m.voids.changed, m.survey.payments+m.survey.quarantined
	for _, key := range m.twiceInOrder() {
		m.survey.quarantined++
		m.survey.addFault(ownsales.Fault{
			Where:  words.NewMessage("own_fault.sale_payment", "sale", fmt.Sprintf("%.60s", key.sale), "n", key.number).Pack(),
			Reason: words.NewMessage("own_fault.twice").Pack(),
		})
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

// shownPeriod is from the first to the last day that the file states, or else shows.
func (m *merge) shownPeriod() ledger.Period {
	if m.period.From != 0 {
		return m.period
	}
	return ledger.Period{From: m.survey.first, To: m.survey.last}
}

func (m *merge) twiceInOrder() []paymentKey {
	return slices.SortedFunc(maps.Keys(m.twice), paymentKey.compare)
}

// readBefore reads what the file is held against.
func (m *merge) readBefore(ctx context.Context) error {
	files, err := readFiles(ctx, m, m.at)
	if err != nil {
		return err
	}
	m.others = otherFiles{in: m.in, byHash: make(map[ledger.FileHash]*File, len(files))}
	for i := range files {
		m.others.byHash[files[i].Hash] = &files[i]
	}
	days, err := readDays(ctx, m, m.at)
	if err != nil {
		return err
	}
	m.knownBefore, m.shownAgain = make(map[ledger.Date]int64, len(days)), map[ledger.Date]int64{}
	for i := range days {
		m.knownBefore[days[i].Day] = days[i].Payments
	}
	s := m.versions.shown
	if s.was, err = readShown(ctx, m, m.at); err != nil {
		return err
	}
	s.by, m.stored.shown = maps.Clone(s.was), s
	return m.voids.readAny(ctx)
}

func (m *merge) takeRecord(ctx context.Context, r *ownsales.Record) error {
	switch {
	case r.Payment != nil:
		return m.takePayment(ctx, r.Payment)
	case r.Void != nil:
		return m.takeVoid(ctx, r.Void)
	case r.Numbers != nil:
		return m.numbers.add(ctx, r.Numbers)
	}
	return nil
}

// takeVoid takes what takes payments back, which the file tells behind all its payments.
func (m *merge) takeVoid(ctx context.Context, v *ownsales.Void) error {
	if len(m.voids.waiting) == chunk {
		if err := m.mergeLast(ctx); err != nil {
			return err
		}
		if err := m.voids.mergeWaiting(ctx); err != nil {
			return err
		}
	}
	m.voids.waiting = append(m.voids.waiting, *v)
	return nil
}

// takePayment takes the payments of the file, which come in order of key. One that is there twice counts once where both rows say the same,
// and else not at all.
func (m *merge) takePayment(ctx context.Context, p *ownsales.Payment) error {
	if m.last != nil && keyOf(m.last) == keyOf(p) {
		if *m.last == *p {
			m.out.Left++
		} else {
			m.differs = true
		}
		return nil
	}
	m.endPayment()
	if m.last = p; len(m.payments) < chunk {
		return nil
	}
	return m.mergePayments(ctx)
}

// endPayment notes the payment that is open for merging.
func (m *merge) endPayment() {
	switch {
	case m.last == nil:
	case m.differs:
		m.twice[keyOf(m.last)] = true
	default:
		m.payments = append(m.payments, *m.last)
	}
	m.last, m.differs = nil, false
}

// mergeLast merges the payments that are left.
func (m *merge) mergeLast(ctx context.Context) error {
	m.endPayment()
	if err := m.mergePayments(ctx); err != nil {
		return err
	}
	return m.endUntold(ctx, nil)
}

func (m *merge) writeFile(ctx context.Context) error {
	o := &m.out
	if err := m.forgetReading(ctx); err != nil {
		return err
	}
	_, err := m.ExecContext(ctx, `
		INSERT INTO own_file (account, store, file, name, format, map, from_day, to_day, stated, made, rows_seen, quarantined, created,
			changed, same, vanished, actor, taken)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		int64(m.at.Home), m.at.ID, m.in.Hash[:], m.in.Name, m.in.Format, m.in.Map, int64(m.whole.From), int64(m.whole.To),
		sqldb.BoolArg(m.period.From != 0), int64(m.others.made), o.Rows, o.Quarantined, o.New, o.Changed, o.Same, o.Vanished, m.in.Actor, sqldb.TimeArg(m.in.At))
	return err
}
