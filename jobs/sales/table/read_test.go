package table_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/export/words"
	"concilia/jobs/sales/table"
	"concilia/store/ledger/ownsales"
)

var brands = map[string]string{"visa": "visa", "master": "mastercard", "mastercard": "mastercard"}

// readText reads a table, and tells in lines what it says.
func readText(m *table.Map, text string) (lines []string, err error) {
	r := table.Reader{Map: m, Zone: time.FixedZone("-03", -3*60*60), Brand: func(s string) (string, bool) {
		b, known := brands[strings.ToLower(s)]
		return b, known
	}}
	err = r.Read(strings.NewReader(text), func(x *ownsales.Record) error {
		switch {
		case x.Payment != nil:
			p := x.Payment
			lines = append(lines, strings.Join(strings.Fields(fmt.Sprint(p.Sale, "/", p.Number, " ", p.SoldAt, " ", p.Amount, " ", p.Method, " ", p.Installments, " ", p.Brand, " ", p.NSU, " ", p.Auth,
				" ", p.TID, " ", p.Reference, " ", p.PaymentID, " ", p.Last4, " ", p.Status, " ", p.CancelledAt)), " "))
		case x.Void != nil:
			lines = append(lines, fmt.Sprintf("void %s %s %s %s", x.Void.Sale, x.Void.Status, x.Void.At, x.Void.Amount))
		case x.Fault != nil:
			lines = append(lines, "fault "+words.Unpack(x.Fault.Where).String()+": "+words.Unpack(x.Fault.Reason).String())
		case x.Unmapped != nil:
			lines = append(lines, "unmapped "+x.Unmapped.Member+" "+x.Unmapped.Value)
		}
		return nil
	})
	return lines, err
}

const ownMap = `
columns: {sale_id: Pedido, sold_at: Data, amount: Total, method: Forma}
values: {method: {"Cartão de Crédito": credit, Dinheiro: other}}
`

