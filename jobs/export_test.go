package jobs

import "context"

// Winner is winner, for tests.
var Winner = winner

// Disagree is disagree, for tests.
func (c *Calibrated) Disagree(i int) string { return c.disagree(i) }

// Broken is broken, for tests.
var Broken = broken

// ReplacedAmong is replacedAmong.
var ReplacedAmong = replacedAmong

// Steady is steady, for tests.
func (w *Worker) Steady(ctx context.Context, do func() error) error { return w.steady(ctx, nil, do) }
