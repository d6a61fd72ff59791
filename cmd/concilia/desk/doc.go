/*
Package desk reads from the ledger what the console shows; commands that show the same read it here too, so that both agree to the
cent. Source answers every page: its methods are those of console.Source, a file for each group of pages.
*/
package desk
