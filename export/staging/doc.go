// Package staging holds one report set between the steps of its rendering: its folder, what was read, and the files that are
// written and not published yet.
//
// A Set is handed from step to step. Its tables are written as csv whatever is asked for, because the workbook and the page are made
// from it; each File knows its figures by ledger and by writer, and how to read it back. A HashedFile is hashed as it is written,
// so that what lies in the folder later can be held against what was written.
//
// Its tests are those of package render, which renders whole sets.
package staging
