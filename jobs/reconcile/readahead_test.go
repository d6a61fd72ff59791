package reconcile

import (
	"context"
	"errors"
	"slices"
	"testing"
)

var errJudge, errRead = errors.New("judged badly"), errors.New("read badly")

func TestReadAhead(t *testing.T) {
	const many = 3*batchSize*maxBatches + 1
	for _, row := range []struct {
		says   string
		count  int // handed over before read ends
		failAt int // evaluate fails at it; -1 never
		read   error
		stop   bool // the caller gives up at failAt
		want   error
		judged int
	}{
		{says: "nothing is read", failAt: -1},
		{says: "what fills no batch is judged too", count: 1, failAt: -1, judged: 1},
		{says: "all is judged, in order", count: many, failAt: -1, judged: many},
		{says: "what was read before reading failed is judged up to its last whole batch", count: batchSize + 1, failAt: -1, read: errRead, want: errRead, judged: batchSize},
		{says: "a judge that fails ends the reading of what has no end", count: -1, failAt: 5, want: errJudge, judged: 6},
		{says: "a judge that fails goes before a reader that does", count: 6, failAt: 5, want: errJudge, judged: 6},
		{says: "a caller that gives up ends both", count: -1, failAt: 5, stop: true, want: context.Canceled, judged: 6},
	} {
		t.Run(row.says, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := false
			read := func(_ context.Context, fn func(int) error) error {
				defer func() { ended = true }()
				for i := 0; i != row.count; i++ {
					if err := fn(i); err != nil {
						return err
					}
				}
				return row.read
			}
			var judged []int
			err := readAhead(ctx, read, func(i int) error {
				judged = append(judged, i)
				if i != row.failAt {
					return nil
				}
				if row.stop {
					cancel()
					return ctx.Err()
				}
				return errJudge
			})
			if !errors.Is(err, row.want) || row.want == nil && err != nil {
				t.Errorf("got %v, want %v", err, row.want)
			}
			if !ended {
				t.Error("it returned while the reader went on")
			}
			if len(judged) != row.judged || !slices.IsSorted(judged) {
				t.Errorf("judged %d, want %d in order: %v", len(judged), row.judged, judged)
			}
		})
	}
}
