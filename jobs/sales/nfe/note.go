package nfe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"concilia/export/words"
	"concilia/jobs/sales/table"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// note is a note of sale as far as it matters here.
type note struct {
	bare     bool // without the tax office's protocol around it
	key      key
	issued   string // dhEmi
	kind     string // tpNF: 1 is a sale
	purpose  string // finNFe: 1 is a usual one
	place    string // tpAmb: 2 is a test
	emitter  string
	change   string // vTroco
	status   string // cStat of the protocol
	invoice  string // nFat of the invoice that its slips are for
	slips    []slip // dup: the slips of the invoice, if the note has them
	payments []payment
}

// slip is a part of an invoice that is to be paid on a day of its own.
type slip struct{ number, value string }

type payment struct {
	means, value, paid, institution, brand, auth, terminal string
}

func (n *note) keepElement(parent, name, text string) {
	switch parent + "/" + name {
	case "ide/dhEmi":
		n.issued = text
	case "ide/tpNF":
		n.kind = text
	case "ide/finNFe":
		n.purpose = text
	case "ide/tpAmb":
		n.place = text
	case "emit/CNPJ", "emit/CPF":
		n.emitter = text
	case "pag/vTroco":
		n.change = text
	case "infProt/cStat":
		n.status = text
	case "fat/nFat":
		n.invoice = text
	case "dup/nDup":
		n.slips = append(n.slips, slip{number: text})
	case "dup/vDup":
		if len(n.slips) > 0 {
			n.slips[len(n.slips)-1].value = text
		}
	}
	if len(n.payments) == 0 {
		return
	}
	p := &n.payments[len(n.payments)-1]
	switch parent + "/" + name {
	case "detPag/tPag":
		p.means = text
	case "detPag/vPag":
		p.value = text
	case "detPag/dPag":
		p.paid = text
	case "card/CNPJ":
		p.institution = text
	case "card/tBand":
		p.brand = text
	case "card/cAut":
		p.auth = text
	case "card/idTermPag":
		p.terminal = text
	}
}

// Codes of the tax office.
const (
	meansNone       = "90" // nothing was paid
	meansCash       = "01"
	testEnvironment = "2"
	cancelled       = "110111"
	substituted     = "110112"
)

// methods are the means of payment that are no other one.
var methods = map[string]ownsales.Method{
	"03": ownsales.MethodCredit, "04": ownsales.MethodDebit, "10": ownsales.MethodVoucher, "11": ownsales.MethodVoucher, "12": ownsales.MethodVoucher,
	"13": ownsales.MethodVoucher, "15": ownsales.MethodSlip, "17": ownsales.MethodPix, "20": ownsales.MethodPix,
}

// brands are the codes of brands that are known.
var brands = map[string]string{"01": "visa", "02": "mastercard", "03": "amex", "05": "diners", "06": "elo", "07": "hipercard"}

// emitNote hands over the number and the payments of a note.
func (x *documents) emitNote(n *note) error {
	k := n.key
	if fault := x.faultOf(n); fault.ID != "" {
		return x.leaveOut(fault)
	}
	issued, _, err := table.ParseTime(n.issued, x.Zone)
	if err != nil {
		return x.leaveOut(words.NewMessage("own_fault.member_no_date", "member", "dhEmi", "value", table.QuoteShape(n.issued)))
	}
	err = x.take(&ownsales.Record{Numbers: &ownsales.Numbers{
		Emitter: k.emitter(), Model: k.model(), Series: k.series(), From: k.number(), To: k.number(), Day: issued.Date(),
	}})
	if err != nil || n.status != "100" && n.status != "150" || n.kind != "1" || n.purpose != "1" {
		return err
	}
	for i := range n.payments {
		if err := x.emitPayment(n, i, issued); err != nil {
			return err
		}
	}
	return nil
}

