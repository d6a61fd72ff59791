// Package sales keeps what a shop's own systems say was sold: files, payments version by version, the numbers of notes, and
// which days are whole. A payment is what the file made last says of it, in whatever order files come.
package sales
