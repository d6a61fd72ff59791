/*
Package wire builds what a process works with from its configuration: the ledger, the documents, the client of the service and
its pace, the target and the archive of reports, and the worker that has them all. A Process says how the program was started;
its methods open what a command or the daemon needs. Nothing is opened in another place.

Process.WireWorker is where to begin: it shows in one function which settings become which parts.
*/
package wire
