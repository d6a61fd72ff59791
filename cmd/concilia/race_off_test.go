//go:build !race

package main

// raced: see race_on_test.go.
const raced = false
