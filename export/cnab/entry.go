package cnab

import (
	"fmt"

	"concilia/store/ledger"
)

// signed is the entry's amount as the balance takes it.
func (e *Entry) signed() ledger.Amount {
	if e.Debit {
		return -e.Amount
	}
	return e.Amount
}

func (e *Entry) side() string {
	if e.Debit {
		return "D"
	}
	return "C"
}

// check says whether the category is of the entry's side: readers refuse an entry whose two columns disagree.
func (e *Entry) check() error {
	if len(e.Category) == 3 && sideOf(e.Category) == e.side() {
		return nil
	}
	return fmt.Errorf("category %q does not agree with D/C %q", e.Category, e.side())
}

// sideOf is the side of a category by its first digit, or empty.
func sideOf(category string) string {
	return map[byte]string{'1': "D", '2': "C"}[category[0]]
}

// fill sets what the entry says; the lote's numbers and the account block are the writer's.
func (e *Entry) fill(r *Record) {
	r.SetDate("data_contabil", e.Booked)
	r.SetDate("data_lancamento", e.Posted)
	r.SetAmount("valor", e.Amount)
	r.SetCode("tipo_dc", e.side())
	r.SetDigits("categoria", e.Category)
	r.SetCode("cod_historico", e.History)
	r.SetText("historico", e.Text)
	r.SetText("numero_documento", e.Document)
}
