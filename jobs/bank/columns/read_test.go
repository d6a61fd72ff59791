package columns_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/words"
	"concilia/jobs/bank/columns"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/ledger/ledgertest"
)

// plain is a map as the configuration makes it.
func plain(change func(*columns.Map)) columns.Map {
	m := columns.Map{Delimiter: ";", Encoding: "auto", Date: "Data", DateLayout: "dd/mm/yyyy", Amount: "Valor", Decimal: ",", Text: []string{"Histórico"}}
	if change != nil {
		change(&m)
	}
	return m
}

var november = ledger.Period{From: ledger.NewDate(2026, 11, 3), To: ledger.NewDate(2026, 11, 5)}

func readText(text string, m columns.Map, period ledger.Period) (banking.Statement, error) {
	return columns.Read(io.NewSectionReader(strings.NewReader(text), 0, int64(len(text))), m, period)
}

// describe is a statement in a few lines.
func describe(st banking.Statement) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s stated %v as of %s\n", st.Format, st.Window, st.Stated, st.AsOf)
	for _, x := range st.Balances {
		fmt.Fprintf(&b, "  balance %s %s\n", x.Day, x.Amount.Fixed(2))
	}
	for _, r := range ledgertest.ListRows(st.Rows) {
		fmt.Fprintf(&b, "  %s\n", strings.TrimRight(fmt.Sprintf("%s %s %s %s", r.Day, r.Amount.Fixed(2), r.Text, r.Document), " "))
	}
	return b.String()
}

func TestTablesOfBanks(t *testing.T) {
	t.Parallel()
	const rows = "  2026-11-04 357.98 PIX RECEBIDO\n  2026-11-05 -12.00 TARIFA\n"
	const known, unknown = "2026-11-03..2026-11-05 stated true as of 2026-11-06\n", "2026-11-04..2026-11-05 stated false as of 2026-11-05\n"
	for _, tt := range []struct {
		name, file string
		change     func(*columns.Map)
		period     ledger.Period
		want       string
	}{
		{"a CSV", "Data;Histórico;Valor\n04/11/2026;Pix recebido;357,98\n05/11/2026;Tarifa;-12,00\n", nil, november, "csv " + known + rows},
		{"without a period", "Data;Histórico;Valor\n04/11/2026;Pix recebido;357,98\n05/11/2026;Tarifa;-12,00\n", nil, ledger.Period{}, "csv " + unknown + rows},
		{
			"in Windows-1252, quoted, with blank lines and CR LF", "Data;Hist\xf3rico;Valor\r\n\r\n\"04/11/2026\";\"Pix; recebido\";\"357,98\"\r\n", nil, november,
			"csv " + known + "  2026-11-04 357.98 PIX; RECEBIDO\n",
		},
		{"lines before the header, further columns, other names", "Banco X\nConta 1\nDay,What,Doc,Value,More\n2026-11-04 10:00,Pix,77,357.98,x\n", func(m *columns.Map) {
			m.Delimiter, m.SkipLines, m.Date, m.DateLayout, m.Amount, m.Decimal, m.Text, m.Document = ",", 2, "Day", "yyyy-mm-dd", "Value", ".", []string{"What"}, "Doc"
		}, november, "csv " + known + "  2026-11-04 357.98 PIX 77\n"},
		{"a column for each side", "Data;Histórico;Entrada;Saída\n04/11/2026;Pix recebido;357,98;\n05/11/2026;Tarifa;;-12,00\n", func(m *columns.Map) {
			m.Amount, m.Credit, m.Debit = "", "Entrada", "Saída"
		}, november, "csv " + known + rows},
		{"a column that tells the side", "Data;Histórico;Valor;D/C\n04/11/2026;Pix recebido;357,98;C\n05/11/2026;Tarifa;12,00;d\n", func(m *columns.Map) {
			m.Sign, m.DebitSigns = "D/C", []string{"D"}
		}, november, "csv " + known + rows},
		{
			"a balance after each row", "Data;Histórico;Valor;Saldo\n04/11/2026;Pix recebido;357,98;1.357,98\n05/11/2026;Tarifa;-12,00;1.345,98\n", func(m *columns.Map) { m.Balance = "Saldo" },
			november, "csv " + known + "  balance 2026-11-04 1357.98\n  balance 2026-11-05 1345.98\n" + rows,
		},
		{
			"the newest row first", "Data;Histórico;Valor;Saldo\n05/11/2026;Tarifa;-12,00;1.345,98\n05/11/2026;Pix;5,00;1.357,98\n04/11/2026;Pix recebido;357,98;1.352,98\n",
			func(m *columns.Map) { m.Balance = "Saldo" }, november,
			"csv " + known + "  balance 2026-11-04 1352.98\n  balance 2026-11-05 1345.98\n  2026-11-04 357.98 PIX RECEBIDO\n  2026-11-05 -12.00 TARIFA\n  2026-11-05 5.00 PIX\n",
		},
		{
			"a balance row without amount", "Data;Histórico;Valor\n03/11/2026;Saldo anterior;\n04/11/2026;Pix recebido;357,98\n", nil, november,
			"csv " + known + "  2026-11-03 0.00 SALDO ANTERIOR\n  2026-11-04 357.98 PIX RECEBIDO\n",
		},
		{
			"a text of two lines", "Data;Histórico;Valor\n04/11/2026;\"Pix\nrecebido\";357,98\n05/11/2026;Tarifa;-12,00\n", nil, november,
			"csv " + known + rows,
		},
		{"a quiet period", "Data;Histórico;Valor\n", nil, november, "csv " + known},
		{"objects, a line each", `{"d":"2026-11-04","a":{"v":357.98},"t":"Pix recebido"}` + "\n" + `{"d":"2026-11-05","a":{"v":"-12.00"},"t":"Tarifa"}` + "\n", func(m *columns.Map) {
			m.Date, m.DateLayout, m.Amount, m.Decimal, m.Text = "d", "yyyy-mm-dd", "a.v", ".", []string{"t"}
		}, november, "jsonl " + known + rows},
		{"a list of objects", `[{"d":"2026-11-04","v":357.98,"t":"Pix recebido"}, {"d":"2026-11-05","v":-12,"t":"Tarifa"}]`, func(m *columns.Map) {
			m.Date, m.DateLayout, m.Amount, m.Decimal, m.Text = "d", "yyyy-mm-dd", "v", ".", []string{"t"}
		}, november, "jsonl " + known + rows},
	} {
		got, err := readText(tt.file, plain(tt.change), tt.period)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if d := cmp.Diff(tt.want, describe(got)); d != "" {
			t.Errorf("%s: wanted (-), got (+):\n%s", tt.name, d)
		}
	}
}