// Each oddity of what shops export, and what becomes of it.
func TestReadOddities(t *testing.T) {
	t.Parallel()
	const head = "Pedido;Data;Total;Forma\n"
	for _, c := range []struct {
		name, text, more string // more: of the map
		want             []string
		refused          string
	}{
		{name: "a plain row", text: head + "1;03/11/2026;1.234,50;Cartão de Crédito\n", want: []string{"1/1 2026-11-03T00:00:00 1234.50 credit 0 paid"}},
		{name: "a time of day, and blanks around", text: head + " 1 ; 03/11/2026 09:08 ; R$ 10 ;dinheiro\n", want: []string{"1/1 2026-11-03T09:08:00 10.00 other 0 paid"}},
		{name: "Windows-1252 is seen by its bytes", text: head + "1;03/11/2026;1,00;Cart\xe3o de Cr\xe9dito\n", want: []string{"1/1 2026-11-03T00:00:00 1.00 credit 0 paid"}},
		{name: "UTF-8 declared, other bytes", text: head + "1;03/11/2026;1,00;Cart\xe3o\n", more: "encoding: utf-8", refused: "encoding: not in UTF-8"},
		{name: "a byte order mark, CR LF, quotes", text: "\ufeffPedido;Data;Total;Forma\r\n\"1\";\"03/11/2026\";\"1,00\";\"Dinheiro\"\r\n", want: []string{"1/1 2026-11-03T00:00:00 1.00 other 0 paid"}},
		{name: "a word nobody declared is left open and told once", text: head + "1;03/11/2026;1,00;Fiado\n2;03/11/2026;1,00;Fiado\n", want: []string{
			"unmapped method Fiado", "1/1 2026-11-03T00:00:00 1.00 0 paid", "2/1 2026-11-03T00:00:00 1.00 0 paid",
		}},
		{name: "rows of one sale are numbered", text: head + "1;03/11/2026;1,00;Dinheiro\n1;03/11/2026;2,00;Dinheiro\n", want: []string{
			"1/1 2026-11-03T00:00:00 1.00 other 0 paid", "1/2 2026-11-03T00:00:00 2.00 other 0 paid",
		}},
		{name: "the first line of a sale alone", text: head + "1;03/11/2026;1,00;Dinheiro\n1;;;\n2;03/11/2026;2,00;Dinheiro\n", more: "first_line_of: sale_id", want: []string{
			"1/1 2026-11-03T00:00:00 1.00 other 0 paid", "2/1 2026-11-03T00:00:00 2.00 other 0 paid",
		}},
		{name: "lines before the header", text: "Relatório\n\n" + head + "1;03/11/2026;1,00;Dinheiro\n", more: "skip_lines: 1", want: []string{"1/1 2026-11-03T00:00:00 1.00 other 0 paid"}},
		{name: "cents", text: head + "1;03/11/2026;12345;Dinheiro\n", more: "cents: true", want: []string{"1/1 2026-11-03T00:00:00 123.45 other 0 paid"}},
		{name: "only some rows", text: "Pedido;Data;Total;Forma;Tipo\n1;03/11/2026;1,00;Dinheiro;venda\n2;03/11/2026;1,00;Dinheiro;troca\n", more: "only: {Tipo: [Venda]}", want: []string{"1/1 2026-11-03T00:00:00 1.00 other 0 paid"}},
		{name: "a constant", text: head + "1;03/11/2026;1,00;Dinheiro\n", more: "constant: {brand: visa}", want: []string{"1/1 2026-11-03T00:00:00 1.00 other 0 visa paid"}},
		{name: "rows that are left out", text: head + ";03/11/2026;1,00;Dinheiro\n2;31/02/2026;1,00;Dinheiro\n3;03/11/1926;1,00;Dinheiro\n4;03/11/2026;0,00;Dinheiro\n5;03/11/2026;-1,00;Dinheiro\n6;03/11/2026;1,005;Dinheiro\n7;03/11/2026;1.00;Dinheiro\n8;03/11/2026;;Dinheiro\n9;3/11/26;1,00;Dinheiro\n10;03-11-2026;1,00;Dinheiro\n11;03/11/2026;1234.567;Dinheiro\n", want: []string{
			"fault line 2: no sale_id", `fault line 3: sold_at "31/02/2026": no date as dd/mm/yyyy`, `fault line 4: sold_at "03/11/1926": no date as dd/mm/yyyy`,
			"fault line 5: amount 0.00: it must be above 0", "fault line 6: amount -1.00: it must be above 0", `fault line 7: amount "1,005": not whole cents`,
			`fault line 8: amount "1.00": not readable`, `fault line 9: amount "": not readable`, `fault line 10: sold_at "3/11/26": no date as dd/mm/yyyy`,
			`fault line 11: sold_at "03-11-2026": no date as dd/mm/yyyy`, `fault line 12: amount "1234.567": not readable`,
		}},
		{name: "zeros behind the cents are none", text: head + "1;03/11/2026;1,5000;Dinheiro\n", want: []string{"1/1 2026-11-03T00:00:00 1.50 other 0 paid"}},
		{name: "a mapped column is missing", text: "Pedido;Data;Forma\n1;03/11/2026;Dinheiro\n", refused: `columns: no column "Total" among the 3 of the line; of the map's columns it has "Data", "Forma", "Pedido"`},
		{name: "a mapped column is there twice", text: "Pedido;Data;Total;Forma;Total\n", refused: `columns: column "Total" is there twice`},
		{name: "fewer lines than are skipped", text: "Relatório\nVendas\n", more: "skip_lines: 5", refused: "empty: no line that names columns"},
		{name: "nothing but blanks", text: " \n\n", refused: "empty: no line that names columns"},
		{name: "an open quote would swallow the rows after it", text: head + "1;03/11/2026;1,00;\"Dinheiro\n2;03/11/2026;2,00;Dinheiro\n", refused: "cut: line 2: a quote in it is not closed"},
		{name: "a text in quotes goes over two lines", text: head + "1;03/11/2026;1,00;\"Dinheiro\n\"\n", want: []string{"1/1 2026-11-03T00:00:00 1.00 other 0 paid"}},
		{name: "a quote that is never closed", text: head + "1;03/11/2026;\"" + strings.Repeat("x", 5<<20) + "\n", refused: "limit: a row of more than 4 MiB"},
		{name: "JSON of the same", text: `[{"Pedido":1,"Data":"03/11/2026","Total":"1,00","Forma":"Dinheiro"}]`, want: []string{"1/1 2026-11-03T00:00:00 1.00 other 0 paid"}},
		{name: "JSON Lines", text: `{"Pedido":"1","Data":"03/11/2026","Total":"1,00","Forma":"Dinheiro"}` + "\n" + `{"Pedido":"2","Data":"03/11/2026","Total":"2,00","Forma":"Dinheiro"}`, want: []string{"1/1 2026-11-03T00:00:00 1.00 other 0 paid", "2/1 2026-11-03T00:00:00 2.00 other 0 paid"}},
		{name: "a list within a document", text: `{"a":{"x":[1]},"b":{"rows":[{"Pedido":"1","Data":"03/11/2026","Total":"1,00","Forma":"Dinheiro"}]}}`, more: "path: b.rows", want: []string{"1/1 2026-11-03T00:00:00 1.00 other 0 paid"}},
		{name: "an object of more than 4 MiB", text: `[{"Pedido":"` + strings.Repeat("x", 5<<20), refused: "limit: a row of more than 4 MiB"},
		{name: "no list where the path leads", text: `{"a":1}`, more: "path: b.rows", refused: `columns: no list at "b.rows"`},
		{name: "JSON that is cut", text: `[{"Pedido":1,"Data":"03/11/2026","Total":"1,00","Forma":"Dinheiro"},{"Ped`, want: []string{"1/1 2026-11-03T00:00:00 1.00 other 0 paid"}, refused: "cut: object 2 is cut or no object"},
		{name: "a JSON list that is not closed", text: `[{"Pedido":1,"Data":"03/11/2026","Total":"1,00","Forma":"Dinheiro"}`, want: []string{"1/1 2026-11-03T00:00:00 1.00 other 0 paid"}, refused: "cut: "},
		{name: "JSON without a member", text: `[{"Pedido":1}]`, refused: `columns: object 1 has no member "Data"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, err := table.ParseMap("map.yaml", []byte(ownMap+c.more))
			if err != nil {
				t.Fatal(err)
			}
			lines, err := readText(m, c.text)
			if diff := cmp.Diff(c.want, lines); diff != "" {
				t.Errorf("wanted (-) and read (+):\n%s", diff)
			}
			checkRefusal(t, err, c.refused)
		})
	}
}

func checkRefusal(t *testing.T, err error, want string) {
	t.Helper()
	var r *words.Refusal
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && !errors.As(err, &r):
		t.Errorf("not refused: %v", err)
	case want != "" && (!strings.HasPrefix(r.ID+": "+r.Message.In("en"), want) || r.Remedy.ID == ""):
		t.Errorf("refused as %s: %s (%s), want %s", r.ID, r.Message.In("en"), r.Remedy.In("en"), want)
	}
}

// Each known system's export is read as it is.
func TestPresets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		preset, text string
		want         []string
	}{
		{"neutral", "sale_id,payment_no,sold_at,amount,method,installments,brand,nsu,auth,last4,status,currency\n" +
			"A,1,2026-11-03T10:00:00-03:00,100.00,credit,2,Master,0123,A1,411111******1111,paid,BRL\nA,2,2026-11-04,1,pix,,,,,,cancelled,\nB,1,2026-11-04,1,pix,,,,,,,USD\n", []string{
			"A/1 2026-11-03T10:00:00 100.00 credit 2 mastercard 0123 A1 1111 paid", "A/2 2026-11-04T00:00:00 1.00 pix 0 cancelled", `fault line 4: currency "USD": only BRL`,
		}},
		{"nuvemshop", "Número do Pedido;E-mail;Total;Data de pagamento;Status do Pagamento;Forma de Pagamento;Nome do comprador;CPF / CNPJ;Identificador da transação no meio de pagamento;Data e hora do cancelamento\n" +
			"100;a@b.c;150,00;03/11/2026;Confirmado;Cartão de crédito;Maria;12345678909;T-1;\n100;;;;;;;;;\n101;a@b.c;50,00;;Pendente;Pix;Maria;;;\n102;a@b.c;50,00;03/11/2026;Confirmado;Pix;Maria;;;04/11/2026 10:00:00\n", []string{
			"100/1 2026-11-03T00:00:00 150.00 credit 0 T-1 paid", "102/1 2026-11-03T00:00:00 50.00 pix 0 cancelled 2026-11-04T10:00:00",
		}},
		{"shopify-transactions", "Transaction Date,Type,Order,Card Brand,Amount,Currency\n2026-11-03 12:00:00 -0300,charge,#1,visa,10.00,BRL\n2026-11-05 12:00:00 -0300,refund,#1,visa,-10.00,BRL\n2026-11-05,payout,,,5,BRL\n", []string{
			"#1/1 2026-11-03T12:00:00 10.00 credit 0 visa paid", "void #1 refunded 2026-11-05T12:00:00 10.00",
		}},
		{"vtex", `[{"orderId":"v1","creationDate":"2026-11-03T02:30:00Z","status":"invoiced","clientProfileData":{"document":"12345678909"},"paymentData":{"transactions":[{"isActive":true,"payments":[` +
			`{"id":"P","group":"creditCard","paymentSystemName":"Visa","value":12345,"installments":3,"tid":"77","connectorResponses":{"nsu":"9","authId":"A1"},"lastDigits":"1111"},` +
			`{"id":"Q","group":"instantPayment","value":100}]}]}},{"orderId":"v2","creationDate":"2026-11-03T12:00:00Z","status":"payment-pending"}]`, []string{
			"v1/1 2026-11-02T23:30:00 123.45 credit 3 visa 9 A1 77 P 1111 paid", "v1/2 2026-11-02T23:30:00 1.00 pix 0 Q paid",
		}},
	} {
		m, known := table.Preset(c.preset)
		if !known {
			t.Fatalf("no preset %s", c.preset)
		}
		lines, err := readText(m, c.text)
		checkRefusal(t, err, "")
		if diff := cmp.Diff(c.want, lines); diff != "" {
			t.Errorf("%s: wanted (-) and read (+):\n%s", c.preset, diff)
		}
	}
}

// Whatever column a customer's documents slip into, none of them is kept.
func TestNoColumnKeepsACustomer(t *testing.T) {
	t.Parallel()
	m, _ := table.Preset("neutral")
	r := table.Reader{Map: m, Brand: func(string) (string, bool) { return "", false }, Zone: time.UTC}
	columns := []string{
		"sale_id", "nsu", "auth", "tid", "reference", "payment_id", "last4", "terminal", "institution", "slip_id", "our_number", "document", "method", "status", "brand",
	}
	for _, secret := range []string{"123.456.789-09", "11.222.333/0001-81", "quiteria@loja.example", "4111 1111 1111 1111", "4111-1111-1111-1111"} {
		for _, column := range columns {
			row := map[string]string{"sale_id": "A", "sold_at": "2026-11-03", "amount": "1.00", "method": "pix"}
			row[column] = strings.TrimSpace(row[column] + " " + secret)
			names := slices.Sorted(maps.Keys(row))
			var cells []string
			for _, name := range names {
				cells = append(cells, row[name])
			}
			text := strings.Join(names, ",") + "\n" + strings.Join(cells, ",") + "\n"
			err := r.Read(strings.NewReader(text), func(x *ownsales.Record) error {
				shown := fmt.Sprintf("%+v %+v %+v", x.Payment, x.Fault, x.Unmapped)
				if x.Payment != nil {
					x.Payment.Institution = "" // the CNPJ of who settled it
					shown = fmt.Sprintf("%+v", *x.Payment)
				}
				if strings.Contains(shown, secret) {
					t.Errorf("%s keeps %s", column, secret)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s with %s: %v", column, secret, err)
			}
		}
	}
}

// A customer's document is dropped, and of a card number four digits stay.
func TestPersonsAreNotKept(t *testing.T) {
	t.Parallel()
	m, _ := table.Preset("neutral")
	lines, err := readText(m, "sale_id,sold_at,amount,method,reference\nA,2026-11-03,1,pix,pedido 123.456.789-09 4111 1111 1111 1111\n")
	checkRefusal(t, err, "")
	if want := "A/1 2026-11-03T00:00:00 1.00 pix 0 pedido ****1111 paid"; len(lines) != 1 || lines[0] != want {
		t.Errorf("%q, want %q", lines, want)
	}
}

// Every mistake of a map is reported, and a column of a customer's is no column.
func TestMapProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"preset: magento", "preset: \"magento\": one of neutral, nuvemshop, shopify-transactions, vtex"},
		{"colums: {}", "field colums not found"},
		{"columns: {sale_id: a}", "columns.sold_at: missing"},
		{ownMap + "first_line_of: nsu", "first_line_of: \"nsu\""},
		{ownMap + "delimiter: ab", "delimiter: \"ab\": one character"},
		{ownMap + "decimal: x", "decimal: \"x\": a comma or a point"},
		{ownMap + "encoding: ebcdic", "encoding: \"ebcdic\": one of auto, utf-8, latin1, cp1252"},
		{ownMap + "date: d.m.y", "date: \"d.m.y\": iso, or dd, mm"},
		{ownMap + "skip_lines: 1000", "skip_lines: \"1000\": 0 to 100"},
		{"preset: neutral\ncolumns: {reference: \"CPF do comprador\"}", "columns.reference: \"CPF do comprador\": another column: names, documents"},
		{"preset: neutral\nvalues: {method: {x: cartao}}", "values.method: \"x: cartao\": one of credit"},
		{"preset: neutral\nconstant: {status: pago}", "constant.status: \"pago\": one of paid, cancelled, refunded"},
		{"preset: neutral\ncolumns: {nsuu: x}", "columns: no such key \"nsuu\""},
	} {
		_, err := table.ParseMap("map.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), strings.SplitN(c.want, ": no such key", 2)[0]) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("neutral", "sale_id,sold_at,amount,method\nA,2026-11-03,1,pix\n")
	f.Add("vtex", `{"orderId":"v1","paymentData":{"transactions":[{"payments":[{"value":1}]}]}}`)
	f.Add("nuvemshop", "Número do Pedido;Total;Data de pagamento\n1;1,00;03/11/2026\n")
	f.Add("shopify-transactions", "Transaction Date,Type,Order,Amount\n2026-11-05,refund,1,-10.00\n")
	f.Fuzz(func(t *testing.T, preset, text string) {
		m, known := table.Preset(preset)
		if !known {
			return
		}
		first, err := readText(m, text)
		var r *words.Refusal
		if err != nil && (!errors.As(err, &r) || r.ID == "" || r.Message.ID == "" || r.Remedy.ID == "") {
			t.Errorf("neither read nor refused: %v", err)
		}
		if again, _ := readText(m, text); !cmp.Equal(first, again) {
			t.Error("read again it says something else")
		}
	})
}
