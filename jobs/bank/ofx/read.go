package ofx

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// Options are what the configuration says of a bank's files.
type Options struct {
	// Amounts is what files without any decimal mark are in: reais, cents, or empty for unknown.
	Amounts string
	// IgnoreBalance leaves out what the bank states as balance.
	IgnoreBalance bool
}

// Read reads the statements of a file. An error is a *ledger.BankRefusal and means that nothing of the file is to be used.
func Read(file []byte, o Options) ([]ledger.BankStatement, error) {
	text, line, asUTF8 := body(file)
	if text == nil {
		return nil, &ledger.BankRefusal{ID: "foreign", Message: "no <OFX> in it", Remedy: "ask the bank for OFX"}
	}
	r := &reader{tokens: tokenizer{rest: text, line: line}, options: o, row: map[string]string{}, kinds: map[string]string{}}
	if err := r.readAll(); err != nil {
		return nil, err
	}
	if len(r.statements) == 0 {
		if r.cardBills > 0 {
			return nil, &ledger.BankRefusal{ID: "card_bill", Message: "a credit card bill, no statement", Remedy: "export the account's statement"}
		}
		return nil, &ledger.BankRefusal{ID: "empty", Message: "no statement in it", Remedy: "export with dates: a quiet period is taken in"}
	}
	if claimed := headerEncoding(file); claimed == "1252" && asUTF8 || claimed == "utf-8" && !asUTF8 && !isASCII(text) {
		for i := range r.statements {
			r.statements[i].Notes = append(r.statements[i].Notes, "encoding")
		}
	}
	return r.statements, nil
}

// headerEncoding is the encoding the header names: 1252, utf-8 or empty.
func headerEncoding(file []byte) string {
	head := strings.ToUpper(string(file[:min(len(file), 1<<10)]))
	head, _, _ = strings.Cut(head, "<OFX>")
	switch {
	case strings.Contains(head, "1252"):
		return "1252"
	case strings.Contains(head, "UTF-8"), strings.Contains(head, "UTF8"), strings.Contains(head, "UNICODE"):
		return "utf-8"
	}
	return ""
}

// reader is the state between two elements.
type reader struct {
	tokens     tokenizer
	options    Options
	statements []ledger.BankStatement
	cardBills  int

	server string // DTSERVER of the sign-on
	open   *statement
	row    map[string]string // members of the row being read, the same map for every row
	inRow  bool              // a row is being read
	rowAt  int               // its line
	kinds  map[string]string // TRNTYPEs, normalized: a file has few
	inside string            // BANKACCTFROM, LEDGERBAL or empty
	inCard bool
	last   token
}

// statement is a statement being read.
type statement struct {
	out          ledger.BankStatement
	currency     string
	start, end   string // DTSTART, DTEND
	balance      string
	balanceDay   string // DTASOF
	balanceLine  int
	listOpen     bool
	types        []string // TRNTYPE of each row
	anyMark      bool
	hasNegatives bool
}

func (r *reader) readAll() error {
	ended := false
	for {
		k, ok := r.tokens.next()
		if !ok {
			break
		}
		r.last = k
		if k.name == "OFX" && k.close {
			ended = true
			break
		}
		if err := r.readToken(k); err != nil {
			return err
		}
	}
	if err := r.endStatement(); err != nil {
		return err
	}
	if !ended {
		return r.cut("OFX")
	}
	return nil
}

// cut is the refusal of a file that ends within an element.
func (r *reader) cut(element string) error {
	line := r.last.line + countLines(r.tokens.rest)
	return &ledger.BankRefusal{ID: "cut", Message: fmt.Sprintf("ends in line %d within %s", line, element), Remedy: "download it again"}
}

func (r *reader) readToken(k token) error {
	switch k.name {
	case "DTSERVER":
		if r.server == "" && r.open == nil {
			r.server = k.text
		}
	case "CCSTMTRS":
		if r.inCard = !k.close; r.inCard {
			r.cardBills++
		}
	case "STMTRS":
		if err := r.endStatement(); err != nil {
			return err
		}
		if !k.close {
			r.open = &statement{}
		}
	default:
		if r.open != nil && !r.inCard {
			return r.readMember(k)
		}
	}
	return nil
}

