package agreements

import "concilia/store/ledger"

// word is one thing we name and the service's spellings of it.
type word[V ~string] struct {
	is        V
	spellings []string
}

// The default spellings. The interface document leaves the value sets of installmentStatus, receivedStatus,
// receivedType, cardType and cardName open; these are the readings an operator's data are first met with.
var (
	defaultStatus = []word[ledger.Class]{
		{ledger.Open, []string{
			"", "Authorized", "Autorizado", "Autorizada", "Approved", "Aprovado", "Aprovada",
			"Pending", "Pendente", "Previsto", "Prevista", "Scheduled", "Agendado", "Agendada", "A receber",
		}},
		{ledger.Received, []string{
			"Paid", "Pago", "Paga", "Received", "Recebido", "Recebida", "Liquidado", "Liquidada",
			"Settled", "Antecipado", "Antecipada",
		}},
		{ledger.Blocked, []string{"Blocked", "Bloqueado", "Bloqueada"}},
		{ledger.Cancelled, []string{
			"Canceled", "Cancelled", "Cancelado", "Cancelada", "Estornado", "Estornada",
			"Devolvido", "Devolvida", "Refunded", "Reversed",
		}},
		{ledger.Chargeback, []string{"Chargeback", "Contestado", "Contestada", "Disputa"}},
	}
	// Any status of the class open or received reads as normal too.
	defaultReceivedType = []word[ledger.ReceivedType]{
		{ledger.Anticipated, []string{"Anticipated", "Antecipado", "Antecipada", "Antecipação"}},
		{ledger.Normal, []string{"", "Normal"}},
	}
	defaultProduct = []word[ledger.Product]{
		{ledger.Credit, []string{"CREDIT", "Crédito"}},
		{ledger.Debit, []string{"DEBIT", "Débito"}},
		{ledger.Voucher, []string{"VOUCHER"}},
	}
	defaultBrand = []word[string]{
		{"visa", []string{"visa"}},
		{"mastercard", []string{"mastercard", "master"}},
		{"elo", []string{"elo"}},
		{"amex", []string{"amex", "american express"}},
		{"hipercard", []string{"hipercard"}},
	}
)

// brandName is the canonical name of a brand as a contract or a mapping file spells it: folded, and one of the
// defaults where it is a spelling of one.
func brandName(text string) (string, bool) {
	name := fold(text)
	for _, w := range defaultBrand {
		for _, s := range w.spellings {
			if s == name {
				return w.is, true
			}
		}
	}
	if name == "" || len(name) > 30 {
		return "", false
	}
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != ' ' && c != '-' && c != '_' {
			return "", false
		}
	}
	return name, true
}
