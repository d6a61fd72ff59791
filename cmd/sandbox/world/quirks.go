package world

import (
	"fmt"
	"strings"
	"time"
)

// writeOddOFX writes a statement in OFX as banks spell it that follow no standard: lines end in CR, bytes are Windows-1252 whatever the header says,
// elements are of any case, closed or not, some are unknown, amounts have commas, marks of thousands and signs in front or behind, texts
// are in MEMO, NAME or both, balances are rows, and another account's statement comes before ours. It says what StatementOFX says.
func (m *bankMonth) writeOddOFX(p StatementPeriod) []byte {
	b := m.bank
	day := func(d Date) string { return strings.ReplaceAll(d.String(), "-", "") }
	var out strings.Builder
	out.WriteString("OFXHEADER:100\rDATA:OFXSGML\rENCODING:UTF-8\rCHARSET:NONE\r\r<ofx><SIGNONMSGSRSV1><SONRS>\r")
	fmt.Fprintf(&out, "<dtserver>%s</dtserver></SONRS></SIGNONMSGSRSV1>\r<BANKMSGSRSV1><STMTTRNRS>\r", p.Made.In(zone).Format("20060102150405"))
	fmt.Fprintf(&out, "<STMTRS><CURDEF>BRL<BANKACCTFROM><BANKID>%s<ACCTID>999999-9</BANKACCTFROM><BANKTRANLIST><DTSTART>%s<DTEND>%s</BANKTRANLIST></STMTRS>\r",
		b.Bank, day(p.From), day(p.To))
	fmt.Fprintf(&out, "<stmtrs><CurDef>BRC</CurDef><bankacctfrom><BANKID>%s<BRANCHID>%s-9<ACCTID>%s</bankacctfrom>\r<BANKTRANLIST><DTSTART>%s<DTEND>%s\r",
		b.Bank, b.Branch, b.Number, day(p.From), day(p.To))
	balance, rows := openingBalance, 0
	var closing Date
	writeBalance := func() {
		if closing != 0 {
			fmt.Fprintf(&out, "<STMTTRN><TRNTYPE>OTHER<DTPOSTED>%s<TRNAMT>%s<MEMO>Saldo do dia</STMTTRN>\r", day(closing), balance.Cents())
		}
		closing = 0
	}
	for _, l := range m.lines {
		if l.day > p.To {
			break
		}
		if l.day != closing {
			writeBalance()
		}
		if balance += l.amount; l.day < p.From {
			continue
		}
		closing = l.day
		rows++
		out.WriteString(oddRow(rows, day(l.day), l, p.Made))
	}
	writeBalance()
	fmt.Fprintf(&out, "</BANKTRANLIST><LEDGERBAL><BALAMT>%s<DTASOF>%s</LEDGERBAL><AVAILBAL><BALAMT>1,00<DTASOF>%s</AVAILBAL></stmtrs></STMTTRNRS></BANKMSGSRSV1></ofx>",
		commaAmount(balance), day(p.To), day(p.To))
	return []byte(out.String())
}

// oddRow is a row, spelled in one of five ways by its number.
func oddRow(n int, day string, l bankLine, made time.Time) string {
	text := l.text
	if n%5 == 3 {
		text = strings.ToLower(text)
	}
	text = strings.NewReplacer("SERVICO", "SERVI\xc7O", "servico", "servi\xe7o").Replace(text) // in Windows-1252
	id := fmt.Sprint(made.Unix()%100_000 + int64(n))
	switch n % 5 {
	case 0:
		return fmt.Sprintf("<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>%s<TRNAMT>%s<FITID>%s<NAME>%s\r", day, commaAmount(l.amount), id, text)
	case 1:
		return fmt.Sprintf("<stmttrn><trntype>OTHER</trntype><dtposted>%s120000[-3:BRT]</dtposted><trnamt>%s</trnamt><fitid>%s</fitid><memo>%s</memo></stmttrn>\r",
			day, l.amount.Cents(), id, text)
	case 2:
		amount := strings.TrimPrefix(l.amount.Cents(), "-")
		if l.amount < 0 {
			amount += "-"
		}
		return fmt.Sprintf("<STMTTRN><TRNTYPE>XFER<DTPOSTED>%s<TRNAMT>%s<FITID>%s<X.LOJA>A & B<MEMO>%s</STMTTRN>\r", day, amount, id, text)
	case 3:
		amount := commaAmount(l.amount)
		if l.amount >= 0 {
			amount = "+" + amount
		}
		return fmt.Sprintf("<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>%s<TRNAMT> %s <FITID>%s<MEMO>  %s  \r</STMTTRN>\r", day, amount, id, text)
	}
	first, rest, _ := strings.Cut(text, " ")
	return fmt.Sprintf("<STMTTRN><TRNTYPE>PAYMENT<DTPOSTED>%s<TRNAMT>%s<FITID>%s<NAME>%s<MEMO>%s</STMTTRN>\r", day, l.amount.Cents(), id, rest, first)
}

// commaAmount is an amount as Brazilians write it: 1.234,56.
func commaAmount(v Money) string {
	text := strings.TrimPrefix(v.Cents(), "-")
	whole, cents, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "." + whole[at:]
	}
	if v < 0 {
		whole = "-" + whole
	}
	return whole + "," + cents
}
