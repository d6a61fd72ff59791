/*
Package listen has what the HTTP servers of the program have in common: their limits, the certificate that is read again when its
files change, and the end that lets what has begun be answered.
*/
package listen
