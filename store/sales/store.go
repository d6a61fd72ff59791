package sales

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// Store keeps the sales of shops, and how they were matched, in a ledger's database: a store or reader for each subject. It is safe for use
// by many goroutines.
type Store struct {
	SaleStore
	ConclusionStore
	ServiceReader
}

// SaleStore keeps the sales of shops as they were taken in.
type SaleStore struct{ db *sqldb.DB }

// ConclusionStore keeps what a run concluded of the sales of shops.
type ConclusionStore struct{ db *sqldb.DB }

// ServiceReader reads what the service knows of the days of shops.
type ServiceReader struct{ db *sqldb.DB }

// New is the store of sales in db.
func New(db *sqldb.DB) *Store {
	return &Store{SaleStore: SaleStore{db}, ConclusionStore: ConclusionStore{db}, ServiceReader: ServiceReader{db}}
}

// Shop is a shop as the ledger knows it.
type Shop struct {
	Home ledger.Account
	ID   string // in the configuration
}

// File is a file that was taken in.
type File struct {
	Hash                                                ledger.FileHash
	Name, Format, Map                                   string
	Whole                                               ledger.Period // days that it has whole; the zero Period: none
	Stated                                              bool          // a person said the days that it covers
	Made                                                ledger.LocalTime
	Rows, Quarantined, Created, Changed, Same, Vanished int64
	Actor                                               string
	Taken                                               time.Time
}

// Kept is a version of a payment as it is kept.
type Kept struct {
	ownsales.Payment
	Version     int
	First, Last ledger.FileHash // that brought it, and that showed it last
	Ended       bool            // there is a later version
	Vanished    bool
}

// HomeOfShop is the account under which a shop's rows are: the one that was its first when its first file came, else first.
func (s *SaleStore) HomeOfShop(ctx context.Context, id string, first ledger.Account) (ledger.Account, error) {
	home, err := readShopHome(ctx, s.db.Read, id, first)
	return home, s.db.WrapError("read store "+id, err)
}

func readShopHome(ctx context.Context, q sqldb.Querier, id string, first ledger.Account) (home ledger.Account, err error) {
	err = q.QueryRowContext(ctx, `
		SELECT account
		FROM own_file
		WHERE store = $1
		LIMIT 1`, id).Scan(&home)
	if errors.Is(err, sql.ErrNoRows) {
		return first, nil
	}
	return home, err
}

// OwnFiles returns the files of a shop, in the order they were made.
func (s *SaleStore) OwnFiles(ctx context.Context, at Shop) ([]File, error) {
	files, err := readFiles(ctx, s.db.Read, at)
	return files, s.db.WrapError("read the files of store "+at.ID, err)
}

func readFiles(ctx context.Context, q sqldb.Querier, at Shop) (files []File, err error) {
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var f File
		var hash []byte
		var stated int64
		err := rows.Scan(&hash, &f.Name, &f.Format, &f.Map, sqldb.IntoDate(&f.Whole.From), sqldb.IntoDate(&f.Whole.To), &stated, &f.Made, &f.Rows,
			&f.Quarantined, &f.Created, &f.Changed, &f.Same, &f.Vanished, &f.Actor, sqldb.IntoTime(&f.Taken))
		copy(f.Hash[:], hash)
		f.Stated = stated != 0
		files = append(files, f)
		return err
	}, `
		SELECT
			file,
			name,
			format,
			map,
			from_day,
			to_day,
			stated,
			made,
			rows_seen,
			quarantined,
			created,
			changed,
			same,
			vanished,
			actor,
			taken
		FROM own_file
		WHERE account = $1 AND store = $2
		ORDER BY made, taken, file`, int64(at.Home), at.ID)
	return files, err
}

// OwnDays returns the days of a shop from the first to the last that its files show, in order and without a hole.
func (s *SaleStore) OwnDays(ctx context.Context, at Shop) ([]ownsales.Day, error) {
	days, err := readDays(ctx, s.db.Read, at)
	return days, s.db.WrapError("read the days of store "+at.ID, err)
}

func readDays(ctx context.Context, q sqldb.Querier, at Shop) (days []ownsales.Day, err error) {
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var d ownsales.Day
		err := rows.Scan(sqldb.IntoDate(&d.Day), &d.State, &d.Payments, &d.Versions, &d.Why)
		days = append(days, d)
		return err
	}, `
		SELECT
			day,
			state,
			payments,
			versions,
			why
		FROM own_day
		WHERE account = $1 AND store = $2
		ORDER BY day`, int64(at.Home), at.ID)
	return days, err
}

// OwnSales calls fn for the current version of every payment of the period, vanished ones too: in order of day, sale and payment.
func (s *SaleStore) OwnSales(ctx context.Context, at Shop, p ledger.Period, fn func(*Kept) error) error {
	shown, err := readShown(ctx, s.db.Read, at)
	if err != nil {
		return s.db.WrapError("read the days of store "+at.ID, err)
	}
	err = s.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		return readKept(f, func(k *Kept) error {
			setLastShown(shown, k)
			return fn(k)
		})
	}, `
		SELECT`+keptColumns+`
		FROM own_sale
		WHERE account = $1 AND store = $2 AND day >= $3 AND day <= $4 AND ended_file IS NULL
		ORDER BY day, sale_id, payment_no`, int64(at.Home), at.ID, int64(p.From), int64(p.To))
	return s.db.WrapError("read the sales of store "+at.ID, err)
}

// OwnSaleVersions returns every version of the payments of a sale, in order of payment and version.
func (s *SaleStore) OwnSaleVersions(ctx context.Context, at Shop, sale string) (all []Kept, err error) {
	shown, err := readShown(ctx, s.db.Read, at)
	if err != nil {
		return nil, s.db.WrapError("read the days of store "+at.ID, err)
	}
	err = s.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		return readKept(f, func(k *Kept) error {
			setLastShown(shown, k)
			all = append(all, *k)
			return nil
		})
	}, `
		SELECT`+keptColumns+`
		FROM own_sale
		WHERE account = $1 AND store = $2 AND sale_id = $3
		ORDER BY payment_no, version`, int64(at.Home), at.ID, sale)
	return all, s.db.WrapError("read a sale of store "+at.ID, err)
}
