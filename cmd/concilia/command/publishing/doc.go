/*
Package publishing has the commands about what is published: report renders and publishes a period, movement shows the sets of the day, verify
checks published files again, inspect explains a CNAB file.
*/
package publishing
