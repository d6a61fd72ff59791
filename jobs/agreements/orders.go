package agreements

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"concilia/export/words"
	"concilia/store/ledger"
)

// Orders is the anticipation orders of the merchant. It is immutable.
type Orders struct {
	all      []Order                    // in order of account, order and installment
	standing map[ledger.Account][]Order // standing orders
	bySale   map[orderedInstallment][]Order
	text     []byte
	hash     string
}

// Order is one line: an order for one installment, or a standing one for all of an account.
type Order struct {
	Account ledger.Account
	Order   string // its name; the lines of one order share it
	// OrderedOn is when it was given. PayOn is the day on which payment is asked for; for a standing order it is the
	// last day of its validity, zero if unlimited.
	OrderedOn, PayOn ledger.Date
	// NSU, Auth and Installment name the installment; all empty in a standing order.
	NSU, Auth   string
	Installment int
}

// Standing reports whether the order is for all installments of the account.
func (o *Order) Standing() bool { return o.NSU == "" }

type orderedInstallment struct {
	account   ledger.Account
	nsu, auth string
	number    int
}

// Covers reports whether an order covers an installment paid on a day: an order for it with that payment day or an
// earlier one, or a standing order valid on that day. A payment before the ordered day is not covered.
func (o *Orders) Covers(k ledger.InstallmentKey, paidOn ledger.Date) bool {
	for _, order := range o.bySale[orderedInstallment{k.Account, k.NSU, k.Auth, k.Number}] {
		if k.Day <= order.OrderedOn && order.PayOn <= paidOn {
			return true
		}
	}
	for _, order := range o.standing[k.Account] {
		if order.OrderedOn <= paidOn && (order.PayOn == 0 || paidOn <= order.PayOn) {
			return true
		}
	}
	return false
}

// All returns the orders by account, order and installment. The caller must not change them.
func (o *Orders) All() []Order { return o.all }

// Text is the canonical form of the file, which reads as the same orders.
func (o *Orders) Text() []byte { return bytes.Clone(o.text) }

// Hash is the SHA-256 of Text, in lower-case hex.
func (o *Orders) Hash() string { return o.hash }

const (
	maxOrder       = 100
	maxInstallment = 999
)

// ParseOrders reads anticipation orders: CSV with the first line account,order,ordered_on,pay_on,nsu,auth,installment;
// the last three empty make a standing order. name is what its problems call it; the error is a problem.List.
func ParseOrders(name string, data []byte) (*Orders, error) {
	t := &csvTable{file: name, columns: []string{"account", "order", "ordered_on", "pay_on", "nsu", "auth", "installment"}}
	o := &Orders{standing: map[ledger.Account][]Order{}, bySale: map[orderedInstallment][]Order{}}
	first := map[Order]int{}
	t.readRecords(data, func(r csvRecord) {
		order := r.readOrder()
		same := order
		same.OrderedOn, same.PayOn = 0, 0
		if line, twice := first[same]; twice {
			r.addWrongValue("order", words.NewMessage("want.order_once", "line", line))
		} else {
			first[same] = r.line
		}
		o.all = append(o.all, order)
	})
	if err := t.problems.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(o.all, func(a, b Order) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Order, b.Order), cmp.Compare(a.NSU, b.NSU),
			cmp.Compare(a.Auth, b.Auth), cmp.Compare(a.Installment, b.Installment))
	})
	var text [][]string
	for _, order := range o.all {
		number := ""
		if order.Standing() {
			o.standing[order.Account] = append(o.standing[order.Account], order)
		} else {
			k := orderedInstallment{order.Account, order.NSU, order.Auth, order.Installment}
			o.bySale[k] = append(o.bySale[k], order)
			number = strconv.Itoa(order.Installment)
		}
		text = append(text, []string{order.Account.String(), order.Order, order.OrderedOn.String(), dayText(order.PayOn), order.NSU, order.Auth, number})
	}
	o.text = renderTable(t.columns, text)
	o.hash = hashText(o.text)
	return o, nil
}

// readOrder reads the order of one line.
func (r csvRecord) readOrder() Order {
	order := Order{Order: r.readText("order", maxOrder), NSU: r.readText("nsu", maxOrder), Auth: r.readText("auth", maxOrder)}
	account, err := strconv.ParseInt(r.columnText("account"), 10, 64)
	if err != nil || account < 1 || account > maxAccount || r.columnText("account")[0] == '+' {
		r.addWrongValue("account", words.NewMessage("want.the_account_number"))
	}
	order.Account = ledger.Account(account)
	if order.Order == "" {
		r.addWrongValue("order", words.NewMessage("want.order_name"))
	}
	number := r.columnText("installment")
	standing := order.NSU == "" && order.Auth == "" && number == ""
	order.OrderedOn, order.PayOn = r.readDate("ordered_on", true), r.readDate("pay_on", !standing)
	if order.PayOn != 0 && order.PayOn < order.OrderedOn {
		r.addWrongValue("pay_on", words.NewMessage("want.after_ordered_on", "from", order.OrderedOn.String()))
	}
	switch {
	case standing:
	case order.NSU == "":
		r.addWrongValue("nsu", words.NewMessage("want.whole_order"))
	case order.Auth == "":
		r.addWrongValue("auth", words.NewMessage("want.whole_order"))
	default:
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > maxInstallment || number[0] == '+' {
			r.addWrongValue("installment", words.NewMessage("want.installment", "most", maxInstallment))
		}
		order.Installment = n
	}
	return order
}
