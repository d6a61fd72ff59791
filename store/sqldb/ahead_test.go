package sqldb

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// manyNumbers are more rows than are read ahead.
const manyNumbers = `
	WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
	SELECT n FROM numbers`

func takeNumber(f *RowReader) (int64, error) { return f.NextInt(), f.Err() }

// TestAheadComesInOrder: every row comes, in order, and then there is no error.
func TestAheadComesInOrder(t *testing.T) {
	a := ReadAhead(t.Context(), open(t), takeNumber, manyNumbers)
	defer a.Stop()
	var got []int64
	for n, ok := a.Next(); ok; n, ok = a.Next() {
		got = append(got, n)
	}
	if a.Err() != nil || len(got) != 2000 || !slices.IsSorted(got) || got[0] != 1 || got[1999] != 2000 {
		t.Errorf("%d rows, error %v", len(got), a.Err())
	}
}

// TestAheadEnds: who stops early leaves no connection busy, and no row is the last where reading failed or was cancelled before it.
func TestAheadEnds(t *testing.T) {
	db := open(t)
	for range 2 * maxReaders { // each would keep a connection of the pool
		a := ReadAhead(t.Context(), db, takeNumber, manyNumbers)
		if n, ok := a.Next(); n != 1 || !ok || a.Err() != nil {
			t.Fatalf("first %d, %t, error %v", n, ok, a.Err())
		}
		a.Stop()
	}
	failure := errors.New("row 300 cannot be read")
	read := func(ctx context.Context, during func(n int64)) (rows int64, err error) {
		a := ReadAhead(ctx, db, func(f *RowReader) (int64, error) {
			n := f.NextInt()
			if n == 300 {
				return 0, failure
			}
			return n, f.Err()
		}, manyNumbers)
		defer a.Stop()
		for n, ok := a.Next(); ok; n, ok = a.Next() {
			rows = n
			during(n)
		}
		return rows, a.Err()
	}
	if n, err := read(t.Context(), func(int64) {}); !errors.Is(err, failure) || n >= 300 {
		t.Errorf("%d rows before one that cannot be read, error %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if n, err := read(ctx, func(int64) { cancel() }); err == nil {
		t.Errorf("cancelled at the first row: %d rows and no error", n)
	}
}
