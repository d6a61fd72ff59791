package cnab

import (
	"errors"

	"concilia/store/ledger"
)

// File is the content of a file. Codes are those of the file, without trailing blanks.
type File struct {
	Service  string // of its first lote: "01" cobrança, "04" extrato; empty without a lote
	Header   FileInfo
	Lotes    []Lote
	Totals   Totals // counted by the reader, not taken from the trailers
	Warnings Faults
}

// FileInfo is the file header.
type FileInfo struct {
	Account Account // digits as in the file, leading zeros included
	Created ledger.Date
	Time    string // HHMMSS
	NSA     int
	Version string
}

// Lote is one lote. Titles and Entries are empty when ReadOptions has a callback for them.
type Lote struct {
	Number  int
	Service string
	Header  *Record
	Titles  []Title
	Entries []Entry
	Trailer *Record // nil: the file has none
}

// Entry is one entry of an account statement.
type Entry struct {
	Booked   ledger.Date // data contábil: the day it affects the balance
	Posted   ledger.Date // data do lançamento
	Amount   ledger.Amount
	Debit    bool
	Category string // three digits: 1xx debits, 2xx credits
	History  string // código histórico
	Text     string // histórico
	Document string
}

// ReadOptions are the callbacks and limits of a reading. With the zero ReadOptions, titles and entries are collected in
// the File.
type ReadOptions struct {
	// OnTitle and OnEntry, when set, are called with each title and entry in the order of the file, and nothing is
	// collected, so that memory does not grow with the file. OnTitle is called when all records of the title have been
	// read; line is that of its T. An error ends the reading.
	OnTitle func(line int, t Title) error
	OnEntry func(line int, e Entry) error
	// OnRecord is called with each record of a known kind and of the right length, with the bytes of the file.
	OnRecord func(line int, r *Record) error
	// StrictIdentities makes a title whose amounts are inconsistent (Title.CheckAmounts) a fault. Otherwise it is a
	// warning, since the files of banks that charge their tariff separately break the second identity in every title.
	StrictIdentities bool
	// Limit is how many faults, and how many warnings, are listed; the others are only counted. 0 is 100.
	Limit int
}

const defaultFaultLimit = 100

// titleFrom makes a title of a T and a U. Content that could not be read was reported by checkColumns and counts as zero
// here.
func titleFrom(t, u *Record) Title {
	return Title{
		Movement:       Movement(readNum(t, "movimento")),
		TitleNumber:    t.Text("nosso_numero"),
		Portfolio:      readNum(t, "carteira"),
		DocumentNumber: t.Text("numero_documento"),
		Due:            readDate(t, "vencimento"),
		Face:           readAmount(t, "valor_titulo"),
		Fee:            readAmount(t, "tarifa_custas"),
		CompanyUse:     t.Text("uso_da_empresa"),
		Payer: Payer{
			Document: parseTaxID(t.Raw("tipo_inscricao_pagador"), t.Raw("numero_inscricao_pagador")),
			Name:     t.Text("nome_pagador"),
		},
		Motive:        t.Text("motivos"),
		Additions:     readAmount(u, "acrescimos"),
		Discount:      readAmount(u, "desconto"),
		Rebate:        readAmount(u, "abatimento"),
		Paid:          readAmount(u, "valor_pago"),
		Net:           readAmount(u, "valor_liquido"),
		OtherExpenses: readAmount(u, "outras_despesas"),
		OtherCredits:  readAmount(u, "outros_creditos"),
		EventDate:     readDate(u, "data_ocorrencia"),
		CreditDate:    readDate(u, "data_credito"),
	}
}

func splitFrom(r *Record) SplitLine {
	s := SplitLine{
		Beneficiary: r.Text("nome_benef"),
		CreditDate:  readDate(r, "data_credito"),
	}
	ordinal, _ := parseNum(r.Text("parcela"))
	s.Ordinal = int(ordinal)
	if r.Raw("tipo_valor") != "1" {
		s.Amount = readAmount(r, "valor_ou_percentual")
	}
	return s
}

