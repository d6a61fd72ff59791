/*
Package metrics says how a process and its ledger do, to machines that watch them.

Meters count what this process does: a metric of its own is a field there, registered in NewMeters, with one method that counts.
Ledger reads its metrics from the ledger at each scrape, whichever process wrote it: one more is a description in newDescs and a
line in collectAccount or collectRun. A Listener serves them, with /livez and /readyz.

Labels hold words of ours, codes, and configured account numbers; never anything that grows with the data.
*/
package metrics
