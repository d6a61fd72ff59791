//go:build linux

package main

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// bigOverdue is how many of a hundred slips are paid, on their due day; the others never are.
const bigOverdue = 92

// bigDesk is a large ledger with all that a desk has pages of: installments, slips, cases, a bank account and a store. Where
// CONCILIA_DESK_DIR names a folder, the ledger stays there, and is used again. CONCILIA_DESK_DB says where the ledger is: sqlite, which
// holds without it, postgres, or the address of an empty database of Postgres, which stays as the folder does.
type bigDesk struct {
	*bigNight
	kept bool // it was there
}

// newBigDesk lives the first night of a merchant with about so many installments, a tenth as many slips, and a case of every 500th.
func newBigDesk(t testing.TB, rows int) *bigDesk {
	t.Helper()
	db := cmp.Or(os.Getenv("CONCILIA_DESK_DB"), "sqlite")
	b := &bigDesk{bigNight: newBigNight(t, db, rows, 9_999)}
	b.service.slipsPerDay, b.service.wrongEvery = b.service.perDay/10, 500
	if dir := os.Getenv("CONCILIA_DESK_DIR"); dir != "" {
		b.useFolder(t, dir)
	}
	if !b.kept {
		b.addBankAndStore(t)
		b.live(t)
	}
	return b
}

