// Package sales reads what a merchant's own systems say was sold, store by store: notes (NF-e, NFC-e), exports of shops and tables.
package sales
