package cnab

import (
	"errors"
	"fmt"
	"strings"

	"concilia/store/ledger"
)

// Account identifies the company and its bank account. Every header carries the same values; no title changes them.
type Account struct {
	BankCode    string // three digits
	Branch      string // without its check digit
	BranchDigit string // one character, X included
	Number      string // of the account, without check digit
	NumberDigit string
	Digit       string // over branch and account together; empty: none
	Agreement   string // convênio; a numeric one is filled with zeros to nine digits
	BankName    string
	Document    ledger.Document
	HolderName  string
}

// Validate returns every reason why no EDI file can be written for the account under that profile, joined, or nil.
func (a Account) Validate(p Profile) error {
	var faults []error
	need := func(what, v string) {
		if strings.TrimSpace(v) == "" {
			faults = append(faults, fmt.Errorf("cnab account: no %s", what))
		}
	}
	need("bank code", a.BankCode)
	need("branch", a.Branch)
	need("branch digit", a.BranchDigit)
	need("account number", a.Number)
	need("account digit", a.NumberDigit)
	need("agreement", a.Agreement)
	need("bank name", a.BankName)
	need("holder's document", string(a.Document))
	need("holder's name", a.HolderName)
	if _, ok := editions[p]; !ok {
		faults = append(faults, fmt.Errorf("cnab: no profile %q: there are %s and %s", p, Febraban, BB))
	}
	if p == BB && a.BankCode != "001" {
		faults = append(faults, fmt.Errorf("cnab: profile %s is for bank 001, not %q", BB, a.BankCode))
	}
	if a.BankCode != "" && len(a.BankCode) != 3 {
		faults = append(faults, fmt.Errorf("cnab account: bank code %q, should be three digits", a.BankCode))
	}
	if a.Document != "" && a.Document.Kind() == ledger.NoDocument {
		faults = append(faults, errors.New("cnab account: the holder's document is neither a CPF nor a CNPJ"))
	}
	if len(faults) == 0 {
		// What does not fit its columns shows when a header is filled.
		r := NewRecord(FileHeader)
		a.fillAccount(r, p)
		faults = append(faults, r.Err())
	}
	return errors.Join(faults...)
}

// HasNonStandardReaders reports whether common readers expect other columns than the standard's in files of this bank
// (033, 104, 341), so that they may misread a file in standard columns under its code.
func (a Account) HasNonStandardReaders() bool {
	return a.BankCode == "033" || a.BankCode == "104" || a.BankCode == "341"
}

// fillAccount sets the account fields of a header, of an extrato trailer or of a segment E; only the file header has the
// bank's name.
func (a Account) fillAccount(r *Record, p Profile) {
	r.SetDigits("banco", a.BankCode)
	r.SetNum("tipo_inscricao", int64(a.Document.Kind()))
	r.SetDigits("numero_inscricao", string(a.Document))
	r.SetCode("convenio", a.paddedAgreement())
	a.fillNumbers(r, p)
	if r.layout != ExtratoTrailer { // the only one of them without the name
		r.SetText("nome_empresa", a.HolderName)
	}
	if r.layout == FileHeader {
		r.SetText("nome_banco", a.bankName(p))
	}
}

// fillNumbers sets branch and account. In records whose check digits are numeric fields, an X is written as 0.
func (a Account) fillNumbers(r *Record, p Profile) {
	r.SetDigits("agencia", a.Branch)
	r.SetDigits("conta", a.Number)
	both := a.Digit
	if both == "" && p == BB {
		both = "0"
	}
	for _, dv := range []struct{ id, digit string }{
		{"dv_agencia", a.BranchDigit}, {"dv_conta", a.NumberDigit}, {"dv_ag_conta", both},
	} {
		switch {
		case r.layout.byID[dv.id].Kind == Alfa:
			r.SetCode(dv.id, dv.digit)
		case len(dv.digit) == 1 && dv.digit >= "0" && dv.digit <= "9":
			r.SetDigits(dv.id, dv.digit)
		default:
			r.SetNum(dv.id, 0)
		}
	}
}

func (a Account) paddedAgreement() string {
	const numeric = 9
	if len(a.Agreement) < numeric && isNumber(a.Agreement) {
		return strings.Repeat("0", numeric-len(a.Agreement)) + a.Agreement
	}
	return a.Agreement
}

func (a Account) bankName(p Profile) string {
	if p == BB {
		return "BANCO DO BRASIL"
	}
	return a.BankName
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Profile chooses the edition numbers of a file and the bank-specific constants its readers verify.
type Profile string

const (
	// Febraban is edition 10.6 of the standard.
	Febraban Profile = "febraban"
	// BB is for readers that verify every constant of Banco do Brasil's files; bank 001 only.
	BB Profile = "bb"
)

// edition is a set of version numbers that belong together, and the tape density, which some readers verify.
type edition struct {
	file, lote                   string // of cobrança files
	statementFile, statementLote string // of extrato files
	density                      string
	blankRemark                  bool // readers want columns 172 to 240 of the file header blank
}

var editions = map[Profile]edition{
	Febraban: {file: fileVersion, lote: cobrancaVersion, statementFile: fileVersion, statementLote: extratoVersion, density: "01600"},
	BB:       {file: "084", lote: "043", statementFile: "089", statementLote: "032", density: "06250", blankRemark: true},
}

// The version numbers of edition 10.6. Those of other editions and banks are read with a warning.
const (
	fileVersion     = "103"
	cobrancaVersion = "060"
	extratoVersion  = "033"
)
