package jobs

// Winner is winner, for tests.
var Winner = winner