// readMember reads an element within a statement.
func (r *reader) readMember(k token) error {
	s := r.open
	switch k.name {
	case "BANKACCTFROM", "LEDGERBAL", "AVAILBAL", "BANKACCTTO":
		if r.inside = k.name; k.close {
			r.inside = ""
		}
		return nil
	case "BANKTRANLIST":
		if s.listOpen = !k.close; s.listOpen && s.out.Rows == nil {
			list, _, _ := bytes.Cut(r.tokens.rest, []byte("</BANKTRANLIST>"))
			s.out.Rows = make([]ledger.BankRow, 0, bytes.Count(list, []byte("<STMTTRN>")))
		}
		return r.endRow()
	case "STMTTRN":
		if err := r.endRow(); err != nil {
			return err
		}
		if !k.close {
			clear(r.row)
			r.inRow, r.rowAt, r.inside = true, k.line, ""
		}
		return nil
	}
	if k.close || k.text == "" {
		return nil
	}
	if r.inRow && r.inside == "" {
		if _, twice := r.row[k.name]; !twice {
			r.row[k.name] = k.text
		}
		return nil
	}
	switch r.inside + "/" + k.name {
	case "/CURDEF":
		s.currency = strings.ToUpper(k.text)
	case "/DTSTART":
		s.start = k.text
	case "/DTEND":
		s.end = k.text
	case "BANKACCTFROM/BANKID":
		s.out.Bank = k.text
	case "BANKACCTFROM/BRANCHID":
		s.out.Branch = k.text
	case "BANKACCTFROM/ACCTID":
		s.out.Account = k.text
	case "LEDGERBAL/BALAMT":
		s.balance, s.balanceLine = k.text, k.line
	case "LEDGERBAL/DTASOF":
		s.balanceDay = k.text
	}
	return nil
}

// endRow adds the row being read, if there is one.
func (r *reader) endRow() error {
	if !r.inRow {
		return nil
	}
	m, s := r.row, r.open
	r.inRow = false
	day, err := ofxDate(m["DTPOSTED"])
	if err != nil || day == 0 {
		return &ledger.BankRefusal{ID: "date", Message: fmt.Sprintf("line %d: date %.40q", r.rowAt, m["DTPOSTED"]), Remedy: "download it again"}
	}
	text := rowText(m)
	amount, marked, err := ledger.ParseBankAmount(m["TRNAMT"])
	if err != nil {
		if isBalance, _ := ledger.IsBankBalanceText(text); !isBalance {
			return &ledger.BankRefusal{ID: "amount", Message: fmt.Sprintf("line %d: %s", r.rowAt, err), Remedy: "download it again"}
		}
	}
	s.anyMark = s.anyMark || marked
	s.hasNegatives = s.hasNegatives || amount < 0
	kind := r.normalizeKind(m["TRNTYPE"])
	s.types = append(s.types, kind)
	s.out.Rows = append(s.out.Rows, ledger.BankRow{
		Day: day, Amount: amount, Text: text, Document: ledger.NormalizeBankText(m["CHECKNUM"]), Category: kind,
	})
	return nil
}

// normalizeKind is the normalized TRNTYPE, one string for all rows that have it.
func (r *reader) normalizeKind(text string) string {
	kind, known := r.kinds[text]
	if !known {
		kind = ledger.NormalizeBankText(text)
		r.kinds[strings.Clone(text)] = kind
	}
	return kind
}

// rowText is the text of a row: MEMO, else NAME, else CHECKNUM; NAME is appended where MEMO lacks it.
func rowText(m map[string]string) string {
	memo, name := ledger.NormalizeBankText(m["MEMO"]), ledger.NormalizeBankText(m["NAME"])
	switch {
	case memo == "" && name == "":
		return ledger.NormalizeBankText(m["CHECKNUM"])
	case memo == "":
		return name
	case name == "" || strings.Contains(memo, name):
		return memo
	}
	return ledger.NormalizeBankText(memo + " " + name)
}

// debitTypes are the TRNTYPEs that make rows debits in statements which never write a sign.
var debitTypes = []string{"DEBIT", "FEE", "SRVCHG", "DIRECTDEBIT", "CHECK"}

// endStatement completes the statement being read, if there is one.
func (r *reader) endStatement() error {
	s := r.open
	if s == nil {
		return nil
	}
	if s.listOpen {
		return r.cut("BANKTRANLIST")
	}
	r.open, r.inside, r.inRow = nil, "", false
	s.out.Format = "ofx"
	if s.currency != "" && s.currency != "BRL" && s.currency != "BRC" {
		return &ledger.BankRefusal{ID: "currency", Message: "statement in " + shown(s.currency), Remedy: "only BRL is taken in"}
	}
	if err := s.applyScale(r.options.Amounts); err != nil {
		return err
	}
	s.applySigns()
	if err := s.applyDays(r.server); err != nil {
		return err
	}
	if !r.options.IgnoreBalance {
		if err := s.applyBalance(r.options.Amounts); err != nil {
			return err
		}
	}
	r.statements = append(r.statements, s.out)
	return nil
}

// unmarkedLimit is from how many amounts on a file without any decimal mark is in doubt.
const unmarkedLimit = 10

