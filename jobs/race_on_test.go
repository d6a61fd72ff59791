//go:build race

package jobs_test

// raced: the race detector watches, which makes everything some ten times slower. What repeats one path over many
// worlds then runs over a few.
const raced = true
