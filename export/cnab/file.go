package cnab

import (
	"errors"

	"concilia/store/ledger"
)

// File is what a file says. Codes stay as they stand there, without the blanks on their right.
type File struct {
	Service  string // of its first lote: "01" cobrança, "04" extrato; empty without a lote
	Header   FileInfo
	Lotes    []Lote
	Totals   Totals // counted by the reader, not taken from the trailers
	Warnings Faults
}

// FileInfo is the file header.
type FileInfo struct {
	Account Account // digits as they stand, leading zeros included
	Created ledger.Date
	Time    string // HHMMSS
	NSA     int
	Version string
}

// Lote is one lote. Titles and entries are here only when no callback takes them.
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
	Booked   ledger.Date // data contábil: when it counts
	Posted   ledger.Date // data do lançamento
	Amount   ledger.Amount
	Debit    bool
	Category string // three digits: 1xx debits, 2xx credits
	History  string // código histórico
	Text     string // histórico
	Document string
}

// ReadOptions say what to do with what is read. The zero ReadOptions collect titles and entries in the File.
type ReadOptions struct {
	// OnTitle and Entry, when set, take each title and entry as it comes, and nothing is collected, so that memory
	// does not grow with the file. A title comes when all its records have been read; line is that of its T.
	// An error ends the reading.
	OnTitle func(line int, t Title) error
	OnEntry func(line int, e Entry) error
	// OnRecord takes each record of a known kind and of the right length, with the bytes of the file.
	OnRecord func(line int, r *Record) error
	// StrictIdentities makes money that does not hold together (Title.Check) a fault. Banks that charge their tariff
	// apart break the second identity in every file, so it is a warning otherwise.
	StrictIdentities bool
	// Limit is how many faults, and how many warnings, are told whole; 0 is 100.
	Limit int
}

const defaultFaultLimit = 100

// titleFrom takes a T and a U apart. Content that is no value was reported when its record was checked and
// counts as none here.
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

// number, money and when are the values of fields whose faults are already known.

func readNum(r *Record, id string) int              { v, _ := r.Num(id); return int(v) }
func readAmount(r *Record, id string) ledger.Amount { v, _ := r.Amount(id); return v }
func readDate(r *Record, id string) ledger.Date     { v, _ := r.Date(id); return v }

// IsStatement says whether the file is an extrato; one without a lote is not.
func (f *File) IsStatement() bool { return f.Service == extratoService }

// Balances are the balance a statement opens with and the one it closes with: of its first and of its last lote, a
// missing record counting as zero.
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

// Totals count and add up a file. The writer keeps them of what it was told, the reader of what it read, so that
// the two can be compared with each other and with the ledger.
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
	SplitAmount ledger.Amount // of shares told as amounts

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

// addAmount keeps the sum as it was when it would overflow.
func addAmount(sum *ledger.Amount, a ledger.Amount) error {
	v, err := sum.Add(a)
	if err == nil {
		*sum = v
	}
	return err
}
