package jobs

// Winner is winner, for tests.
var Winner = winner

// Disagree is disagree, for tests.
func (c *Calibrated) Disagree(i int) string { return c.disagree(i) }

// Broken is broken, for tests.
var Broken = broken

// ReplacedAmong is replacedAmong.
var ReplacedAmong = replacedAmong
