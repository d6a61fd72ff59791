// Package problem describes what is wrong with a file that a person wrote: the configuration and the documents it names.
//
// Parsers collect every Problem of a file in a List and return its Err, so that all errors of a file can be corrected at
// once. No problem holds a secret, a document number or a name: the parser leaves Value empty for these.
package problem
