package service

import (
	"net/http"
	"slices"
	"strings"

	"concilia/cmd/sandbox/world"
)

// installment is one record of the conciliation search, members in the document's order.
type installment struct {
	TransactionDate                       string  `json:"transactionDate"`
	Terminal                              string  `json:"terminal"`
	CardNumber                            string  `json:"cardNumber"`
	CardType                              string  `json:"cardType"`
	CardName                              string  `json:"cardName"`
	CodAuth                               string  `json:"codAuth"`
	NSU                                   string  `json:"nsu"`
	InstallmentNumber                     int     `json:"installmentNumber"`
	InstallmentsCount                     int     `json:"installmentsCount"`
	InstallmentValue                      money4  `json:"installmentValue"`
	TransactionTotalValue                 money4  `json:"transactionTotalValue"`
	InstallmentStatus                     string  `json:"installmentStatus"`
	DiscountMdrValue                      money4  `json:"discountMdrValue"`
	DiscountMdrTax                        rate4   `json:"discountMdrTax"`
	DiscountTrnRateInstalmentValue        money4  `json:"discountTrnRateInstalmentValue"`
	DiscountTrnRateTransactionValue       money4  `json:"discountTrnRateTransactionValue"`
	DiscountAntifraudRateInstalmentValue  money4  `json:"discountAntifraudRateInstalmentValue"`
	DiscountAntifraudRateTransactionValue money4  `json:"discountAntifraudRateTransactionValue"`
	DiscountAntecipationValue             money4  `json:"discountAntecipationValue"`
	DiscountAntecipationTax               rate4   `json:"discountAntecipationTax"`
	ReceivedValue                         money4  `json:"receivedValue"`
	ReceivedDateForeast                   date    `json:"receivedDateForeast"` // spelled so by the document
	ReceivedDateEffective                 date    `json:"receivedDateEffective"`
	ReceivedType                          string  `json:"receivedType"`
	ReceivedStatus                        string  `json:"receivedStatus"`
	TransactionReference                  *string `json:"transactionReference"`
	TransactionPaymentIDWeb               *string `json:"transactionPaymentIdWeb"`
	Splits                                []split `json:"splits"`
}

type split struct {
	Beneficiario   string `json:"beneficiario"`
	TipoSplit      string `json:"tipoSplit"`
	PctSplit       rate4  `json:"pctSplit"`
	ValorBaseSplit money4 `json:"valorBaseSplit"`
	ValorSplit     money4 `json:"valorSplit"`
}

// wireInstallment puts a record into the document's shape. Choice: what a sale does not have is null,
// a record without splits has an empty array.
func wireInstallment(i world.Installment) installment {
	out := installment{
		TransactionDate: i.Moment.Format("2006-01-02T15:04:05"), Terminal: i.Terminal, CardNumber: i.CardNumber,
		CardType: i.CardType, CardName: i.CardName, CodAuth: i.CodAuth, NSU: i.NSU,
		InstallmentNumber: i.Number, InstallmentsCount: i.Count,
		InstallmentValue: money4(i.Gross), TransactionTotalValue: money4(i.Total), InstallmentStatus: i.Status,
		DiscountMdrValue: money4(i.MDR), DiscountMdrTax: rate4(i.MDRRate),
		DiscountTrnRateInstalmentValue: money4(i.Fee), DiscountTrnRateTransactionValue: money4(i.FeeTotal),
		DiscountAntifraudRateInstalmentValue:  money4(i.Antifraud),
		DiscountAntifraudRateTransactionValue: money4(i.AntifraudTotal),
		DiscountAntecipationValue:             money4(i.Anticipation), DiscountAntecipationTax: rate4(i.AnticipationRate),
		ReceivedValue: money4(i.Received), ReceivedDateForeast: date(i.Forecast), ReceivedDateEffective: date(i.Effective),
		ReceivedType: i.ReceivedType, ReceivedStatus: i.ReceivedStatus,
		TransactionReference: nullIfEmpty(i.Reference), TransactionPaymentIDWeb: nullIfEmpty(i.PaymentID), Splits: []split{},
	}
	for _, s := range i.Splits {
		out.Splits = append(out.Splits, split{s.Beneficiary, s.Kind, rate4(s.Pct), money4(s.Base), money4(s.Value)})
	}
	return out
}

// searches answer the searches of installments and the lists of slips.
type searches struct{ world *world.World }

// searchInstallments lists the installments of the sales made in a range of days.
func (s *searches) searchInstallments(rw http.ResponseWriter, r *http.Request) {
	if win, ok := readWindow(s.world, rw, r); ok {
		streamJSON(rw, s.world.Installments(win.account, win.from, win.to), wireInstallment)
	}
}

// codedInstallment is one record of the search by code: public documentation shows that of the search by day without splits.
type codedInstallment struct {
	installment
	Splits []split `json:"splits,omitempty"` // always nil, in place of the embedded member
}

// Sizes of the parameters of the search by code, as public documentation has them.
const (
	longestNSU  = 100
	longestAuth = 30
)

// searchByCode lists the installments of the sales with an NSU and an authorization, whenever they were made. Choice: both
// must be given, and a sale that is not there is an empty list.
func (s *searches) searchByCode(rw http.ResponseWriter, r *http.Request) {
	var bad problems
	q := paramsOf(r)
	account := readAccount(s.world, r, q, &bad)
	nsu, auth := readCode(q, "Nsu", longestNSU, &bad), readCode(q, "CodAuth", longestAuth, &bad)
	if bad.writeIfAny(rw) {
		return
	}
	streamJSON(rw, s.world.InstallmentsByCode(account, nsu, auth), func(i world.Installment) codedInstallment {
		return codedInstallment{installment: wireInstallment(i)}
	})
}

// readCode reads a text parameter that is required and has a size.
func readCode(q params, name string, longest int, bad *problems) string {
	text := q.get(name)
	switch {
	case text == "":
		bad.add(name, "Campo "+name+" é obrigatório")
	case len([]rune(text)) > longest:
		bad.add(name, "Campo "+name+" inválido")
	}
	return text
}

// simulation is what the simulator answers: one option for each of 1 to 12 installments.
type simulation struct {
	Installments []simulatedOption `json:"installments"`
}

type simulatedOption struct {
	Installment int    `json:"installment"`
	Amount      money2 `json:"amount"`
}

// handleSimulation prices a net amount. Choice: every brand costs the same, as the documented sample is of one
// only; the net has at most four decimals and lies above zero.
func handleSimulation(rw http.ResponseWriter, r *http.Request) {
	q := paramsOf(r)
	var bad problems
	if !slices.Contains(world.Brands(), strings.ToLower(q.get("Brand"))) {
		bad.add("", "Bandeira não identificada")
	}
	net, err := world.ParseMoney(q.get("netValue"))
	switch {
	case q.get("netValue") == "":
		bad.add("netValue", "Campo netValue é obrigatório")
	case err != nil || net <= 0:
		bad.add("netValue", "Campo netValue inválido")
	}
	if bad.writeIfAny(rw) {
		return
	}
	amounts, err := world.Simulate(net)
	if err != nil {
		writeError(rw, http.StatusBadRequest, "netValue", "Campo netValue inválido")
		return
	}
	var out simulation
	for i, a := range amounts {
		out.Installments = append(out.Installments, simulatedOption{i + 1, money2(a)})
	}
	writeJSON(rw, http.StatusOK, out)
}
