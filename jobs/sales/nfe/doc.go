// Package nfe reads notes of sale (NF-e and NFC-e, models 55 and 65) with their payments: XML as the tax office returned it, one
// document or many, in a file, a folder or a ZIP. It reads them as a stream, keeps what a payment needs and nothing of the customer
// or the goods, and trusts no file: no DOCTYPE or entity, bounded depth and text, bounded archives.
package nfe