// useFolder moves the configuration to a folder that stays.
func (b *bigDesk) useFolder(t testing.TB, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "reports")); err == nil {
		b.dir, b.kept = dir, true
		return
	}
	for _, name := range []string{"concilia.yaml", "contract.yaml"} {
		text, err := os.ReadFile(filepath.Join(b.dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(string(text), b.dir, dir)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b.dir = dir
}

// addBankAndStore configures a bank account with a statement of all that was credited, and a store with its own sales.
func (b *bigDesk) addBankAndStore(t testing.TB) {
	t.Helper()
	inbox := filepath.Join(b.dir, "statements")
	if err := os.MkdirAll(inbox, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) {
		path := filepath.Join(b.dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		lastWeek := time.Now().AddDate(0, 0, -7) // so old that it is taken in at once: a young file may still grow
		if err := os.Chtimes(path, lastWeek, lastWeek); err != nil {
			t.Fatal(err)
		}
	}
	config, err := os.ReadFile(filepath.Join(b.dir, "concilia.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write("concilia.yaml", fmt.Appendf(config, `banks:
  - id: main
    bank: "341"
    branch: "1234"
    account: "56789-0"
    accounts: [1001]
    since: %s
    inbox: %s
    payers: [{name: service, match: SERVICO PAGAMENTOS, grain: day}]
stores: [{id: shop, accounts: [1001], format: neutral}]
`, b.service.first, inbox))
	contract, err := os.ReadFile(filepath.Join(b.dir, "contract.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write("contract.yaml", append(contract, "    slip: {tariff: 2.00, credit: D+1}\n"...))
	write("statements/all.ofx", b.service.statement())
	write("sales.csv", b.service.ownSales())
}

// live takes the store's sales in and runs the night.
func (b *bigDesk) live(t testing.TB) {
	t.Helper()
	for _, args := range [][]string{
		{"migrate"}, {"sales", "import", filepath.Join(b.dir, "sales.csv"), "--store", "shop", "--from", b.service.first.String(), "--to", (b.today - 1).String()}, {"run"},
	} {
		began := time.Now()
		cmd := exec.Command(b.program, append([]string{"--config", filepath.Join(b.dir, "concilia.yaml")}, args...)...)
		cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD=big", "CONCILIA_CLOCK="+b.today.String()+"T06:00:00-03:00")
		said, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != exit.OK && code != exit.Breaks {
			t.Fatalf("%v: %v\n%s", args, err, said)
		}
		t.Logf("%v took %s\n%s", args, time.Since(began).Round(time.Second), said)
	}
}

// liveNext lives the next night, and returns how long it took.
func (b *bigDesk) liveNext(t testing.TB) time.Duration {
	b.morrow()
	began := time.Now()
	cmd := exec.Command(b.program, "--config", filepath.Join(b.dir, "concilia.yaml"), "--quiet", "run")
	cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD=big", "CONCILIA_CLOCK="+b.today.String()+"T06:00:00-03:00")
	said, _ := cmd.CombinedOutput() // the code says what it was
	if code := cmd.ProcessState.ExitCode(); code != exit.OK && code != exit.Breaks {
		t.Errorf("the next night ended with %d:\n%s", code, said)
	}
	return time.Since(began)
}

// bigSlip is a slip of a bigService: number i of those that fall due on a day.
type bigSlip struct {
	due, paid, credited ledger.Date // the latter 0 while they lie ahead or never come
	number              int
	value               ledger.Amount
}

func (s *bigService) slip(due ledger.Date, i int, today ledger.Date) (x bigSlip) {
	x = bigSlip{due: due, number: i, value: ledger.FromCents(int64(5000 + (i*7919+int(due))%30000))}
	if (i*31+int(due))%100 >= bigOverdue {
		return x
	}
	if paid := s.cal.NextBusinessDay(calendar.Settles, due); paid < today {
		x.paid = paid
	}
	if credited := s.cal.NextBusinessDay(calendar.Settles, s.cal.NextBusinessDay(calendar.Settles, due)+1); credited < today {
		x.credited = credited
	}
	return x
}

// slipsDaysAhead is how far before its due day a slip is issued.
const slipsDaysAhead = 15

// slips writes the slips whose date in a list lies in a period.
func (s *bigService) slips(rw http.ResponseWriter, list string, from, to ledger.Date) {
	s.mu.Lock()
	today := s.today
	s.mu.Unlock()
	b := []byte{'['}
	for due := max(from-10, s.first+slipsDaysAhead); due <= min(to, today+slipsDaysAhead-1); due++ {
		for i := range s.slipsPerDay - int(due)%7 {
			x := s.slip(due, i, today)
			day := map[string]ledger.Date{"due-date": x.due, "payment-date": x.paid, "credit-date": x.credited}[list]
			if day < from || day > to {
				continue
			}
			if len(b) > 1 {
				b = append(b, ',')
			}
			b = x.append(b, list == "credit-date", today)
		}
	}
	_, _ = rw.Write(append(b, ']'))
}

// append writes the slip as the lists do: the one by credit date has names of its own.
func (x *bigSlip) append(b []byte, inPascal bool, today ledger.Date) []byte {
	day := func(d ledger.Date) string {
		if d == 0 {
			return "null"
		}
		return `"` + d.String() + `"`
	}
	status, paid := 2, "null"
	switch {
	case x.paid != 0:
		status, paid = 3, x.value.Fixed(2)
	case x.due < today-3:
		status = 9
	}
	id := fmt.Sprintf("%08x-0000-4000-8000-%012d", int(x.due), x.number)
	if inPascal {
		return fmt.Appendf(b, `{"Id":%q,"Value":%s,"IssueDate":%q,"DueDate":%q,"PayerDocument":"11144477735","PayerName":"Ana","EffectivePaymentDate":%s,`+
			`"EffectiveCreditDate":%s,"EffectivePaymentValue":%s,"OurNumber":"%d%06d","StatusBill":%d,"ReferenceCode":"PED-%d-%d"}`,
			id, x.value.Fixed(2), x.due-slipsDaysAhead, x.due, day(x.paid), day(x.credited), paid, x.due, x.number, status, x.due, x.number)
	}
	return fmt.Appendf(b, `{"id":%q,"value":%s,"issueDate":%q,"dueDate":%q,"payerDocument":"11144477735","payerName":"Ana","effectivePaymentDate":%s,`+
		`"effectiveCreditDate":%s,"effectivePaymentValue":%s,"statusBill":%d,"statusIntegration":2}`,
		id, x.value.Fixed(2), x.due-slipsDaysAhead, x.due, day(x.paid), day(x.credited), paid, status)
}

// statement is what a bank says of all that was credited: a line a day for cards and one for slips.
func (s *bigService) statement() []byte {
	cards, slips := map[ledger.Date]ledger.Amount{}, map[ledger.Date]ledger.Amount{}
	for d := s.first; d < s.today; d++ {
		for i := range s.on(d) {
			k := i%bigOf + 1
			if due := s.cal.NextBusinessDay(calendar.Settles, d+ledger.Date(30*k)); due < s.today {
				cards[due] += s.rowNet(d, i/bigOf, k)
			}
		}
	}
	for due := s.first + slipsDaysAhead; due < s.today; due++ {
		for i := range s.slipsPerDay - int(due)%7 {
			if x := s.slip(due, i, s.today); x.credited != 0 {
				slips[x.credited] += x.value - 2*ledger.Real
			}
		}
	}
	day := func(d ledger.Date) string { return strings.ReplaceAll(d.String(), "-", "") + "100000[-3:BRT]" }
	b := []byte("OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n<OFX><SIGNONMSGSRSV1><SONRS>")
	b = fmt.Appendf(b, "<DTSERVER>%s</SONRS></SIGNONMSGSRSV1>\n<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL\n", day(s.today))
	b = fmt.Appendf(b, "<BANKACCTFROM><BANKID>0341<ACCTID>1234567890<ACCTTYPE>CHECKING</BANKACCTFROM>\n")
	b = fmt.Appendf(b, "<BANKTRANLIST><DTSTART>%s<DTEND>%s\n", day(s.first), day(s.today-1))
	var balance ledger.Amount
	for d := s.first; d < s.today; d++ {
		for n, of := range []map[ledger.Date]ledger.Amount{cards, slips} {
			if v := of[d].Rounded(ledger.HalfAwayFromZero); v != 0 && int(d)%29 > 0 { // one day in 29 did not come
				balance += v
				b = fmt.Appendf(b, "<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>%s<TRNAMT>%s<FITID>%d%d<MEMO>SERVICO PAGAMENTOS</STMTTRN>\n", day(d), v.Fixed(2), d, n)
			}
		}
	}
	return fmt.Appendf(b, "</BANKTRANLIST><LEDGERBAL><BALAMT>%s<DTASOF>%s</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n", balance.Fixed(2), day(s.today-1))
}

// ownSales is what the store says it sold: all but every 5,000th sale.
func (s *bigService) ownSales() []byte {
	b := []byte("sale_id,payment_no,sold_at,amount,method,installments,brand,nsu,auth,last4,status,currency\n")
	for d := s.first; d < s.today; d++ {
		for sale := range s.on(d) / bigOf {
			if sale%5000 == 4999 {
				continue
			}
			second := sale % 86_400
			b = fmt.Appendf(b, "S%d-%d,1,%sT%02d:%02d:%02d,%s,credit,%d,visa,%012d,%06d,%04d,paid,BRL\n", d, sale, d, second/3600, second/60%60, second%60,
				(bigGross(d, sale) * bigOf).Fixed(2), bigOf, int64(d)*1_000_000+int64(sale), sale%1_000_000, sale%10000)
		}
	}
	return b
}
