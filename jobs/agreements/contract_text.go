package agreements

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"concilia/store/ledger"
)

// contractText is the canonical form of a contract file: defaults written out, absent values left out.
func contractText(all []Contract) []byte {
	var b bytes.Buffer
	if len(all) == 0 {
		return []byte("contracts: []\n")
	}
	b.WriteString("contracts:\n")
	for i := range all {
		k := &all[i]
		fmt.Fprintf(&b, "  - account: %s\n    valid_from: %s\n", k.Account, k.ValidFrom)
		if k.ValidTo != 0 {
			fmt.Fprintf(&b, "    valid_to: %s\n", k.ValidTo)
		}
		fmt.Fprintf(&b, "    fee_basis: %s\n", k.FeeBasis)
		writeLines(&b, k.Lines)
		writeSettlement(&b, k.Settlement)
		writeSlip(&b, k.Slip)
		if len(k.Splits) > 0 {
			b.WriteString("    splits:\n")
			for _, s := range k.Splits {
				fmt.Fprintf(&b, "      - {beneficiary: %q, pct: %s}\n", s.Beneficiary, s.Pct)
			}
		}
		if k.CDIYearPct.OK {
			fmt.Fprintf(&b, "    cdi_year_pct: %s\n", k.CDIYearPct.V)
		}
	}
	return b.Bytes()
}

func writeLines(b *bytes.Buffer, lines []Line) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("    rates:\n")
	for i := range lines {
		l := &lines[i]
		fmt.Fprintf(b, "      - {brand: %q, product: %q, installments: %q, mdr: %s", l.Brand, l.Product, l.Band, l.MDR)
		writeFee(b, "transaction_fee", l.TransactionFee)
		writeFee(b, "antifraud_fee", l.AntifraudFee)
		if l.Anticipation.OK {
			fmt.Fprintf(b, ", anticipation: %s", l.Anticipation.V)
		}
		b.WriteString("}\n")
	}
}

func writeFee(b *bytes.Buffer, key string, fee ledger.Opt[ledger.Amount]) {
	if fee.OK {
		fmt.Fprintf(b, ", %s: %s", key, fee.V)
	}
}

func writeSettlement(b *bytes.Buffer, s Settlement) {
	if s == (Settlement{}) {
		return
	}
	b.WriteString("    settlement:\n")
	for _, p := range []ledger.Product{ledger.Credit, ledger.Debit, ledger.Voucher} {
		if t, ok := s.Of(p); ok {
			fmt.Fprintf(b, "      %s: %s\n", p, t)
		}
	}
}

func writeSlip(b *bytes.Buffer, s Slip) {
	b.WriteString("    slip:\n")
	if s.Tariff.OK {
		fmt.Fprintf(b, "      tariff: %s\n", s.Tariff.V)
	}
	fmt.Fprintf(b, "      credit: %s\n", s.Credit)
	if s.Discount != (Discount{}) {
		fmt.Fprintf(b, "      discount: {pct: %s, until_days: %d}\n", s.Discount.Pct, s.Discount.UntilDays)
	}
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
