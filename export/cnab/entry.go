package cnab

import (
	"fmt"

	"concilia/store/ledger"
)

// signedAmount is the entry's amount as the balance takes it.
func (e *Entry) signedAmount() ledger.Amount {
	if e.Debit {
		return -e.Amount
	}
	return e.Amount
}

func (e *Entry) sideCode() string {
	if e.Debit {
		return "D"
	}
	return "C"
}

// checkCategory says whether the category is of the entry's side: readers refuse an entry whose two columns disagree.
func (e *Entry) checkCategory() error {
	if len(e.Category) == 3 && categorySide(e.Category) == e.sideCode() {
		return nil
	}
	return fmt.Errorf("category %q does not agree with D/C %q", e.Category, e.sideCode())
}

// categorySide is the side of a category by its first digit, or empty.
func categorySide(category string) string {
	return map[byte]string{'1': "D", '2': "C"}[category[0]]
}

// fillE sets what the entry says; the lote's numbers and the account block are the writer's.
func (e *Entry) fillE(r *Record) {
	r.SetDate("data_contabil", e.Booked)
	r.SetDate("data_lancamento", e.Posted)
	r.SetAmount("valor", e.Amount)
	r.SetCode("tipo_dc", e.sideCode())
	r.SetDigits("categoria", e.Category)
	r.SetCode("cod_historico", e.History)
	r.SetText("historico", e.Text)
	r.SetText("numero_documento", e.Document)
}
