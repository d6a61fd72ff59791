//go:build !race

package jobstest

// Raced is false without the race detector: see race_on.go.
const Raced = false
