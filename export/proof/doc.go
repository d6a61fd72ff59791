// Package proof says what control lists of one report set, section by section, and what the head of the control sheet sums up.
//
// The rows themselves, their words and the figures of files are package control's. The control table's own file has every row; the
// workbook has all but the run, the revision and the files, so that workbooks of equal content are equal; the page repeats the head.
//
// Its tests are those of package render, which renders whole sets.
package proof
