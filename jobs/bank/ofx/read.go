package ofx

import (
	"errors"
	"io"
	"slices"
	"strings"

	"concilia/export/words"
	"concilia/jobs/bank/rows"
	"concilia/jobs/textfile"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Options are what the configuration says of a bank's files.
type Options struct {
	// Amounts is what files without any decimal mark are in: reais, cents, or empty for unknown.
	Amounts string
	// IgnoreBalance leaves out what the bank states as balance.
	IgnoreBalance bool
}

// Read reads the statements of a file. A *words.Refusal as error means that nothing of the file is to be used, another error that it
// could not be read. Whoever gets statements closes their rows.
func Read(file *io.SectionReader, o Options) (_ []banking.Statement, err error) {
	head := make([]byte, min(maxHeader, file.Size()))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	begin := rootTag.FindIndex(head)
	if begin == nil {
		return nil, words.NewRefusal("foreign", "refused.no_ofx", "remedy.ofx")
	}
	text := func() io.Reader { return io.NewSectionReader(file, int64(begin[0]), file.Size()-int64(begin[0])) }
	set, err := textfile.FindCharset(text())
	if err != nil {
		return nil, err
	}
	r := &reader{
		tokens: tokenizer{in: set.NewReader(text()), line: 1 + countLines(head[:begin[0]])}, options: o, row: map[string]string{}, kinds: map[string]string{},
	}
	defer func() {
		if err != nil {
			r.closeRows()
		}
	}()
	if err := r.readAll(); err != nil {
		return nil, err
	}
	if len(r.statements) == 0 {
		if r.cardBills > 0 {
			return nil, words.NewRefusal("card_bill", "refused.card_bill", "remedy.account_statement")
		}
		return nil, words.NewRefusal("empty", "refused.no_statement", "remedy.with_dates")
	}
	if claimed := headerEncoding(head); claimed == "1252" && set == textfile.UTF8 || claimed == "utf-8" && set == textfile.Windows1252 {
		for i := range r.statements {
			r.statements[i].Notes = append(r.statements[i].Notes, "encoding")
		}
	}
	return r.statements, nil
}

// headerEncoding is the encoding the header of a file names: 1252, utf-8 or empty.
func headerEncoding(head []byte) string {
	text := strings.ToUpper(string(head[:min(len(head), 1<<10)]))
	text, _, _ = strings.Cut(text, "<OFX>")
	switch {
	case strings.Contains(text, "1252"):
		return "1252"
	case strings.Contains(text, "UTF-8"), strings.Contains(text, "UTF8"), strings.Contains(text, "UNICODE"):
		return "utf-8"
	}
	return ""
}

// closeRows lets go of what was read.
func (r *reader) closeRows() {
	for i := range r.statements {
		_ = r.statements[i].Rows.Close()
	}
	if r.open != nil {
		_ = r.open.rows.Close()
	}
}

// reader is the state between two elements.
type reader struct {
	tokens     tokenizer
	options    Options
	statements []banking.Statement
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
	out          banking.Statement
	currency     string
	start, end   string // DTSTART, DTEND
	balance      string
	balanceDay   string // DTASOF
	balanceLine  int
	listOpen     bool
	rows         *rows.Rows // as they are spelled: their category is their TRNTYPE
	anyMark      bool
	hasNegatives bool
	anyDebitType bool
}

// signedRows are the rows of a statement with their amounts in reais and with their signs.
type signedRows struct {
	*rows.Rows
	inCents bool // amounts without a mark are cents
	byType  bool // only their types show which rows are debits
}

// Each calls fn for every row, in order.
func (s *signedRows) Each(fn func(*banking.Row) error) error {
	return s.Rows.Each(func(row *banking.Row) error {
		if s.inCents {
			row.Amount = inCents(row.Amount)
		}
		if s.byType && slices.Contains(debitTypes, row.Category) {
			row.Amount = -row.Amount
		}
		return fn(row)
	})
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
	if r.tokens.failed != nil {
		return r.tokens.failed
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
	return words.NewRefusal("cut", "refused.ends_within", "remedy.again", "line", r.tokens.endLine(r.last), "element", element)
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
			r.open = &statement{rows: rows.New()}
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
		s.listOpen = !k.close
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
		return r.refuseRow("date", m["DTPOSTED"])
	}
	text := rowText(m)
	amount, marked, err := banking.ParseAmount(m["TRNAMT"])
	if err != nil {
		if isBalance, _ := banking.IsBalanceText(text); !isBalance {
			return r.refuseRow("amount", m["TRNAMT"])
		}
	}
	s.anyMark = s.anyMark || marked
	s.hasNegatives = s.hasNegatives || amount < 0
	kind := r.normalizeKind(m["TRNTYPE"])
	s.anyDebitType = s.anyDebitType || slices.Contains(debitTypes, kind)
	return s.rows.Add(&banking.Row{
		Day: day, Amount: amount, Text: text, Document: banking.NormalizeText(m["CHECKNUM"]), Category: kind,
	})
}

// normalizeKind is the normalized TRNTYPE, one string for all rows that have it.
func (r *reader) normalizeKind(text string) string {
	kind, known := r.kinds[text]
	if !known {
		kind = banking.NormalizeText(text)
		r.kinds[strings.Clone(text)] = kind
	}
	return kind
}

// refuseRow is the refusal of a file for the date or the amount of a row, which is none.
func (r *reader) refuseRow(id, written string) error {
	return words.NewRefusal(id, "refused.line", "remedy.again", "line", r.rowAt, "fault", words.NewMessage("refused."+id, "value", words.Quote(written, 40)))
}

// rowText is the text of a row: MEMO, else NAME, else CHECKNUM; NAME is appended where MEMO lacks it.
func rowText(m map[string]string) string {
	memo, name := banking.NormalizeText(m["MEMO"]), banking.NormalizeText(m["NAME"])
	switch {
	case memo == "" && name == "":
		return banking.NormalizeText(m["CHECKNUM"])
	case memo == "":
		return name
	case name == "" || strings.Contains(memo, name):
		return memo
	}
	return banking.NormalizeText(memo + " " + name)
}

// debitTypes are the TRNTYPEs that make rows debits in statements which never write a sign.
var debitTypes = []string{"DEBIT", "FEE", "SRVCHG", "DIRECTDEBIT", "CHECK"}

// endStatement completes the statement being read, if there is one.
func (r *reader) endStatement() (err error) {
	s := r.open
	if s == nil {
		return nil
	}
	if s.listOpen {
		return r.cut("BANKTRANLIST")
	}
	r.inside, r.inRow = "", false
	s.out.Format = "ofx"
	if s.currency != "" && s.currency != "BRL" && s.currency != "BRC" {
		return words.NewRefusal("currency", "refused.statement_in", "remedy.only_brl", "currency", strings.Trim(words.Quote(s.currency, 20), `"`))
	}
	signed := &signedRows{Rows: s.rows, byType: !s.hasNegatives && s.anyDebitType}
	s.out.Rows = signed
	if signed.inCents, err = s.findScale(r.options.Amounts); err != nil {
		return err
	}
	if !s.hasNegatives && !s.anyDebitType && s.rows.Len() > 0 {
		s.out.Notes = append(s.out.Notes, "all_positive")
	}
	if err := s.applyDays(r.server); err != nil {
		return err
	}
	if !r.options.IgnoreBalance {
		if err := s.applyBalance(r.options.Amounts); err != nil {
			return err
		}
	}
	r.open, r.statements = nil, append(r.statements, s.out)
	return nil
}

// unmarkedLimit is how many amounts without any decimal mark make it unclear whether a file is in cents.
const unmarkedLimit = 10

// findScale reports whether amounts without decimal marks are cents, by what the configuration says they are.
func (s *statement) findScale(amounts string) (cents bool, err error) {
	n := s.rows.Len()
	switch {
	case s.anyMark || n == 0:
		return false, nil
	case amounts == "" && n >= unmarkedLimit:
		return false, words.NewRefusal("decimal", "refused.no_decimal", "remedy.amounts", "n", n)
	}
	return amounts == "cents", nil
}

// inCents is the amount whose cents were read as reais.
func inCents(a ledger.Amount) ledger.Amount { return ledger.FromCents(int64(a / (100 * ledger.Cent))) }

// applyDays sets window, instant made and as-of.
func (s *statement) applyDays(server string) error {
	first, last := s.rows.Days()
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
		return words.NewRefusal("empty", "refused.no_line", "remedy.with_dates")
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

// applyBalance keeps the stated balance, once for each day that it may be of, the likeliest first.
func (s *statement) applyBalance(amounts string) error {
	if s.balance == "" {
		return nil
	}
	amount, marked, err := banking.ParseAmount(s.balance)
	if err != nil {
		return words.NewRefusal("balance", "refused.line", "remedy.again_or_balance",
			"line", s.balanceLine, "fault", words.NewMessage("refused.balance", "value", words.Quote(s.balance, 40)))
	}
	if amounts == "cents" && !marked && !s.anyMark {
		amount = inCents(amount)
	}
	_, last := s.rows.Days()
	var days []ledger.Date
	for _, at := range []ledger.LocalTime{ofxTime(s.balanceDay), ofxTime(s.end), midnight(last)} {
		if at != 0 && !slices.Contains(days, at.Date()) {
			days = append(days, at.Date())
		}
	}
	for _, day := range days {
		s.out.Balances = append(s.out.Balances, banking.Balance{Day: day, Amount: amount})
	}
	return nil
}
