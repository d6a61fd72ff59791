//go:build !race

package jobs_test

// raced: see race_on_test.go.
const raced = false
