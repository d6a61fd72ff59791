// Package setpublish renders, proves, archives and publishes report sets.
//
// A Publisher has what every publication needs. Which sets are published is decided before (package setplan), and what a set
// contains is described by package reportset. Files are written by package export/render, and kept and delivered by package
// publish. An Outcome is what the publications of one run came to.
//
// # A nightly run
//
// PublishNight first delivers what waits for the target. Then each account's sets are one unit of work, which this process
// or a worker on another machine does (RenderUnit): the order of the unit has everything that is not in the ledger. A worker
// renders a set, proves its totals against the ledger and archives its files; the process that leads the run records the
// revision and delivers it. Sets over all accounts and sets of the movement are published by the process that leads.
//
// # One set
//
// A set whose current revision follows from the same state is not rendered. Else it is rendered, and is not recorded if its
// content is that of its current revision. If its files and the ledger differ it is refused: a critical case on the file
// says so until the set is published or unchanged again. Else it is archived, recorded and delivered while the next set is
// rendered, one set at a time, so that sets are recorded and appear at the target in their order.
//
// # What a person asks for
//
// PublishReports publishes or lists what a request asks for, CopyAsOf and RenderAsOf what there was as of a past run.
// WriteExtracts and WriteJournalExtract write private files that neither the ledger nor the archive has. PublishJournal
// publishes a journal, CopyMovement copies sets of the movement.
//
// # Failures
//
// A set that cannot be published is noted and does not stop the others. If the target becomes unreachable, what is archived
// waits for it; if the archive does, everything stops. A FileRemover deletes what is past its days.
package setpublish
