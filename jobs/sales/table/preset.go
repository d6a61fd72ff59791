package table

import (
	"maps"
	"slices"
)

// PresetNames are the maps for known systems, by name.
func PresetNames() []string { return slices.Sorted(maps.Keys(listPresets())) }

// listPresets are made anew each time, since a map that begins with one changes it.
func listPresets() map[string]*Map {
	neutral := map[string]string{}
	for _, member := range members {
		neutral[member] = member
	}
	return map[string]*Map{
		"neutral": {Columns: neutral, Delimiter: ",", Decimal: ".", Encoding: "auto", Date: "iso", optional: true},
		"nuvemshop": {
			Columns: map[string]string{
				"sale_id": "Número do Pedido", "reference": "Identificador do pedido",
				"payment_id": "Identificador da transação no meio de pagamento", "amount": "Total", "sold_at": "Data de pagamento",
				"installments": "Parcelas", "status": "Status do Pagamento", "cancelled_at": "Data e hora do cancelamento",
				"method": "Forma de Pagamento",
			},
			Values: map[string]map[string]string{
				"method": {
					"Cartão de crédito": "credit", "Cartão de débito": "debit", "Pix": "pix", "Boleto": "slip", "Boleto bancário": "slip",
				},
				"status": {"Confirmado": "paid", "Recebido": "paid", "Reembolsado": "refunded", "Estornado": "refunded"},
			},
			Delimiter: ";", Decimal: ",", Encoding: "auto", Date: "dd/mm/yyyy", FirstLineOf: "sale_id",
			Only:     map[string][]string{"Status do Pagamento": {"Confirmado", "Recebido", "Reembolsado", "Estornado"}},
			optional: true,
		},
		"shopify-transactions": {
			Columns:  map[string]string{"sale_id": "Order", "sold_at": "Transaction Date", "amount": "Amount", "brand": "Card Brand", "currency": "Currency"},
			Constant: map[string]string{"method": "credit", "status": "paid"}, Delimiter: ",", Decimal: ".", Encoding: "auto", Date: "iso",
			Only:     map[string][]string{"Type": {"charge", "refund", "chargeback"}},
			optional: true, voids: "Type",
		},
		"vtex": {
			Columns: map[string]string{}, Delimiter: ",", Decimal: ".", Encoding: "auto", Date: "iso", Cents: true, vtex: true,
			Values: map[string]map[string]string{
				"method": {
					"creditCard": "credit", "debitCard": "debit", "instantPayment": "pix", "bankInvoice": "slip", "giftCard": "other",
					"promissory": "other",
				},
			},
		},
	}
}
