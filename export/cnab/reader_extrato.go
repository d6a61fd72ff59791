package cnab

import "concilia/store/ledger"

// readEntry takes an E.
func (r *reader) readEntry(rec *Record) error {
	if r.damaged {
		return nil
	}
	e := entryFrom(rec)
	sign := rec.Raw("tipo_dc")
	if sign != "C" && sign != "D" {
		r.addFieldFault(rec, "tipo_dc", CodeSign, "should be C or D")
	}
	if categorySide(e.Category) != sign {
		r.addFieldFault(rec, "categoria", CodeSign, "does not agree with D/C %q", sign)
	}
	r.reportOverflow(rec, r.lote.entries.addEntry(&e))
	r.reportOverflow(rec, r.file.Totals.addEntry(&e))
	if r.options.OnEntry != nil {
		return r.options.OnEntry(r.line, e)
	}
	r.lote.lote.Entries = append(r.lote.lote.Entries, e)
	return nil
}

// checkStatementTrailer compares an extrato trailer with its entries, and its balance with the opening one.
func (r *reader) checkStatementTrailer(rec *Record) {
	l := r.lote
	r.checkSum(rec, "soma_debitos", l.entries.Debits)
	r.checkSum(rec, "soma_creditos", l.entries.Credits)
	want := readBalance(l.lote.Header, "valor_saldo_inicial") + l.entries.Credits - l.entries.Debits
	if readBalance(rec, "valor_saldo_final") != want {
		r.addFieldFault(rec, "valor_saldo_final", CodeSum, "should be %s (opening + credits - debits, D when negative)", want)
	}
}

// readBalance is a balance with its sign.
func readBalance(rec *Record, id string) ledger.Amount {
	if rec.Raw("situacao") == "D" {
		return -readAmount(rec, id)
	}
	return readAmount(rec, id)
}
