package agreements

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"concilia/store/ledger"
)

const (
	maxOrder       = 100
	maxInstallment = 999
)

// ParseOrders reads anticipation orders: CSV with the first line account,order,ordered_on,pay_on,nsu,auth,installment;
// the last three empty make a standing order. name is what its problems call it; the error is a problem.List.
func ParseOrders(name string, data []byte) (*Orders, error) {
	t := &table{file: name, columns: []string{"account", "order", "ordered_on", "pay_on", "nsu", "auth", "installment"}}
	o := &Orders{standing: map[ledger.Account][]Order{}, bySale: map[orderedSale][]Order{}}
	first := map[Order]int{}
	t.read(data, func(r record) {
		x := r.order()
		same := x
		same.OrderedOn, same.PayOn = 0, 0
		if line, twice := first[same]; twice {
			r.wrong("order", fmt.Sprintf("each installment of an order once: line %d names it", line))
		} else {
			first[same] = r.line
		}
		o.all = append(o.all, x)
	})
	if err := t.problems.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(o.all, func(a, b Order) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Order, b.Order), cmp.Compare(a.NSU, b.NSU),
			cmp.Compare(a.Auth, b.Auth), cmp.Compare(a.Installment, b.Installment))
	})
	var text [][]string
	for _, x := range o.all {
		number := ""
		if x.Standing() {
			o.standing[x.Account] = append(o.standing[x.Account], x)
		} else {
			k := orderedSale{x.Account, x.NSU, x.Auth, x.Installment}
			o.bySale[k] = append(o.bySale[k], x)
			number = strconv.Itoa(x.Installment)
		}
		text = append(text, []string{x.Account.String(), x.Order, x.OrderedOn.String(), dayText(x.PayOn), x.NSU, x.Auth, number})
	}
	o.text = render(t.columns, text)
	o.hash = hashOf(o.text)
	return o, nil
}

// order reads one line.
func (r record) order() Order {
	x := Order{Order: r.text("order", maxOrder), NSU: r.text("nsu", maxOrder), Auth: r.text("auth", maxOrder)}
	account, err := strconv.ParseInt(r.value("account"), 10, 64)
	if err != nil || account < 1 || account > maxAccount || r.value("account")[0] == '+' {
		r.wrong("account", "the number of an account")
	}
	x.Account = ledger.Account(account)
	if x.Order == "" {
		r.wrong("order", "the order's name or number")
	}
	number := r.value("installment")
	standing := x.NSU == "" && x.Auth == "" && number == ""
	x.OrderedOn, x.PayOn = r.day("ordered_on", true), r.day("pay_on", !standing)
	if x.PayOn != 0 && x.PayOn < x.OrderedOn {
		r.wrong("pay_on", "no earlier than ordered_on, "+x.OrderedOn.String())
	}
	switch {
	case standing:
	case x.NSU == "":
		r.wrong("nsu", "nsu, auth and installment together, or none of them for a standing order")
	case x.Auth == "":
		r.wrong("auth", "nsu, auth and installment together, or none of them for a standing order")
	default:
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > maxInstallment || number[0] == '+' {
			r.wrong("installment", fmt.Sprintf("an installment's number, 1 to %d", maxInstallment))
		}
		x.Installment = n
	}
	return x
}
