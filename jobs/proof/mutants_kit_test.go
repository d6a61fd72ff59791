package proof_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/store/ledger"
)

// mutant is one thing wrong with the clean world, and every case it gives rise to.
type mutant struct {
	code string
	says string
	// want is the case of code: severity, impact and subject, as standing spells them; also are all others there are,
	// with their codes.
	want string
	also []string
	// nights are lived, 1 when it is 0; the cases are those of the last one. edit spoils what the counter holds each
	// morning, and setup the worker before the first.
	nights int
	setup  func(*lab)
	edit   func(*lab)
	tell   bool // the account gets a notification of every change
	// after does what no night does, and gives the cases of it.
	after func(*lab) []string
}

// on gives members of an installment other values, morning after morning.
func on(nsu string, k int, members record) func(*lab) {
	return func(l *lab) { maps.Copy(l.card(nsu, k), members) }
}

// from does so from a morning on.
func from(morning int, edit func(*lab)) func(*lab) {
	return func(l *lab) {
		if l.morning >= morning {
			edit(l)
		}
	}
}

func both(edits ...func(*lab)) func(*lab) {
	return func(l *lab) {
		for _, edit := range edits {
			edit(l)
		}
	}
}

// across gives members of all installments of a sale other values.
func across(nsu string, members record) func(*lab) {
	return func(l *lab) { l.every(nsu, func(r record) { maps.Copy(r, members) }) }
}

// slip gives members of a slip other values in every list.
func slip(id string, members record) func(*lab) {
	return func(l *lab) { maps.Copy(l.slip(id).record, members) }
}

// listed gives them other values in one list.
func listed(id string, list ledger.Source, members record) func(*lab) {
	return func(l *lab) { l.slip(id).says[list] = members }
}

// hide takes a slip out of lists.
func hide(id string, lists ...ledger.Source) func(*lab) {
	return func(l *lab) {
		for _, list := range lists {
			l.slip(id).hidden[list] = true
		}
	}
}

// shares are the splits of an installment: beneficiary, type, percentage, base and value of each.
func shares(all ...[5]string) []record {
	out := []record{}
	for _, s := range all {
		out = append(out, record{
			"beneficiario": s[0], "tipoSplit": s[1], "pctSplit": num(s[2]), "valorBaseSplit": num(s[3]), "valorSplit": num(s[4]),
		})
	}
	return out
}

// tenth is the one split there should be.
func tenth(base, value string) []record {
	return shares([5]string{proofBeneficiary, "P", "10", base, value})
}

// settled are the members of a row that was received, with the split that goes with its net.
func settled(on, net, split string) record {
	return record{
		"installmentStatus": "Paid", "receivedStatus": "Paid", "receivedDateEffective": on, "receivedValue": num(net), "splits": tenth(net, split),
	}
}

// unpaid are the members of a row that was not.
var unpaid = record{
	"installmentStatus": "Authorized", "receivedStatus": "Pending", "receivedDateEffective": nil, "receivedValue": num("0"),
}

// with is a record with members of others put over it.
func with(records ...record) record {
	all := record{}
	for _, r := range records {
		maps.Copy(all, r)
	}
	return all
}

// sell adds a sale.
func sell(s sold, change func(record)) func(*lab) {
	return func(l *lab) {
		for _, row := range s.rows(l.asOf) {
			if change != nil {
				change(row)
			}
			l.cards = append(l.cards, row)
		}
	}
}

// again adds a copy of an installment with other members.
func again(nsu string, k int, members record) func(*lab) {
	return func(l *lab) { l.cards = append(l.cards, with(l.card(nsu, k), members)) }
}

// publication publishes the sets of one run.
func publication(l *lab) {
	l.Reports.Kinds, l.Reports.Bases = kindlist.Known(), []report.Basis{report.ByOperation, report.ByCredit}
}

// answering changes the answers of one list to one day.
func answering(list ledger.Source, day string, change func(l *lab, rows []record) []record) func(*lab) {
	return func(l *lab) {
		l.answers = func(asked ledger.Source, from, _ string, rows []record) []record {
			if asked == list && (from == day || day == "") {
				rows = change(l, slices.Clone(rows))
			}
			return rows
		}
	}
}

// debits replaces the cards by so many debits of 40.00 on each of some days, the same every time. change is called with the day
// and the number of each.
func debits(days []ledger.Date, each int, change func(day ledger.Date, n int, r record)) func(*lab) {
	return func(l *lab) {
		l.cards = nil
		for _, day := range days {
			if day >= l.asOf {
				continue
			}
			for n := range each {
				s := sold{nsu: fmt.Sprintf("V%03d", n), day: day.String(), product: "DEBIT", count: 1, gross: "40"}
				for _, row := range s.rows(l.asOf) {
					row["transactionDate"], row["cardNumber"] = fmt.Sprintf("%sT10:%02d:00", s.day, n%60), fmt.Sprintf("411111******%04d", n)
					if change != nil {
						change(day, n, row)
					}
					l.cards = append(l.cards, row)
				}
			}
		}
	}
}

// pullAgain asks for days of cards that the night would not ask for again.
func pullAgain(from, to string) func(*lab) {
	return func(l *lab) {
		p := ledger.Period{From: proofDay(from), To: proofDay(to)}
		if _, err := l.PullRange(l.t.Context(), p, []ledger.Source{ledger.Cards}); err != nil {
			l.t.Fatal(err)
		}
	}
}

// told adds notifications on a morning.
func told(morning int, all ...delivery) func(*lab) {
	return func(l *lab) {
		if l.morning == morning {
			l.posted = append(l.posted, all...)
		}
	}
}

// untoldOn takes away the notifications of a morning.
func untoldOn(morning int) func(*lab) {
	return func(l *lab) {
		if l.morning == morning {
			l.posted = nil
		}
	}
}

// barCode is the bar code of a slip: factor of the due date, value in cents.
func barCode(factor, cents int) string {
	rest := fmt.Sprintf("%04d%010d%025d", factor, cents, 7)
	digits, sum := "0019"+rest, 0
	for i := range len(digits) {
		sum += int(digits[len(digits)-1-i]-'0') * (2 + i%8)
	}
	check := 11 - sum%11
	if check == 0 || check > 9 {
		check = 1
	}
	return "0019" + fmt.Sprint(check) + rest
}

// factorOf is the factor of a due date after the restart of 2025-02-22.
func factorOf(due string) int { return 1000 + int(proofDay(due)-proofDay("2025-02-22")) }

// numbered are lines alike but for a number.
func numbered(format string, from, to int) []string {
	var all []string
	for n := from; n <= to; n++ {
		all = append(all, strings.ReplaceAll(format, "#", fmt.Sprint(n)))
	}
	return all
}