// emitPayment hands over one payment of a note, or why it is not taken in.
func (x *documents) emitPayment(n *note, i int, issued ledger.LocalTime) error {
	in := &n.payments[i]
	if in.means == meansNone {
		return nil
	}
	p, fault := x.paymentOf(n, i, issued)
	if fault.ID != "" {
		return x.leaveOut(words.NewMessage("own_fault.payment", "n", i+1, "fault", fault))
	}
	if in.brand != "" && p.Brand == "" {
		if err := x.take(&ownsales.Record{Unmapped: &ownsales.Unmapped{Member: "tBand", Value: fmt.Sprintf("%.10s", in.brand)}}); err != nil {
			return err
		}
	}
	for _, one := range n.splitBySlip(p) {
		if err := x.take(&ownsales.Record{Payment: one}); err != nil {
			return err
		}
	}
	return nil
}

// slipStep is between the numbers of a payment and of its further slips.
const slipStep = 100

// splitBySlip is a payment, or, of one by slip for which the note has several, one for each of them: the first keeps its number. They have the
// invoice as their reference, of several with the slip's own number behind it. Slips that do not come to the payment are not its own.
func (n *note) splitBySlip(p *ownsales.Payment) []*ownsales.Payment {
	if p.Method != ownsales.MethodSlip || n.invoice == "" || len(n.slips) > slipStep {
		return []*ownsales.Payment{p}
	}
	if len(n.slips) < 2 {
		p.Reference = table.DropPersons(n.invoice)
		return []*ownsales.Payment{p}
	}
	all := make([]*ownsales.Payment, len(n.slips))
	left := p.Amount
	for i, s := range n.slips {
		amount, err := ledger.ParseAmount(s.value)
		if err != nil || amount <= 0 {
			return []*ownsales.Payment{p}
		}
		one := *p
		if one.Amount, one.Reference = amount, table.DropPersons(n.invoice+"/"+s.number); i > 0 {
			one.Number = p.Number*slipStep + i
		}
		all[i] = &one
		left -= amount
	}
	if left != 0 {
		return []*ownsales.Payment{p}
	}
	return all
}

// leaveOut hands over why something of the document is not taken in.
func (x *documents) leaveOut(why words.Message) error {
	return x.take(&ownsales.Record{Fault: &ownsales.Fault{Where: words.NewMessage("problem.text", "cause", x.where).Pack(), Reason: why.Pack()}})
}

// faultOf says why a note is not taken in; no message if it is.
func (x *documents) faultOf(n *note) words.Message {
	switch {
	case !n.key.isValid():
		return words.NewMessage("own_fault.key")
	case n.place == testEnvironment:
		return words.NewMessage("own_fault.test")
	case n.emitter != n.key.emitter() || !slices.Contains(x.Emitters, n.emitter):
		return words.NewMessage("own_fault.emitter", "value", words.Quote(table.DropPersons(n.emitter), 20))
	case !slices.Contains([]string{"100", "150", "110", "301", "302"}, n.status):
		if n.status == "" {
			return words.NewMessage("own_fault.no_protocol")
		}
		return words.NewMessage("own_fault.note_status", "value", words.Quote(n.status, 10))
	}
	return words.Message{}
}

// paymentOf is a payment of a note, or why it is not taken in.
func (x *documents) paymentOf(n *note, i int, issued ledger.LocalTime) (p *ownsales.Payment, fault words.Message) {
	in := &n.payments[i]
	amount, err := ledger.ParseAmount(in.value)
	if err == nil {
		_, err = amount.ExactCents()
	}
	if err != nil {
		return nil, words.NewMessage("own_fault.cents", "member", "vPag", "value", table.QuoteShape(in.value))
	}
	if in.means == meansCash && n.change != "" {
		change, err := ledger.ParseAmount(n.change)
		if err != nil {
			return nil, words.NewMessage("own_fault.unreadable", "member", "vTroco", "value", table.QuoteShape(n.change))
		}
		amount -= change
		n.change = ""
	}
	if amount <= 0 {
		return nil, words.NewMessage("own_fault.above_zero", "member", "vPag", "value", amount)
	}
	p = &ownsales.Payment{
		Sale: string(n.key), Number: i + 1, SoldAt: issued, Timed: true, Amount: amount, Method: ownsales.MethodOther, Status: ownsales.StatusPaid,
		Institution: table.DropPersons(in.institution), Brand: brands[in.brand], Auth: table.DropPersons(authOf(in.auth)), Terminal: table.DropPersons(in.terminal), Document: string(n.key),
	}
	if m, known := methods[in.means]; known {
		p.Method = m
	}
	if in.paid != "" {
		if p.SoldAt, p.Timed, err = table.ParseTime(in.paid, x.Zone); err != nil {
			return nil, words.NewMessage("own_fault.member_no_date", "member", "dPag", "value", table.QuoteShape(in.paid))
		}
	}
	return p, fault
}

