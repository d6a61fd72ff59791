// Package table reads the sales of a shop from tables: CSV, JSON and JSON Lines whose columns a map declares, or one of the maps
// for known systems. Nothing is guessed: a column that is not there refuses the file, a value that is not declared is left
// out and said. It reads a file row by row, and keeps no names, documents or addresses of customers.
package table
