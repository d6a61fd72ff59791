package bank

import (
	"bytes"
	"fmt"
	"strings"

	"concilia/export/words"
	"concilia/jobs/bank/columns"
	"concilia/jobs/bank/ofx"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Limits of a file.
const (
	// MaxFileSize is how many bytes a file may have.
	MaxFileSize = 512 << 20
	maxRows     = 1_000_000
)

// ReadOptions are what a person says of a file.
type ReadOptions struct {
	// Only is the id of the bank account that the file is of; empty: it is found.
	Only string
	// Own takes in a statement that this program made. Its days are at best covered.
	Own bool
	// Period is what a table covers, which states no period itself; the zero Period is unknown.
	Period ledger.Period
}

// Reading is one statement of a file with the bank account that it is of.
type Reading struct {
	Account   *Account
	Part      int // its number among the statements of that account in the file, from 0
	Statement banking.Statement
}

// ReadStatements finds whose the statements of the file are. Statements of other accounts are passed over and counted, as long as one is
// ours. A *words.Refusal as error means that nothing of the file is to be taken in, another one that it could not be read. The rows of the
// statements are there until the file is closed.
func (f *File) ReadStatements(accounts []Account, o ReadOptions) (all []Reading, passedOver int, err error) {
	if f.Size() > MaxFileSize {
		return nil, 0, words.NewRefusal("size", "refused.bytes", "remedy.cut_by_size", "n", f.Size())
	}
	head, err := f.readHead(maxHead)
	if err != nil {
		return nil, 0, err
	}
	if isOwn(head) && !o.Own {
		return nil, 0, RefuseOwn()
	}
	statements, table, err := f.readByFormat(head, accounts, o)
	for i := range statements {
		f.rows = append(f.rows, statements[i].Rows)
	}
	if err != nil {
		return nil, 0, err
	}
	parts := map[string]int{}
	var stated []string
	for i := range statements {
		st := &statements[i]
		if n := st.Rows.Len(); n > maxRows {
			return nil, 0, words.NewRefusal("size", "refused.rows", "remedy.cut_by_rows", "n", n)
		}
		a := table
		if a == nil {
			if a, err = ownerOf(st, accounts, o.Only); err != nil {
				return nil, 0, err
			}
		}
		if a == nil {
			passedOver++
			stated = append(stated, accountText(st))
			continue
		}
		if err := completeStatement(st, a.IgnoreBalance || o.Own); err != nil {
			return nil, 0, err
		}
		all = append(all, Reading{Account: a, Part: parts[a.ID], Statement: *st})
		parts[a.ID]++
	}
	if len(all) == 0 {
		return nil, passedOver, refuseAccount(stated, accounts, o.Only)
	}
	return all, passedOver, nil
}

// accountText is an account as a message names it.
func accountText(st *banking.Statement) string {
	return strings.Trim(fmt.Sprintf("%.10s %.20s %.40s", st.Bank, st.Branch, st.Account), " ")
}

func refuseAccount(stated []string, accounts []Account, only string) error {
	var configured []string
	for i := range accounts {
		if a := &accounts[i]; only == "" || a.ID == only {
			configured = append(configured, fmt.Sprintf("%s (%s)", a.ID, strings.Trim(a.Bank+" "+a.Branch+" "+a.Number, " ")))
		}
	}
	return words.NewRefusal("account", "refused.other_account", "remedy.add_bank",
		"stated", strings.Join(stated[:min(len(stated), 5)], ", "), "configured", strings.Join(configured, ", "))
}

// ownRemark is what this program writes into the header of its statements for other systems.
const ownRemark = "MOVIMENTO SERVICO"

// RefuseOwn refuses a file that this program made.
func RefuseOwn() error {
	return words.NewRefusal("own", "refused.own", "remedy.bank_or_own")
}

// isOwn reports whether this program made a file, by the remark of its header.
func isOwn(head []byte) bool {
	line, _, _ := bytes.Cut(head[:min(len(head), 1<<10)], []byte("\n"))
	return len(line) >= 240 && bytes.Contains(line, []byte(ownRemark))
}

// maxHead is how many bytes at the beginning of a file show its format.
const maxHead = 64 << 10

// readByFormat reads a file in the format that its content shows. A table names no account: table is the one whose columns
// it has.
func (f *File) readByFormat(begin []byte, accounts []Account, o ReadOptions) (all []banking.Statement, table *Account, err error) {
	head := bytes.TrimLeft(bytes.TrimPrefix(begin, []byte("\ufeff")), " \t\r\n")
	switch {
	case len(head) == 0:
		return nil, nil, words.NewRefusal("empty", "refused.no_line", "remedy.with_dates")
	case ofx.IsOFX(begin):
		all, err = ofx.Read(f.SectionReader, ofxOptions(accounts, o.Only))
		return all, nil, err
	case isCNAB(head):
		all, err = readCNAB(f.SectionReader)
		return all, nil, err
	}
	for _, kind := range foreignKinds {
		if kind.is(head) {
			return nil, nil, refuseForeign(kind.name, "remedy.ofx_or_cnab")
		}
	}
	if table, err = tableOwner(accounts, o.Only); err != nil {
		return nil, nil, err
	}
	st, err := columns.Read(f.SectionReader, *table.Columns, o.Period)
	if err != nil {
		return nil, nil, err
	}
	return []banking.Statement{st}, table, nil
}

// tableOwner is the account whose columns a table is read by: the one named, or the only one that has some.
func tableOwner(accounts []Account, only string) (*Account, error) {
	var found []*Account
	var ids []string
	for i := range accounts {
		if a := &accounts[i]; (only == "" || a.ID == only) && a.Columns != nil {
			found, ids = append(found, a), append(ids, a.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, words.NewRefusal("columns", "refused.no_columns", "remedy.ofx_or_columns")
	}
	return nil, words.NewRefusal("ambiguous", "refused.table_of", "remedy.say_bank", "ids", words.Either(ids))
}

// ofxOptions are the settings of the accounts that a file may be of, as far as they agree.
func ofxOptions(accounts []Account, only string) (o ofx.Options) {
	first := true
	for i := range accounts {
		a := &accounts[i]
		switch {
		case only != "" && a.ID != only:
			continue
		case first:
			o, first = ofx.Options{Amounts: a.Amounts, IgnoreBalance: a.IgnoreBalance}, false
			continue
		}
		if a.Amounts != o.Amounts {
			o.Amounts = ""
		}
		o.IgnoreBalance = o.IgnoreBalance && a.IgnoreBalance
	}
	return o
}

// isCNAB reports whether a file begins with the header of a CNAB 240 file.
func isCNAB(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimRight(line, "\r")
	if len(line) != 240 {
		return false
	}
	for _, c := range line[:8] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return string(line[3:8]) == "00000"
}

// refuseForeign refuses a file that is no statement, by the ids of what it is and of the remedy.
func refuseForeign(kind, remedy string) error {
	return words.NewRefusal("foreign", "refused.foreign_statement", remedy, "kind", words.NewMessage(kind))
}

// foreignKinds are files that people export in place of a statement.
var foreignKinds = []struct {
	name string // its id
	is   func(head []byte) bool
}{
	{"refused.kind_pdf", func(h []byte) bool { return bytes.HasPrefix(h, []byte("%PDF")) }},
	{"refused.kind_zip", func(h []byte) bool { return bytes.HasPrefix(h, []byte("PK\x03\x04")) }},
	{"refused.kind_xls", func(h []byte) bool { return bytes.HasPrefix(h, []byte("\xd0\xcf\x11\xe0")) }},
	{"refused.kind_html", func(h []byte) bool {
		return bytes.Contains(bytes.ToLower(h[:min(len(h), 1<<10)]), []byte("<html")) || bytes.Contains(bytes.ToLower(h[:min(len(h), 1<<10)]), []byte("<!doctype html"))
	}},
	{"refused.kind_cnab400", func(h []byte) bool {
		line, _, _ := bytes.Cut(h, []byte("\n"))
		return len(bytes.TrimRight(line, "\r")) == 400
	}},
}