// applyScale reads amounts without decimal marks as what the configuration says they are.
func (s *statement) applyScale(amounts string) error {
	if s.anyMark || len(s.out.Rows) == 0 {
		return nil
	}
	switch {
	case amounts == "cents":
		for i := range s.out.Rows {
			s.out.Rows[i].Amount = inCents(s.out.Rows[i].Amount)
		}
	case amounts == "" && len(s.out.Rows) >= unmarkedLimit:
		return &ledger.BankRefusal{
			ID: "decimal", Message: fmt.Sprintf("%d amounts and no decimal mark: reais or cents?", len(s.out.Rows)), Remedy: "set amounts of this bank to reais or cents",
		}
	}
	return nil
}

// inCents is the amount whose cents were read as reais.
func inCents(a ledger.Amount) ledger.Amount { return ledger.FromCents(int64(a / (100 * ledger.Cent))) }

// applySigns makes debits negative where no row has a sign and the types tell some of them apart.
func (s *statement) applySigns() {
	if s.hasNegatives {
		return
	}
	told := false
	for i, kind := range s.types {
		if slices.Contains(debitTypes, kind) {
			s.out.Rows[i].Amount, told = -s.out.Rows[i].Amount, true
		}
	}
	if !told && len(s.out.Rows) > 0 {
		s.out.Notes = append(s.out.Notes, "all_positive")
	}
}

// applyDays sets window, instant made and as-of.
func (s *statement) applyDays(server string) error {
	first, last := rowDays(s.out.Rows)
	stated := func(text string) ledger.LocalTime {
		at := ofxTime(text)
		if at != 0 && first != 0 && at.Date() < first {
			return 0
		}
		return at
	}
	made, asOf, end := stated(server), stated(s.balanceDay), stated(s.end)
	if made == 0 && server != "" {
		s.out.Notes = append(s.out.Notes, "no_server_date")
	}
	if asOf == 0 && s.balanceDay != "" {
		s.out.Notes = append(s.out.Notes, "no_balance_date")
	}
	s.out.Made = firstTime(made, asOf, end, midnight(last))
	switch {
	case asOf != 0:
		s.out.AsOf = asOf.Date()
	case s.out.Made != 0:
		s.out.AsOf = s.out.Made.Date()
	}
	from, err := ofxDate(s.start)
	if err != nil {
		from = 0
	}
	var to ledger.Date
	if at := ofxTime(s.end); at != 0 {
		to = at.Date()
	}
	madeDay := s.out.AsOf
	if s.out.Made != 0 {
		madeDay = s.out.Made.Date()
	}
	s.out.Window, s.out.Stated = ledger.Period{From: from, To: to}, true
	if from == 0 || to == 0 || to < from || from == madeDay && to == madeDay {
		s.out.Window, s.out.Stated = ledger.Period{From: first, To: last}, false
	}
	if s.out.Window.From == 0 {
		return &ledger.BankRefusal{ID: "empty", Message: "no line, no period", Remedy: "export with dates: a quiet period is taken in"}
	}
	return nil
}

// firstTime is the first instant that is there.
func firstTime(times ...ledger.LocalTime) ledger.LocalTime {
	for _, t := range times {
		if t != 0 {
			return t
		}
	}
	return 0
}

func rowDays(rows []ledger.BankRow) (first, last ledger.Date) {
	for i := range rows {
		if d := rows[i].Day; first == 0 || d < first {
			first = d
		}
		last = max(last, rows[i].Day)
	}
	return first, last
}

// applyBalance keeps the stated balance, once for each day that it may be of, the likeliest first.
func (s *statement) applyBalance(amounts string) error {
	if s.balance == "" {
		return nil
	}
	amount, marked, err := ledger.ParseBankAmount(s.balance)
	if err != nil {
		return &ledger.BankRefusal{ID: "balance", Message: fmt.Sprintf("line %d: balance %.40q", s.balanceLine, s.balance), Remedy: "download it again, or set balance: ignore of this bank"}
	}
	if amounts == "cents" && !marked && !s.anyMark {
		amount = inCents(amount)
	}
	_, last := rowDays(s.out.Rows)
	var days []ledger.Date
	for _, at := range []ledger.LocalTime{ofxTime(s.balanceDay), ofxTime(s.end), midnight(last)} {
		if at != 0 && !slices.Contains(days, at.Date()) {
			days = append(days, at.Date())
		}
	}
	for _, day := range days {
		s.out.Balances = append(s.out.Balances, ledger.BankBalance{Day: day, Amount: amount})
	}
	return nil
}

// shown is foreign text as a message repeats it.
func shown(s string) string { return strings.Trim(fmt.Sprintf("%.20q", s), `"`) }
