package bank

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"concilia/export/cnab"
	"concilia/export/words"
	"concilia/jobs/bank/rows"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// readCNAB reads the statements of a CNAB 240 file with segment E. Lotes of one account that continue each other are one
// statement.
func readCNAB(file *io.SectionReader) (_ []banking.Statement, err error) {
	r := &cnabReader{}
	defer func() {
		if err != nil {
			r.closeRows()
		}
	}()
	info, err := cnab.Read(io.NewSectionReader(file, 0, file.Size()), cnab.ReadOptions{
		OnRecord: r.readRecord,
		OnEntry:  func(int, cnab.Entry) error { return nil }, // records have more than entries
		OnTitle:  func(int, cnab.Title) error { return nil },
	})
	var refusal *words.Refusal
	if errors.As(err, &refusal) {
		return nil, refusal
	}
	if err := refuseFaults(err); err != nil {
		return nil, err
	}
	if info.Service != "" && !info.IsStatement() {
		return nil, refuseForeign("refused.kind_retorno", "remedy.extrato")
	}
	made := cnabTime(info.Header.Created, info.Header.Time)
	for i := range r.statements {
		st := &r.statements[i]
		if st.Made = made; st.Made == 0 {
			st.Made = cnabTime(st.AsOf, "")
		}
		if info.Warnings.Count() > 0 {
			st.Notes = append(st.Notes, "layout")
		}
	}
	if len(r.statements) == 0 {
		return nil, words.NewRefusal("empty", "refused.no_statement", "remedy.with_dates")
	}
	return r.statements, nil
}

// closeRows lets go of what was read.
func (r *cnabReader) closeRows() {
	for i := range r.statements {
		_ = r.statements[i].Rows.Close()
	}
	if r.rows != nil {
		_ = r.rows.Close() // again, where no other statement began
	}
}

// refuseFaults is nil when what is wrong with a file is for the chain of balances to find, or for a note: a closing balance
// that its entries do not come to, a category against its side.
func refuseFaults(err error) error {
	if err == nil {
		return nil
	}
	var faults cnab.Faults
	if !errors.As(err, &faults) {
		return err
	}
	for _, f := range faults.List {
		if f.Code == cnab.CodeSign || f.Code == cnab.CodeSum && f.Field == "valor_saldo_final" {
			continue
		}
		return words.NewRefusal("cut", "refused.line", "remedy.again", "line", f.Line, "fault", f.Text)
	}
	return nil
}

// cnabTime is a date with a time HHMMSS; 0 without a date.
func cnabTime(d ledger.Date, clock string) ledger.LocalTime {
	if d == 0 {
		return 0
	}
	if len(clock) == 6 {
		if at, err := ledger.ParseLocalTime(fmt.Sprintf("%sT%s:%s:%s", d, clock[:2], clock[2:4], clock[4:]), nil); err == nil {
			return at
		}
	}
	at, err := ledger.ParseLocalTime(d.String(), nil)
	if err != nil {
		return 0
	}
	return at
}

// cnabReader is the state between two records.
type cnabReader struct {
	statements []banking.Statement
	open       banking.Statement
	rows       *rows.Rows // of the open statement, or the last one
	inLote     bool       // a lote was begun and not ended
	opening    banking.Balance
	position   string // of the last trailer of the open statement
	line       int
}

func (r *cnabReader) readRecord(line int, rec *cnab.Record) error {
	r.line = line
	switch rec.Layout() {
	case cnab.ExtratoHeader:
		return r.begin(rec)
	case cnab.SegmentE:
		return r.addEntry(rec)
	case cnab.ExtratoTrailer:
		r.end(rec)
	}
	return nil
}

