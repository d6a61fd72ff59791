package edi_test

import (
	"concilia/export/cnab"
	"concilia/store/ledger"
	"concilia/store/ledger/ledgertest"
)

// The short names of values in these tests.
var (
	day = ledgertest.Date
	at  = ledgertest.LocalTime
	brl = ledgertest.Reais
	opt = ledgertest.OptReais
)

func account() cnab.Account {
	return cnab.Account{
		BankCode: "001", Branch: "1234", BranchDigit: "5", Number: "67890", NumberDigit: "1", Agreement: "123456",
		BankName: "BANCO DO BRASIL S.A.", Document: "11222333000181", HolderName: "LOJA EXEMPLO LTDA",
	}
}

// sale is what differs between the installments of these tests. Amounts and dates that are empty were not sent.
type sale struct {
	at, nsu          string
	number, of       int
	gross            string
	cents            int64
	mdr, fee, af     string
	anticipation     string
	received         string
	forecast, credit string
	class            ledger.Class
	splits           []ledger.Split
}

func (s sale) card() (*ledger.InstallmentVersion, *ledger.Expectation) {
	v := ledger.InstallmentVersion{
		Installment: ledger.Installment{
			Account: 1001, SoldAt: at(s.at), Auth: "A" + s.nsu, NSU: s.nsu, Number: s.number, Count: s.of, Gross: brl(s.gross),
			MDR: opt(s.mdr), Fee: opt(s.fee), Antifraud: opt(s.af), Anticipation: opt(s.anticipation), Received: opt(s.received),
			Forecast: day(s.forecast), Effective: day(s.credit), Reference: "PEDIDO-" + s.nsu, Splits: s.splits,
		},
	}
	if s.class.IsReversal() {
		v.ClassSince = day("2026-11-05")
	}
	if v.Received.Or(0) < 0 {
		v.TakenBackSince = day("2026-11-05")
	}
	return &v, &ledger.Expectation{Class: s.class, Brand: "visa", GrossCents: s.cents}
}

// slip is a slip and what the run expected of it.
type slip struct {
	s ledger.Slip
	e ledger.SlipExpectation
}

func issued(value string) slip {
	var s slip
	s.s.SlipView = ledger.SlipView{
		Account: 1001, ID: "00000000-0000-0000-0000-000000000001", Value: brl(value), Issued: day("2026-11-01"), Due: day("2026-12-01"),
		PayerDocument: "52998224725", PayerName: "MARIA JOSE", Status: ledger.Some(int64(ledger.BillIssued)),
	}
	return s
}

// paid is a slip that was paid and credited; an empty tariff is that of no contract.
func paid(face, value, tariff string) slip {
	s := issued(face)
	s.s.Status, s.s.PaidOn, s.s.CreditedOn = ledger.Some(int64(ledger.BillPaid)), day("2026-11-16"), day("2026-11-17")
	s.s.PaidValue, s.e.Tariff = opt(value), opt(tariff)
	return s
}

func isRejected() slip {
	s := issued("50.00")
	s.s.Status, s.s.Integration = ledger.Opt[int64]{}, ledger.Some(int64(ledger.IntegrationRejected))
	s.s.Views = []ledger.SlipVersion{{SlipView: s.s.SlipView, LastChanged: day("2026-11-02")}}
	return s
}
