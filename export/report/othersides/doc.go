// Package othersides holds the kinds that rest on more than the service's own records: bank on the statements of bank accounts, sales
// and efd-1601 on what the stores sold, and, for ERPs and accountants, the events of the movement and the journal.
package othersides
