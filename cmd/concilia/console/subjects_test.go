package console

import "testing"

// Lists call things what people call them; a subject that has no other name keeps its own.
func TestNameSubject(t *testing.T) {
	t.Parallel()
	slips := map[string]string{"77d5a9bc-e683": "FAT-7"}
	for _, row := range []struct{ why, subject, pt, en string }{
		{"a sale", "sale:1001:2026-11-10:000123:FW9%3A7Q", "NSU 000123 · aut. FW9:7Q", "NSU 000123 · auth. FW9:7Q"},
		{"a sale without an authorization", "sale:1001:2026-11-10:000123:", "NSU 000123", "NSU 000123"},
		{"an installment", "card:1001:2026-11-10:000123:FW947Q:2", "NSU 000123 · aut. FW947Q · parcela 2", "NSU 000123 · auth. FW947Q · installment 2"},
		{"a slip that a list has named", "slip:1001:77d5a9bc-e683", "Boleto FAT-7", "Slip FAT-7"},
		{"a slip that none has", "slip:1001:88d5a9bc-e683", "Boleto 88d5a9bc…", "Slip 88d5a9bc…"},
		{"a deposit", "group:1001:bb-1001:2026-11-10:service", "Depósito previsto de 10/11/2026", "Deposit expected of 2026-11-10"},
		{"a line of a statement", "bank:1001:bb-1001:2026-10-23:1408.03:2c2d", "Lançamento de 23/10/2026, R$ 1.408,03", "Bank line of 2026-10-23, R$ 1,408.03"},
		{"a payment of a store", "own:1001:centro:VD1:1", "Venda VD1 de centro", "Sale VD1 of centro"},
		{"a month", "month:1002:2026-11:slips:service", "Mês 11/2026", "Month 2026-11"},
		{"a day of a list", "day:1001:cards:2026-11-10", "Dia 10/11/2026", "Day 2026-11-10"},
		{"what has no other name", "rule:1001:MDR_RATE_MISMATCH", "", ""},
		{"no subject", "x", "", ""},
		{"a subject that is cut off", "card:1001:2026-11-10", "", ""},
	} {
		for lang, want := range map[string]string{"pt-BR": row.pt, "en": row.en} {
			if got := nameSubject(lang, row.subject, slips); got != want {
				t.Errorf("%s in %s is %q, not %q", row.why, lang, got, want)
			}
		}
	}
}
