package bank_test

import (
	"strings"
	"testing"

	"concilia/jobs/bank"
	"concilia/store/ledger/banking"
)

// A row is known by what its text was, and named as before, once a payer was forgotten in it.
func TestForgetPayerInARow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, document, text string
		wantDocument, want   string
		had                  bool
	}{
		{"the name in the text", "", "PIX RECEBIDO BARBARA QUINTAO", "", "PIX RECEBIDO ******* *******", true},
		{"the document in its field", "52998224725", "PIX RECEBIDO", "***********", "PIX RECEBIDO", true},
		{"a name of one word beside the document in its field", "529.982.247-25", "PIX ANA", "**************", "PIX ***", true},
		{"another payer", "11144477735", "PIX ANA", "11144477735", "PIX ANA", false},
	} {
		r := banking.Row{Day: november(4), Amount: 1, Document: c.document, Text: c.text}
		subject := banking.LineSubject(1001, "itau", &r)
		had := bank.ForgetPayerInRow(&r, "52998224725", []string{"Bárbara Quintão", "Ana"})
		if had != c.had || r.Document != c.wantDocument || r.Text != c.want || banking.LineSubject(1001, "itau", &r) != subject || (r.Original != "") != (c.text != c.want) {
			t.Errorf("%s: %t, %+v", c.name, had, r)
		}
		if before := r; bank.ForgetPayerInRow(&r, "52998224725", []string{"Bárbara Quintão", "Ana"}) || r != before {
			t.Errorf("%s, again: %+v", c.name, r)
		}
	}
}

func TestForgetPayerInAStatement(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in, want string
		changed        int
	}{
		{"OFX, the name without accents", "<STMTTRN><TRNAMT>10.00<MEMO>PIX  BARBARA  QUINTAO 52998224725<FITID>1\n", "<STMTTRN><TRNAMT>10.00<MEMO>PIX  *******  ******* ***********<FITID>1\n", 1},
		{"the name alone", "<MEMO>Pix Bárbara Quintão</MEMO>\r\n", "<MEMO>Pix ******** ********</MEMO>\r\n", 1},
		{"Windows-1252", "02/11/2026;PIX B\xc1RBARA QUINT\xc3O;10,00\r\n", "02/11/2026;PIX ******* *******;10,00\r\n", 1},
		{"JSON, escaped, and the document with punctuation", `[{"name":"B\u00e1rbara Quintão","partieCnpjCpf":"529.982.247-25"},{"name":"Eva Reis"}]`, `[{"name":"************ ********","partieCnpjCpf":"**************"},{"name":"Eva Reis"}]`, 1},
		{"CNAB, the document with zeros before it", "341 C00052998224725BARBARA QUINTAO     0001\n", "341 C000****************** *******     0001\n", 1},
		{"a name within another word, and another payer", "PIX BARBARA QUINTAOS; 11144477735\n", "PIX BARBARA QUINTAOS; 11144477735\n", 0},
		{"a name of one word stands alone", "PIX ANA\n", "PIX ANA\n", 0},
		{"a name of one word beside the document", "PIX ANA 529982247-25 BANANA\n", "PIX *** ************ BANANA\n", 1},
		{"the end without a line's end", "a\n52998224725", "a\n***********", 1},
		{"nothing", "", "", 0},
	} {
		names := []string{"", "Bárbara Quintão", "Ana"}
		var b, again strings.Builder
		changed, err := bank.ForgetPayer(&b, strings.NewReader(c.in), "52998224725", names)
		if err != nil || b.String() != c.want || changed != c.changed {
			t.Errorf("%s: %d changed, error %v\n got %q\nwant %q", c.name, changed, err, b.String(), c.want)
		}
		if changed, err := bank.ForgetPayer(&again, strings.NewReader(c.want), "52998224725", names); err != nil || changed != 0 || again.String() != c.want {
			t.Errorf("%s, again: %d changed, error %v, %q", c.name, changed, err, again.String())
		}
	}
}
