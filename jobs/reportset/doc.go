// Package reportset knows one report set: which rows, kinds and formats of which accounts are published together (Request), which of
// them the verdicts of a run withhold (Verdicts), and what export needs to render the set (Builder).
//
// A Builder makes the export.Job of a set as of the run that reconciled its accounts, and the source of its rows. What a person did or
// the service said since belongs to a later run, and the documents are those of the run. It also names the state of a set: a digest of
// all that its content follows from, so that a set that did not change need not be rendered (States), and keeps the rows of cards
// that the sets of single accounts left for the set over all of them (CardRows).
//
// Sets of the movement and the journal are not made of rows: a BookReader reads what they show of the books.
//
// It only reads the ledger. It renders nothing, publishes nothing, and does not decide which sets a run publishes: package jobs does.
package reportset
