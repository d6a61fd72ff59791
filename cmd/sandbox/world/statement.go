package world

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
)

// openingBalance is what a bank account holds before the first day of the world.
const openingBalance = 1_000_000 * cent

// lineSubject names a line as the finding rules spell it.
func (m *bankMonth) lineSubject(day Date, amount Money, text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("bank:%d:%s:%s:%s:%x", m.bank.Account, m.bank.ID, day, amount.Cents(), sum[:8])
}

// StatementPeriod is a download of a bank account's statement: its days, and when it was made.
type StatementPeriod struct {
	From, To Date
	Made     time.Time
}

// StatementOFX is a bank account's statement in OFX, as of the business clock. Each download numbers its lines anew and spells
// blanks its own way; among the lines are a row of a balance and one that is only announced. planted puts the differences
// of PlantedAtBanks in it.
func (w *World) StatementOFX(b BankAccount, p StatementPeriod, planted bool) []byte {
	m := newBankMonth(w, &b, planted)
	if w.bank.Quirks {
		return m.writeOddOFX(p)
	}
	ofxTime := func(t time.Time) string { return t.In(zone).Format("20060102150405") + "[-3:BRT]" }
	ofxDay := func(d Date) string { return strings.ReplaceAll(d.String(), "-", "") + "100000[-3:BRT]" }
	var out strings.Builder
	out.WriteString("OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n<OFX><SIGNONMSGSRSV1><SONRS>")
	fmt.Fprintf(&out, "<DTSERVER>%s</SONRS></SIGNONMSGSRSV1>\n<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL\n", ofxTime(p.Made))
	fmt.Fprintf(&out, "<BANKACCTFROM><BANKID>0%s<ACCTID>%s%s<ACCTTYPE>CHECKING</BANKACCTFROM>\n", b.Bank, b.Branch, strings.ReplaceAll(b.Number, "-", ""))
	fmt.Fprintf(&out, "<BANKTRANLIST><DTSTART>%s<DTEND>%s\n", ofxDay(p.From), ofxDay(p.To))
	number := p.Made.Unix() % 100_000
	row := func(kind string, day Date, amount, text string) {
		number++
		fmt.Fprintf(&out, "<STMTTRN><TRNTYPE>%s<DTPOSTED>%s<TRNAMT>%s<FITID>%d<MEMO>%s</STMTTRN>\n", kind, ofxDay(day), amount, number, text)
	}
	row("OTHER", p.From, "0.00", "SALDO ANTERIOR")
	balance := openingBalance
	for _, l := range m.lines {
		if l.day <= p.To {
			balance += l.amount
		}
		if l.day < p.From || l.day > p.To {
			continue
		}
		kind := "CREDIT"
		if l.amount < 0 {
			kind = "DEBIT"
		}
		text := l.text
		if number%2 == 0 {
			text = strings.Replace(text, " ", "  ", 1)
		}
		row(kind, l.day, l.amount.Cents(), text)
	}
	row("DEBIT", p.To+1, "-150.00", "PIX AGENDADO")
	fmt.Fprintf(&out, "</BANKTRANLIST><LEDGERBAL><BALAMT>%s<DTASOF>%s</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n", balance.Cents(), ofxDay(p.To))
	return []byte(out.String())
}

// StatementCNAB is a bank account's statement in CNAB 240 with segment E, as StatementOFX.
func (w *World) StatementCNAB(b BankAccount, p StatementPeriod, planted bool) []byte {
	m := newBankMonth(w, &b, planted)
	digits := func(v Money) string { return fmt.Sprintf("%018d", max(v, -v)/cent) }
	day := func(d Date) string { s := d.String(); return s[8:] + s[5:7] + s[:4] }
	side := func(v Money) string {
		if v < 0 {
			return "D"
		}
		return "C"
	}
	number, check, _ := strings.Cut(b.Number, "-")
	zeros := func(s string, width int) string { return strings.Repeat("0", width-len(s)) + s }
	account := fmt.Sprintf("2%s%-20s%s %s%s %-30s", "11444777000161", "", zeros(b.Branch, 5), zeros(number, 12), check, "LOJA")
	var out strings.Builder
	records := 0
	write := func(text string) {
		records++
		fmt.Fprintf(&out, "%-240s\r\n", text)
	}
	opening, debits, credits := openingBalance, Money(0), Money(0)
	var lines []bankLine
	for _, l := range m.lines {
		switch {
		case l.day < p.From:
			opening += l.amount
		case l.day <= p.To:
			lines = append(lines, l)
			debits += max(0, -l.amount)
			credits += max(0, l.amount)
		}
	}
	made := p.Made.In(zone)
	write(fmt.Sprintf("%s00000%9s%s%-30s%10s2%s000001103%05d", b.Bank, "", account, "BANCO", "", made.Format("02012006150405"), 1600))
	write(fmt.Sprintf("%s00011E0440033 %s%40s%s%s%sFBRL00001", b.Bank, account, "", day(p.From-1), digits(opening), side(opening)))
	for i, l := range lines {
		category := "213"
		if l.amount < 0 {
			category = "105"
		}
		nature, accounted := "DPV", day(l.day)
		if w.bank.Quirks { // banks leave out what the standard asks for
			nature, accounted = []string{"DPV", "   ", "DPV"}[i%3], []string{accounted, accounted, "00000000"}[i%3]
		}
		write(fmt.Sprintf("%s00013%05dE   %s%6s%s00%20sS%s%s%s%s%s0%s%-25.25s",
			b.Bank, i+1, account, "", nature, "", accounted, day(l.day), digits(l.amount), side(l.amount), category, category, l.text))
	}
	closing := opening + credits - debits
	write(fmt.Sprintf("%s00015%9s%s%16s%054d%s%s%sF%06d%s%s", b.Bank, "", account[:len(account)-30], "", 0,
		day(p.To), digits(closing), side(closing), len(lines)+2, digits(debits), digits(credits)))
	write(fmt.Sprintf("%s99999%9s%06d%06d%06d", b.Bank, "", 1, records+1, 1))
	return []byte(out.String())
}

// StatementCSV is a bank account's statement as a table with the balance after each row, as StatementOFX.
func (w *World) StatementCSV(b BankAccount, p StatementPeriod, planted bool) []byte {
	m := newBankMonth(w, &b, planted)
	reais := func(v Money) string { return strings.Replace(v.Cents(), ".", ",", 1) }
	var out strings.Builder
	if w.bank.Quirks {
		out.WriteString("\ufeff")
	}
	out.WriteString("Data;Histórico;Documento;Valor;Saldo\r\n")
	balance := openingBalance
	for i, l := range m.lines {
		if l.day > p.To {
			break
		}
		if balance += l.amount; l.day < p.From {
			continue
		}
		d := l.day.String()
		fmt.Fprintf(&out, "%s/%s/%s;%s;%06d;%s;%s\r\n", d[8:], d[5:7], d[:4], l.text, (p.Made.Unix()+int64(i))%1_000_000, reais(l.amount), reais(balance))
	}
	return []byte(out.String())
}