func entryFrom(r *Record) Entry {
	return Entry{
		Booked:   readDate(r, "data_contabil"),
		Posted:   readDate(r, "data_lancamento"),
		Amount:   readAmount(r, "valor"),
		Debit:    r.Raw("tipo_dc") == "D",
		Category: r.Raw("categoria"),
		History:  r.Text("cod_historico"),
		Text:     r.Text("historico"),
		Document: r.Text("numero_documento"),
	}
}

func fileInfoFrom(r *Record) FileInfo {
	return FileInfo{
		Account: Account{
			BankCode: r.Raw("banco"), Branch: r.Text("agencia"), BranchDigit: r.Text("dv_agencia"),
			Number: r.Text("conta"), NumberDigit: r.Text("dv_conta"), Digit: r.Text("dv_ag_conta"),
			Agreement: r.Text("convenio"), BankName: r.Text("nome_banco"), HolderName: r.Text("nome_empresa"),
			Document: parseTaxID(r.Raw("tipo_inscricao"), r.Raw("numero_inscricao")),
		},
		Created: readDate(r, "data_geracao"),
		Time:    r.Raw("hora_geracao"),
		NSA:     readNum(r, "nsa"),
		Version: r.Raw("layout_arquivo"),
	}
}

// readNum, readAmount and readDate return the values of fields that checkColumns has checked; zero on an error.

func readNum(r *Record, id string) int              { v, _ := r.Num(id); return int(v) }
func readAmount(r *Record, id string) ledger.Amount { v, _ := r.Amount(id); return v }
func readDate(r *Record, id string) ledger.Date     { v, _ := r.Date(id); return v }

// IsStatement reports whether the file is an extrato; one without a lote is not.
func (f *File) IsStatement() bool { return f.Service == extratoService }

// Balances returns the opening balance of a statement's first lote and the closing balance of its last one; 0 for a
// record that is missing.
func (f *File) Balances() (opening, closing ledger.Amount) {
	if !f.IsStatement() || len(f.Lotes) == 0 {
		return 0, 0
	}
	if h := f.Lotes[0].Header; h != nil {
		opening = readBalance(h, "valor_saldo_inicial")
	}
	if t := f.Lotes[len(f.Lotes)-1].Trailer; t != nil {
		closing = readBalance(t, "valor_saldo_final")
	}
	return opening, closing
}

// Totals are the counts and sums of a file. Writer and reader each keep their own, so that the two can be compared with
// each other and with the ledger.
type Totals struct {
	Records int // of every type, headers and trailers included
	Lotes   int

	Titles        int
	Face          ledger.Amount
	Fee           ledger.Amount
	Additions     ledger.Amount
	Discount      ledger.Amount
	Rebate        ledger.Amount
	Paid          ledger.Amount
	Net           ledger.Amount
	OtherExpenses ledger.Amount
	OtherCredits  ledger.Amount

	Splits      int
	SplitAmount ledger.Amount // of shares given as amounts

	Entries int
	Credits ledger.Amount
	Debits  ledger.Amount
}

func (s *Totals) addTitle(t *Title) error {
	s.Titles++
	s.Splits += len(t.Splits)
	err := errors.Join(
		addAmount(&s.Face, t.Face), addAmount(&s.Fee, t.Fee), addAmount(&s.Additions, t.Additions), addAmount(&s.Discount, t.Discount),
		addAmount(&s.Rebate, t.Rebate), addAmount(&s.Paid, t.Paid), addAmount(&s.Net, t.Net),
		addAmount(&s.OtherExpenses, t.OtherExpenses), addAmount(&s.OtherCredits, t.OtherCredits))
	for i := range t.Splits {
		err = errors.Join(err, addAmount(&s.SplitAmount, t.Splits[i].Amount))
	}
	return err
}

func (s *Totals) addEntry(e *Entry) error {
	s.Entries++
	if e.Debit {
		return addAmount(&s.Debits, e.Amount)
	}
	return addAmount(&s.Credits, e.Amount)
}

// addAmount adds to a sum; a sum that would overflow stays as it was, and the error is ledger.ErrOverflow.
func addAmount(sum *ledger.Amount, a ledger.Amount) error {
	v, err := sum.Add(a)
	if err == nil {
		*sum = v
	}
	return err
}