// begin reads the header of a lote: another statement, or one that goes on.
func (r *cnabReader) begin(rec *cnab.Record) error {
	r.inLote = true
	if money := rec.Text("moeda"); money != "" && money != "BRL" && money != "BRC" {
		return words.NewRefusal("currency", "refused.line", "remedy.only_brl", "line", r.line, "fault", words.NewMessage("refused.statement_in", "currency", money))
	}
	opening := banking.Balance{Day: cnabDate(rec, "data_saldo_inicial"), Amount: cnabBalance(rec, "valor_saldo_inicial")}
	st := banking.Statement{
		Bank: rec.Raw("banco"), Branch: rec.Text("agencia"), Account: rec.Text("conta") + rec.Text("dv_conta"),
		Format: formatCNAB, Stated: true,
	}
	if n := len(r.statements); n > 0 {
		last := &r.statements[n-1]
		if last.Account == st.Account && last.Branch == st.Branch && r.closingBalance().Amount == opening.Amount && r.position == "P" {
			r.open = *last
			r.open.Notes = nil // what ends it says whether it is whole
			r.statements = r.statements[:n-1]
			return nil // and its rows go on
		}
	}
	r.rows = rows.New()
	st.Rows = r.rows
	r.open, r.opening = st, opening
	return nil
}

// closingBalance is the closing balance of the last statement.
func (r *cnabReader) closingBalance() banking.Balance {
	last := &r.statements[len(r.statements)-1]
	if n := len(last.Balances); n > 0 {
		return last.Balances[n-1]
	}
	return banking.Balance{}
}

func (r *cnabReader) addEntry(rec *cnab.Record) error {
	if !r.inLote {
		return nil // of no statement: the file is refused for it
	}
	if nature := rec.Text("natureza"); nature != "" && nature != "DPV" {
		r.open.Blocked++
		return nil
	}
	day := cnabDate(rec, "data_contabil")
	if day == 0 {
		day = cnabDate(rec, "data_lancamento")
	}
	if day == 0 || day.Year() < 2000 || day.Year() > 2100 {
		return r.refuse("date", words.NewMessage("refused.date", "value", strconv.Quote(rec.Raw("data_contabil"))))
	}
	amount, err := rec.Amount("valor")
	if err != nil {
		return r.refuse("amount", words.NewMessage("refused.amount", "value", strconv.Quote(rec.Raw("valor"))))
	}
	if rec.Raw("tipo_dc") == "D" {
		amount = -amount
	}
	document := banking.NormalizeText(rec.Text("numero_documento"))
	return r.rows.Add(&banking.Row{
		Day: day, Amount: amount, Text: banking.NormalizeText(rec.Text("historico") + " " + document),
		Document: document, Category: rec.Raw("categoria"),
	})
}

// refuse is the refusal of a file for what its line says.
func (r *cnabReader) refuse(id string, fault words.Message) error {
	return words.NewRefusal(id, "refused.line", "remedy.again", "line", r.line, "fault", fault)
}

// end reads the trailer of a lote and completes its statement as far as it goes.
func (r *cnabReader) end(rec *cnab.Record) {
	st := &r.open
	if !r.inLote {
		r.rows = rows.New()
		st.Rows = r.rows
	}
	r.inLote = false
	closing := banking.Balance{Day: cnabDate(rec, "data_saldo_final"), Amount: cnabBalance(rec, "valor_saldo_final"), Choice: 1}
	st.AsOf, r.position = closing.Day, rec.Text("posicao")
	from := r.opening.Day + 1
	if r.opening.Day == 0 {
		from = closing.Day
	}
	if first, _ := r.rows.Days(); first != 0 {
		from = min(from, first)
	}
	st.Window = ledger.Period{From: from, To: max(from, closing.Day)}
	st.Balances, st.Whole = nil, ledger.Period{}
	if r.opening.Day != 0 {
		st.Balances = append(st.Balances, banking.Balance{Day: from - 1, Amount: r.opening.Amount})
	}
	st.Balances = append(st.Balances, closing)
	if r.position == "F" || r.position == "" {
		st.Whole = st.Window
	} else {
		st.Notes = append(st.Notes, "partial_position")
	}
	r.statements = append(r.statements, *st)
	r.open = banking.Statement{}
}

// cnabDate is a date of a record; zeros, blanks and what is no date are none.
func cnabDate(rec *cnab.Record, id string) ledger.Date {
	d, err := rec.Date(id)
	if err != nil {
		return 0
	}
	return d
}

// cnabBalance is a balance of a record, negative where its side is D.
func cnabBalance(rec *cnab.Record, id string) ledger.Amount {
	a, err := rec.Amount(id)
	if err != nil {
		return 0
	}
	if rec.Raw("situacao") == "D" {
		return -a
	}
	return a
}