func TestRefusedTables(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5<<20)
	for _, tt := range []struct {
		name, file  string
		change      func(*columns.Map)
		id, message string
	}{
		{"a column missing", "Data;Texto;Valor\n", nil, "columns", `no column "Histórico" among the 3 of the line; of those declared are there "Data", "Valor"`},
		{"a line of somebody's where the columns should be", "03/11/2026;Pix de Quitéria Falante;1,00\n", nil, "columns", `among the 3 of the line; none that is declared is there`},
		{"another delimiter", "Data,Histórico,Valor\n", nil, "columns", "no column"},
		{"no header", "", nil, "empty", "names columns"},
		{"an amount in words", "Data;Histórico;Valor\n04/11/2026;Pix;muito\n", nil, "amount", `line 2: amount "muito"`},
		{"the other decimal mark", "Data;Histórico;Valor\n04/11/2026;Pix;12.50\n", nil, "amount", "12.50"},
		{"an impossible day", "Data;Histórico;Valor\n31/11/2026;Pix;1,00\n", nil, "date", `date "31/11/2026"`},
		{"another layout", "Data;Histórico;Valor\n2026-11-04;Pix;1,00\n", nil, "date", "2026-11-04"},
		{"a day before 2000", "Data;Histórico;Valor\n04/11/1999;Pix;1,00\n", nil, "date", "1999"},
		{"a balance that follows no row", "Data;Histórico;Valor;Saldo\n04/11/2026;Pix;1,00;10,00\n05/11/2026;Pix;1,00;90,00\n", func(m *columns.Map) { m.Balance = "Saldo" }, "columns", "follows no row"},
		{"a sign beside a column of signs", "Data;Histórico;Valor;D/C\n04/11/2026;Pix;-1,00;C\n", func(m *columns.Map) { m.Sign, m.DebitSigns = "D/C", []string{"D"} }, "columns", "has a sign"},
		{"both sides in one row", "Data;Histórico;C;D\n04/11/2026;Pix;1,00;1,00\n", func(m *columns.Map) { m.Amount, m.Credit, m.Debit = "", "C", "D" }, "columns", "both C and D"},
		{"neither side", "Data;Histórico;C;D\n04/11/2026;Pix;;\n", func(m *columns.Map) { m.Amount, m.Credit, m.Debit = "", "C", "D" }, "amount", "neither C nor D"},
		{"bytes that are not UTF-8", "Data;Hist\xf3rico;Valor\n", func(m *columns.Map) { m.Encoding = "utf-8" }, "columns", "not in UTF-8"},
		{"a list cut short", `[{"Data":"04/11/2026","Valor":"1,00","Histórico":"x"}`, nil, "cut", "line 1"},
		{"a quote that is not closed takes further rows in", "Data;Valor;Histórico\n04/11/2026;1,00;\"Pix\n05/11/2026;2,00;\"Pix\"\n", nil, "cut", "line 2: a quote in it is not closed"},
		{"a quote that is not closed, to the end", "Data;Valor;Histórico\n04/11/2026;1,00;\"Pix\n05/11/2026;2,00;Pix\n06/11/2026;2,00;Pix\n", nil, "cut", "line 2: a quote in it is not closed"},
		{"a row that goes on and on", "Data;Valor;Histórico\n04/11/2026;1,00;" + long, nil, "cut", "behind row 0: a row of more than 4 MiB"},
		{"an object that goes on and on", `[{"Data":"04/11/2026","Valor":"1,00","Histórico":"x"},{"x":"` + long, nil, "cut", "behind row 1: a row of more than 4 MiB"},
		{"a list cut in a later line", "[{\"Data\":\"04/11/2026\",\"Valor\":\"1,00\",\"Histórico\":\"x\"}\n,{\"Data\":", nil, "cut", "line 2"},
		{"an object without the day", `{"Valor":"1,00"}`, nil, "columns", `no member "Data"`},
	} {
		_, err := readText(tt.file, plain(tt.change), november)
		var refusal *words.Refusal
		if !errors.As(err, &refusal) || refusal.ID != tt.id || !strings.Contains(refusal.Message.In("en"), tt.message) || refusal.Remedy.ID == "" {
			t.Errorf("%s: %v, want %s with %q", tt.name, err, tt.id, tt.message)
		}
	}
	if _, err := readText("Data;Histórico;Valor\n", plain(nil), ledger.Period{}); err == nil {
		t.Error("neither a row nor a period is taken in")
	}
}

