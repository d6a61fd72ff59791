// Package ofx reads bank statements in OFX 1.x and 2.x as Brazilian banks really write them: closed and unclosed elements
// mixed, lines that end in any way or not at all, bare ampersands, a header that names another encoding than the bytes
// have.
//
// What is before <OFX> is not read. Elements are found without regard to case, and unknown ones are skipped. Bytes are
// UTF-8 if all of them are, else Windows-1252. FITID is not used: banks number the same movement anew with every
// download.
//
// Little of a file is in memory at a time: a window of its text, and of its rows what package rows keeps there.
//
// A file may hold several statements; each becomes a banking.Statement with its rows as written. What is no movement
// among them, and which days are whole, jobs/bank says, which reads every format.
package ofx
