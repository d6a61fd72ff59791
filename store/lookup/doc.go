// Package lookup finds the sales and slips that a word, a day or a payer leads to. What people type becomes words in jobs/find.
//
// A word is a text of a record by which people look for it: an NSU, an order number, an amount, the number of a slip. WordKind says which
// there are and how each is spelled. A payer is no word: SlipsOfPayer reads the slips instead.
//
// # The table
//
// Words are kept in blocks, table word_block: a bucket of an account's words has a row for each time that words were added to it. A row
// for each word and item would take a night longer than its rules, and an index of them as much room as the records. An entry of a block
// is a word and the sale or slip that it leads to. Blocks are never changed, so an entry may be there more than once, and may lead to a
// record of which a later version has another word: it is found by what it once was, too.
//
// A reconcile adds the words of what it is the first to take into account, in its transaction (Writer). With --full it makes all anew.
package lookup
