package agreements

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"concilia/export/words"
)

// BankKey is a key of a payer below banks in a profile: how it makes credits of what it pays.
type BankKey string

// The keys of a payer, in the order of the file.
const (
	BankGrain       BankKey = "grain"         // what one credit is of
	BankPerAccount  BankKey = "per_account"   // each account has a credit of its own
	BankNetOfSplits BankKey = "net_of_splits" // splits leave before the credit
	BankSlipTariff  BankKey = "slip_tariff"   // what becomes of the tariffs of slips
)

// BankKeys are the keys of a payer, in the order of the file.
func BankKeys() []BankKey {
	return []BankKey{BankGrain, BankPerAccount, BankNetOfSplits, BankSlipTariff}
}

// Candidates are the possible values of a key, the default first; an unknown key has none.
func (k BankKey) Candidates() []string {
	switch k {
	case BankGrain:
		return []string{"day", "brand", "brand_product", "slip"}
	case BankPerAccount, BankNetOfSplits:
		return []string{"false", "true"}
	case BankSlipTariff:
		return []string{"net", "debit", "none"}
	}
	return nil
}

// BankReadings are what statements decided of the payers of bank accounts: a line "BANK PAYER KEY VALUE" for each key, in order. It is a
// text so that profiles can be compared. Empty: nothing is decided.
type BankReadings string

// Value is what was decided of a payer; without it the default.
func (r BankReadings) Value(bank, payer string, k BankKey) string {
	for line := range strings.Lines(string(r)) {
		if value, ok := strings.CutPrefix(line, fmt.Sprintf("%s %s %s ", bank, payer, k)); ok {
			return strings.TrimSpace(value)
		}
	}
	if all := k.Candidates(); len(all) > 0 {
		return all[0]
	}
	return ""
}

// With are the readings with one more, in place of what was decided of the key before.
func (r BankReadings) With(bank, payer string, k BankKey, value string) BankReadings {
	begins := fmt.Sprintf("%s %s %s ", bank, payer, k)
	lines := slices.Collect(strings.Lines(string(r)))
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, begins) })
	lines = append(lines, begins+value+"\n")
	slices.Sort(lines)
	return BankReadings(strings.Join(lines, ""))
}

// appendFile writes the readings as a profile file has them; note returns a comment for a payer's key, and may be nil.
func (r BankReadings) appendFile(b *bytes.Buffer, note func(ProfileKey) string) {
	var bank, payer string
	for line := range strings.Lines(string(r)) {
		f := strings.Fields(line)
		if bank == "" {
			b.WriteString("banks:\n")
		}
		if f[0] != bank {
			fmt.Fprintf(b, "  %q:\n", f[0])
			bank, payer = f[0], ""
		}
		if f[1] != payer {
			fmt.Fprintf(b, "    %q:\n", f[1])
			payer = f[1]
		}
		fmt.Fprintf(b, "      %s: %s", f[2], f[3])
		if note != nil {
			if text := plainComment(note(BankProfileKey(f[0], f[1], BankKey(f[2])))); text != "" {
				fmt.Fprintf(b, "  # %s", text)
			}
		}
		b.WriteByte('\n')
	}
}

// BankProfileKey is how a key of a payer is named among those of a profile: banks.BANK.PAYER.KEY.
func BankProfileKey(bank, payer string, k BankKey) ProfileKey {
	return ProfileKey(fmt.Sprintf("banks.%s.%s.%s", bank, payer, k))
}

// readBanks reads the readings of bank accounts: by account, payer and key.
func (r *yamlReader) readBanks(v yamlValue, to *BankReadings) {
	r.readEntries(v, func(bank string, ofBank yamlValue) {
		r.checkBankName(bank, ofBank)
		r.readEntries(ofBank, func(payer string, ofPayer yamlValue) {
			r.checkBankName(payer, ofPayer)
			var fields []yamlField
			for _, k := range BankKeys() {
				fields = append(fields, yamlField{string(k), func(v yamlValue) {
					var value string
					if choiceReader(r, &value, k.Candidates()...)(v); value != "" {
						*to = to.With(bank, payer, k, value)
					}
				}})
			}
			r.readMapping(ofPayer, fields...)
		})
	})
}

// checkBankName refuses what can be the name of no bank account and of no payer.
func (r *yamlReader) checkBankName(name string, at yamlValue) {
	odd := strings.ContainsFunc(name, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' })
	if name == "" || odd {
		r.addProblem(at, "", words.NewMessage("want.bank_name"))
	}
}
