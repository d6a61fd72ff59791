// Package bank keeps what the bank says: statements line by line, in the order in which the bank made them, and which days
// they prove. It is the other side of store/facts, which keeps what the payment service says.
//
// A bank account belongs to one account of the merchant, its home: the first of its accounts when it was first seen. All
// its rows are the home's.
//
// # Merging
//
// Banks renumber movements, reword them, and downloads overlap. So a line is known by its bank account, day, amount and
// text, and by how many equal ones there are that day. A day is computed from all files that show it, in order of the
// instant they were made, whatever the order in which they are taken in (mergeDay): a file that is whole for the day sets
// how many lines there are, another only adds. A line above the last count vanished; it is kept, and in no sum.
//
// # Taking in
//
// A file is taken in whole or not at all, in one transaction: what it says of each day is written as its rows are read, then its lines are
// merged some days at a time. What is in memory grows with the rows of one day, and not with the file.
//
// # Proof
//
// Balances that the bank states are the anchors of a chain. Where the lines between two of them come to their difference,
// the days between are proven (chainDays). Days without such a link are covered when a file is whole for them.
//
// # Conclusions
//
// What runs concluded is current from a run until another concludes otherwise, so that a past run can be read as it was. A
// run may replace the days that it matched alone (banking.Conclusion.Matched); those of closed days stay. It says from which
// conclusion they are, and keeps nothing if another one has come meanwhile.
package bank