// authOf is an authorization; zeros and blanks are none.
func authOf(text string) string {
	if strings.Trim(text, "0 ") == "" {
		return ""
	}
	return text
}

// event is a registered event of a note.
type event struct {
	bare             bool
	note, kind, when string
	status           string
}

func (e *event) keepElement(name, text string) {
	switch name {
	case "chNFe":
		e.note = text
	case "tpEvento":
		e.kind = text
	case "dhEvento":
		e.when = text
	case "cStat":
		e.status = text
	}
}

// emitEvent hands over the number of a note that is void. One that the tax office did not register changes nothing.
func (x *documents) emitEvent(e *event) error {
	k := key(e.note)
	registered := e.status == "" || slices.Contains([]string{"135", "136", "155"}, e.status)
	if e.kind != cancelled && e.kind != substituted || !registered {
		return nil
	}
	at, _, err := table.ParseTime(e.when, x.Zone)
	switch {
	case !k.isValid() || !slices.Contains(x.Emitters, k.emitter()):
		return x.leaveOut(words.NewMessage("own_fault.event_key", "value", words.Quote(e.note, 50)))
	case err != nil:
		return x.leaveOut(words.NewMessage("own_fault.member_no_date", "member", "dhEvento", "value", table.QuoteShape(e.when)))
	}
	err = x.take(&ownsales.Record{Numbers: &ownsales.Numbers{
		Emitter: k.emitter(), Model: k.model(), Series: k.series(), From: k.number(), To: k.number(),
	}})
	if err != nil {
		return err
	}
	return x.take(&ownsales.Record{Void: &ownsales.Void{Sale: e.note, Status: ownsales.StatusCancelled, At: at}})
}

// unused are numbers that were declared unused.
type unused struct {
	bare                             bool
	emitter, model, series, from, to string
	status                           string
}

func (u *unused) keepElement(name, text string) {
	switch name {
	case "CNPJ":
		u.emitter = text
	case "mod":
		u.model = text
	case "serie":
		u.series = text
	case "nNFIni":
		u.from = text
	case "nNFFin":
		u.to = text
	case "cStat":
		u.status = text
	}
}

// maxUnused is how many numbers one declaration may have; a series has no more.
const maxUnused = 999_999_999

// emitUnused hands over numbers that no note will have.
func (x *documents) emitUnused(u *unused) error {
	if u.status != "" && u.status != "102" {
		return nil
	}
	from, err1 := strconv.ParseInt(u.from, 10, 64)
	to, err2 := strconv.ParseInt(u.to, 10, 64)
	series, err3 := strconv.ParseInt(u.series, 10, 64)
	if err1 != nil || err2 != nil || err3 != nil || from < 1 || to < from || to > maxUnused || series < 0 || series > 999 || !slices.Contains(x.Emitters, u.emitter) {
		return x.leaveOut(words.NewMessage("own_fault.unused"))
	}
	return x.take(&ownsales.Record{Numbers: &ownsales.Numbers{
		Emitter: u.emitter, Model: u.model, Series: fmt.Sprintf("%03d", series), From: from, To: to,
	}})
}
