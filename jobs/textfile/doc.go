// Package textfile reads text files that other programs wrote, piece by piece: in which character set they are, and tables in which a row may
// go on without end. What is in memory does not grow with the file.
package textfile