// TestOpenFinance: transactions of Open Finance Brasil, as answers or alone, become rows; those that are not effected are announced.
func TestOpenFinance(t *testing.T) {
	t.Parallel()
	one := func(change ...string) string {
		return strings.NewReplacer(change...).Replace(`{"transactionId":"T1","completedAuthorisedPaymentType":"TRANSACAO_EFETIVADA","creditDebitType":"CREDITO","transactionName":"Serviço  Pagamentos",` +
			`"type":"TED","transactionAmount":{"amount":"357.9800","currency":"BRL"},"transactionDateTime":"2026-11-04T02:30:00.000Z","partieCnpjCpf":"12345678000195"}`)
	}
	debit := one("CREDITO", "DEBITO", "357.9800", "12.00", "TED", "TARIFA_SERVICOS_AVULSOS", "-11-04T", "-11-05T")
	const rows = "  2026-11-04 357.98 SERVICO PAGAMENTOS TED 12345678000195\n  2026-11-05 -12.00 SERVICO PAGAMENTOS TARIFA_SERVICOS_AVULSOS 12345678000195\n"
	const known = "jsonl 2026-11-03..2026-11-05 stated true as of 2026-11-06\n"
	for name, file := range map[string]string{
		"an answer":                     `{"data":[` + one() + "," + debit + `],"links":{},"meta":{"totalRecords":2}}`,
		"two answers":                   `{"data":[` + one() + "]}\n" + `{"data":[` + debit + "]}\n",
		"a list":                        "[" + one() + ",\n" + debit + "]",
		"one after another":             one() + "\n" + debit + "\n",
		"amounts as before version two": one(`"transactionAmount":{"amount":"357.9800","currency":"BRL"}`, `"amount":357.98,"transactionCurrency":"BRL"`, "transactionDateTime", "transactionDate", "T02:30:00.000Z", "") + debit,
	} {
		got, err := readText(file, columns.Map{Preset: columns.OpenFinance}, november)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if d := cmp.Diff(known+rows, describe(got)); d != "" {
			t.Errorf("%s: wanted (-), got (+):\n%s", name, d)
		}
	}
	later, err := readText(one("TRANSACAO_EFETIVADA", "LANCAMENTO_FUTURO")+one("EFETIVADA", "PROCESSANDO"), columns.Map{Preset: columns.OpenFinance}, november)
	if err != nil || later.Rows.Len() != 2 || !ledgertest.ListRows(later.Rows)[0].Scheduled || !ledgertest.ListRows(later.Rows)[1].Scheduled {
		t.Errorf("what is not effected is %+v, %v", later.Rows, err)
	}
	for _, tt := range []struct{ name, file, id, message string }{
		{"parts of a cent", one("357.9800", "357.9801"), "amount", `amount "357.9801"`},
		{"no amount", one("357.9800", ""), "amount", "amount"},
		{"a sign beside the side", one("357.9800", "-357.98"), "columns", "has a sign"},
		{"another side", one("CREDITO", "X"), "columns", `creditDebitType "X"`},
		{"another state", one("TRANSACAO_EFETIVADA", "X"), "columns", `completedAuthorisedPaymentType "X"`},
		{"dollars", one("BRL", "USD"), "currency", "USD"},
		{"an impossible day", one("-11-04T", "-11-31T"), "date", "2026-11-31"},
		{"cut short", `{"data":[` + one(), "cut", "line 1"},
		{"something else", `{"data":"x"}`, "columns", "transaction 1"},
		{"a list of something else", `[1]`, "columns", "transaction 1"},
		{"something else behind a transaction", one() + `"x"`, "columns", "transaction 2 is none of accounts: it is no object"},
		{"a member of another kind", one(`"CREDITO"`, "5"), "columns", "transaction 1 is none of accounts: creditDebitType is a number"},
		{"an answer within an answer", `{"data":{"data":[` + one() + `]}}`, "date", `line 1: date ""`},
		{"a list in a list", `[[` + one() + `]]`, "columns", "transaction 1"},
	} {
		_, err := readText(tt.file, columns.Map{Preset: columns.OpenFinance}, november)
		var refusal *words.Refusal
		if !errors.As(err, &refusal) || refusal.ID != tt.id || !strings.Contains(refusal.Message.In("en"), tt.message) || refusal.Remedy.ID == "" {
			t.Errorf("%s: %v, want %s with %q", tt.name, err, tt.id, tt.message)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("Data;Histórico;Valor;Saldo\n04/11/2026;Pix recebido;357,98;1.357,98\n"), true)
	f.Add([]byte(`[{"Data":"04/11/2026","Valor":"1,00","Histórico":"x","Saldo":"1,00"}]`), false)
	f.Add([]byte(`{"data":[{"completedAuthorisedPaymentType":"TRANSACAO_EFETIVADA","creditDebitType":"DEBITO","transactionName":"x","type":"PIX","transactionAmount":{"amount":"1.00","currency":"BRL"},"transactionDateTime":"2026-11-04T00:00:00Z"}]}`), true)
	f.Fuzz(func(t *testing.T, file []byte, known bool) {
		if _, err := readText(string(file), columns.Map{Preset: columns.OpenFinance}, november); err != nil {
			if refusal := new(words.Refusal); !errors.As(err, &refusal) {
				t.Fatal(err)
			}
		}
		period := ledger.Period{}
		if known {
			period = november
		}
		st, err := readText(string(file), plain(func(m *columns.Map) { m.Balance = "Saldo" }), period)
		var refusal *words.Refusal
		if err != nil {
			if !errors.As(err, &refusal) {
				t.Fatal(err)
			}
			return
		}
		if st.Window.From == 0 || st.Window.To < st.Window.From || st.AsOf == 0 {
			t.Fatalf("window %s, as of %s", st.Window, st.AsOf)
		}
		for _, r := range ledgertest.ListRows(st.Rows) {
			if r.Day.Year() < 2000 || r.Text != banking.NormalizeText(r.Text) {
				t.Fatalf("row %+v", r)
			}
		}
	})
}
