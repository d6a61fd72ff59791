//go:build !race

package storetest

// raced: see race_on.go.
const raced = false
