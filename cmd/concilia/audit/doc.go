/*
Package audit compares published reports with the ledger that published them, for concilia verify. The files of a folder prove
themselves by their own hashes (package export/verify); who can write to the folder can write those anew. The ledger knows
which revisions it published, with which hashes, from which rows and after which acts, and where its chains of records ended.
*/
package audit
