package cnab

import "concilia/store/ledger"

// entry takes an E.
func (r *reader) entry(rec *Record) error {
	if r.damaged {
		return nil
	}
	e := entryFrom(rec)
	sign := rec.Raw("tipo_dc")
	if sign != "C" && sign != "D" {
		r.faultAt(rec, "tipo_dc", CodeSign, "should be C or D")
	}
	if sideOf(e.Category) != sign {
		r.faultAt(rec, "categoria", CodeSign, "does not agree with D/C %q", sign)
	}
	r.sum(rec, r.lote.entries.addEntry(&e))
	r.sum(rec, r.file.Totals.addEntry(&e))
	if r.o.Entry != nil {
		return r.o.Entry(r.line, e)
	}
	r.lote.lote.Entries = append(r.lote.lote.Entries, e)
	return nil
}

// statementEnd compares an extrato trailer with its entries, and its balance with the opening one.
func (r *reader) statementEnd(rec *Record) {
	l := r.lote
	r.sumIs(rec, "soma_debitos", l.entries.Debits)
	r.sumIs(rec, "soma_creditos", l.entries.Credits)
	want := balance(l.lote.Header, "valor_saldo_inicial") + l.entries.Credits - l.entries.Debits
	if balance(rec, "valor_saldo_final") != want {
		r.faultAt(rec, "valor_saldo_final", CodeSum, "should be %s (opening + credits - debits, D when negative)", want)
	}
}

// balance is a balance with its sign.
func balance(rec *Record, id string) ledger.Amount {
	if rec.Raw("situacao") == "D" {
		return -money(rec, id)
	}
	return money(rec, id)
}
