//go:build race

package main

// raced: the race detector watches, which makes everything some ten times slower. Scripts that repeat what others do
// begin with [race] skip.
const raced = true
