//go:build race

package jobstest

// Raced: the race detector watches, which makes everything some ten times slower. What repeats one path over many
// worlds then runs over a few.
const Raced = true
