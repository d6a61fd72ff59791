// Package export says what a report set is: the reports of one account, basis, period and filter.
//
// A Job is what is asked for, with the Facts that the run concluded; a ReportSource is where rows and sums come from; a Target is
// where files go; a Result is what became of it. Inputs are what the content of a revision depends on besides rows and documents,
// so that its content digest can be computed again as of its run. This package holds these and what is said of them in words. The
// work is done below it.
//
// # Where things are
//
//	render     writes the files of a set, proves them and publishes them; decides whether a revision is due. Begin here
//	report     the kinds: a file each, with its columns, how its rows are filled and the identities of its totals
//	table      the row model: columns as data, cells, and the text formats that read them
//	staging    files of a set that are written and not published yet
//	causes     what the unresolved cases of a set add up to by cause, and its verdict
//	control    the figures that prove a file, the rows of the control table and their words
//	proof      what control lists of a set, and the head of its sheet
//	page       the HTML page of a set, over the templates of html
//	workbook   the workbook of a set, over the file format in xlsx
//	edi, cnab  the records of an EDI file from rows, and their columns as data
//	journal    the books in the formats of accountants' programs
//	words      every text for people
//	manifest   the names of files, the manifest, its signature and tombstones
//	readback   the readers that a file has to pass
//	verify     checks a published tree
//	retire     deletes what is older than its retention
//	index      the page that leads to all sets
//	publish    folders, S3 and SFTP as targets
//	letter, mail  the letter of claims, and messages
//
// # Cents
//
// Money is shown in whole cents, rounded once when a row is built. Totals are sums of printed amounts, so that the
// installments, their summary, the workbook's total and the trailer of the EDI file are the same figure. The sum at four
// decimals is kept with each printed sum, and control shows both.
//
// # Fees and claims
//
// A charge deviates from the contract when the row was evaluated with a contract line and a rule fired for the amount; what
// a rule tolerates, or could not evaluate, counts as due. Fees sums the charges by contract line. Claims lists the deviating
// charges, each with its case. Claims are ordered by fee first, so the installments are read once for each fee that has
// any, and none are kept in memory. Line by line both must come to the same difference, or the set is refused. The
// contract lines are those of the run that evaluated the rows.
//
// # Invariants
//
//   - Equal content gives equal bytes: no clock, no locale, no map order. Run, revision and reasons are only in the
//     control table's own file and in the manifest, and never enter a digest.
//   - Nothing here opens the ledger or changes anything in it. A ReportSource returns its rows and sums, Numbers
//     reserves numbers that must not be used twice, a Publisher makes files visible.
//   - Names and documents of persons are shown only by kinds that are configured to show them.
package export
