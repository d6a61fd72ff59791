package cnab

import (
	"errors"
	"fmt"
	"strings"

	"concilia/export/words"
	"concilia/store/ledger"
)

// Movement is what happened to a title (T and U, columns 16-17).
type Movement uint8

// The movements concilia writes. A file may hold others of the standard's table.
const (
	Entered     Movement = 2  // registered; of an installment: not received yet
	Rejected    Movement = 3  // by the bank
	Paid        Movement = 6  // liquidação
	WrittenOff  Movement = 9  // cancelled or charged back
	DueChanged  Movement = 14 // another due date
	PaidLate    Movement = 17 // after it was written off
	FeesDebited Movement = 28 // money taken back
)

// String is the two digits of the code.
func (m Movement) String() string { return fmt.Sprintf("%02d", uint8(m)) }

// Text is what the code means, in Portuguese.
func (m Movement) Text() string { return MovementText(m.String()) }

// isPayment reports whether the title's amounts must satisfy the two identities of a payment.
func (m Movement) isPayment() bool { return m == Paid || m == PaidLate }

// Payer is the debtor of a title. The zero Payer is not named in the file.
type Payer struct {
	Document ledger.Document
	Name     string
}

// Title is one movement of one title: a T, its U, and a Y-50 per share. Amounts are whole cents and not negative.
type Title struct {
	Movement       Movement
	TitleNumber    string        // nosso número: digits, at most 20; printed with zeros on the left
	Portfolio      int           // carteira, 1 to 6; 0 is written as 1 (simples)
	DocumentNumber string        // seu número; cut at 15
	Due            ledger.Date   // vencimento
	Face           ledger.Amount // valor título
	Fee            ledger.Amount // tarifa
	CompanyUse     string        // uso da empresa; cut at 25
	Payer          Payer
	Motive         string // up to five codes of two characters
	Additions      ledger.Amount
	Discount       ledger.Amount
	Rebate         ledger.Amount // abatimento
	Paid           ledger.Amount
	Net            ledger.Amount // valor líquido
	OtherExpenses  ledger.Amount
	OtherCredits   ledger.Amount
	EventDate      ledger.Date
	CreditDate     ledger.Date // none: not credited
	Splits         []SplitLine
}

// SplitLine is one beneficiary's share of a title.
type SplitLine struct {
	Amount      ledger.Amount // 0 when a file gives the share in percent
	Beneficiary string        // a name; cut at 40
	Ordinal     int           // of the share within its title, from 1
	CreditDate  ledger.Date
}

// CheckAmounts returns every inconsistency of the title's amounts, joined, or nil: in a payment the two identities, in
// other movements that paid and net are zero.
func (t Title) CheckAmounts() error {
	var faults []error
	for _, wrong := range t.describeAmounts() {
		faults = append(faults, &words.Fault{Text: wrong})
	}
	return errors.Join(faults...)
}

// describeAmounts says what CheckAmounts finds.
func (t Title) describeAmounts() (faults []words.Message) {
	add := func(text string, values ...any) { faults = append(faults, words.NewMessage(text, values...)) }
	switch {
	case t.Movement.isPayment():
		if want := t.Face + t.Additions - t.Discount - t.Rebate; t.Paid != want {
			add("cnab_fault.paid", "amount", t.Paid, "want", want)
		}
		if want := t.Paid - t.Fee - t.OtherExpenses + t.OtherCredits; t.Net != want {
			add("cnab_fault.net", "amount", t.Net, "want", want)
		}
	case t.Movement == Entered || t.Movement == Rejected || t.Movement == WrittenOff || t.Movement == DueChanged ||
		t.Movement == FeesDebited:
		if t.Paid != 0 {
			add("cnab_fault.paid_zero", "amount", t.Paid, "movement", t.Movement)
		}
		if t.Net != 0 {
			add("cnab_fault.net_zero", "amount", t.Net, "movement", t.Movement)
		}
	}
	return faults
}

// fillT sets the title's fields of a segment T; the writer sets the lote's numbers and the account fields.
func (t Title) fillT(r *Record) {
	r.SetNum("movimento", int64(t.Movement))
	if n := t.TitleNumber; isNumber(n) && len(n) <= titleNumberWidth {
		r.SetCode("nosso_numero", titleNumber(n))
	} else {
		r.rejectValue("nosso_numero", "not a number of at most 20 digits")
	}
	if t.Portfolio != 0 {
		r.SetNum("carteira", int64(t.Portfolio))
	}
	r.SetText("numero_documento", t.DocumentNumber)
	r.SetDate("vencimento", t.Due)
	r.SetAmount("valor_titulo", t.Face)
	r.SetText("uso_da_empresa", t.CompanyUse)
	r.SetNum("tipo_inscricao_pagador", int64(t.Payer.Document.Kind()))
	r.SetDigits("numero_inscricao_pagador", string(t.Payer.Document))
	r.SetText("nome_pagador", t.Payer.Name)
	r.SetAmount("tarifa_custas", t.Fee)
	r.SetCode("motivos", t.Motive)
}

func (t Title) fillU(r *Record) {
	r.SetNum("movimento", int64(t.Movement))
	r.SetAmount("acrescimos", t.Additions)
	r.SetAmount("desconto", t.Discount)
	r.SetAmount("abatimento", t.Rebate)
	r.SetAmount("valor_pago", t.Paid)
	r.SetAmount("valor_liquido", t.Net)
	r.SetAmount("outras_despesas", t.OtherExpenses)
	r.SetAmount("outros_creditos", t.OtherCredits)
	r.SetDate("data_ocorrencia", t.EventDate)
	r.SetDate("data_credito", t.CreditDate)
}

func (s SplitLine) fillY50(r *Record, t Title) {
	r.SetNum("movimento", int64(t.Movement))
	r.SetCode("nosso_numero", titleNumber(t.TitleNumber))
	r.SetAmount("valor_ou_percentual", s.Amount)
	r.SetText("nome_benef", s.Beneficiary)
	if s.Ordinal < 1 || s.Ordinal > 999_999 {
		r.rejectValue("parcela", "not between 1 and 999999")
	} else {
		r.SetCode("parcela", fmt.Sprintf("%06d", s.Ordinal))
	}
	r.SetDate("data_credito", s.CreditDate)
}

const titleNumberWidth = 20

func titleNumber(n string) string {
	return strings.Repeat("0", max(0, titleNumberWidth-len(n))) + n
}
