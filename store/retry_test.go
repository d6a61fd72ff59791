package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

const keepAccount = "INSERT INTO account (account, since) VALUES ($1, 1)"

// TestBusyAgain: what found the ledger locked is done once more from its start, and only once in effect.
func TestBusyAgain(t *testing.T) {
	t.Parallel()
	dsn := storetest.FreshSQLite(t)
	l, other := openDSN(t, dsn), rawDB(t, dsn).Write
	if _, err := other.ExecContext(t.Context(), "PRAGMA busy_timeout = 0"); err != nil {
		t.Fatal(err)
	}
	tries := 0
	err := store.Transact(t.Context(), l, func(exec func(string, ...any) error) error {
		if tries++; tries < 3 {
			// The other finds this transaction's lock: the error of the driver itself, and what was written is undone.
			if err := exec(keepAccount, 7); err != nil {
				return err
			}
			_, err := other.ExecContext(t.Context(), keepAccount, 8)
			return err
		}
		return exec(keepAccount, 7)
	})
	if err != nil || tries != 3 {
		t.Errorf("%d tries: %v", tries, err)
	}
	// A key that is there already will be there the next time, too.
	tries = 0
	err = store.Transact(t.Context(), l, func(exec func(string, ...any) error) error {
		tries++
		return exec(keepAccount, 7)
	})
	if err == nil || tries != 1 {
		t.Errorf("a duplicate: %d tries: %v", tries, err)
	}
}

// mergedAgain: a pull whose commit was kept, and its answer lost, is handed in again.
func mergedAgain(t *testing.T, l *store.Ledger) {
	t.Helper()
	if _, err := l.LeaseAccounts(t.Context(), "r", []ledger.Account{1}, time.Hour); err != nil {
		t.Fatal(err)
	}
	day := ledger.NewDate(2026, 1, 1)
	pull := func(id string, minute int) *ledger.Pull {
		began := day.Time().Add(time.Duration(minute) * time.Minute)
		return &ledger.Pull{
			ID: id, Run: "r", Complete: true, Began: began, Ended: began.Add(time.Second), SHA256: id, AsOf: day, On: day,
			Window: ledger.Window{Account: 1, Source: ledger.Cards, Period: ledger.Period{From: day, To: day}},
		}
	}
	row := ledger.Installment{Account: 1, SoldAt: ledger.LocalTimeOf(day.Time(), time.UTC), NSU: "7", Number: 1, Count: 1}
	merge := func(p *ledger.Pull, gross ledger.Amount) error {
		row.Gross = gross
		return l.MergeInstallments(t.Context(), p, []ledger.Installment{row}, nil)
	}
	first := pull("a", 1)
	for _, c := range []struct {
		name  string
		pull  *ledger.Pull
		gross ledger.Amount
		fails bool
		want  ledger.Counts
	}{
		{"the first time", first, 1, false, ledger.Counts{Rows: 1, New: 1}},
		{"the same pull again says what it brought", pull("a", 1), 1, false, ledger.Counts{Rows: 1, New: 1}},
		{"another pull brings a change", pull("b", 2), 2, false, ledger.Counts{Rows: 1, Changed: 1}},
		{"the first pull once more does not bring back what was", pull("a", 1), 1, false, ledger.Counts{Rows: 1, New: 1}},
		{"another pull of the same name is refused", pull("a", 3), 3, true, ledger.Counts{}},
	} {
		if err := merge(c.pull, c.gross); (err != nil) != c.fails {
			t.Errorf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(c.want, c.pull.Counts); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	err := l.Sales(t.Context(), 1, func(s *ledger.Sale) error {
		if h := s.Rows[0]; len(h) != 2 || h.Current().Gross != 2 {
			t.Errorf("%d versions, gross %d", len(h), h.Current().Gross)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestMergedAgain(t *testing.T) {
	t.Parallel()
	mergedAgain(t, openSQLite(t))
}

// TestSplitsText: the text of splits made by hand is that of encoding/json.
func TestSplitsText(t *testing.T) {
	t.Parallel()
	number := rapid.Custom(func(r *rapid.T) ledger.Opt[int64] {
		return ledger.Opt[int64]{V: rapid.Int64().Draw(r, "v"), OK: rapid.Bool().Draw(r, "ok")}
	})
	rapid.Check(t, func(r *rapid.T) {
		splits := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) ledger.Split {
			pct, base, value := number.Draw(r, "pct"), number.Draw(r, "base"), number.Draw(r, "value")
			return ledger.Split{
				Beneficiary: rapid.String().Draw(r, "beneficiary"), Type: rapid.String().Draw(r, "type"),
				Pct:   ledger.Opt[ledger.Rate]{V: ledger.Rate(pct.V), OK: pct.OK},
				Base:  ledger.Opt[ledger.Amount]{V: ledger.Amount(base.V), OK: base.OK},
				Value: ledger.Opt[ledger.Amount]{V: ledger.Amount(value.V), OK: value.OK},
			}
		}), 1, 3).Draw(r, "splits")
		byHand, byJSON, err := store.SplitsText(splits)
		if err != nil || byHand != byJSON {
			r.Fatalf("%s\n%s\n%v", byHand, byJSON, err)
		}
	})
}
