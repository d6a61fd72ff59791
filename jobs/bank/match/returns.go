package match

import (
	"slices"

	"concilia/store/ledger"
)

// ReturnDays is how many business days lie at most between a credit and its return, and between that and the credit sent
// again.
const ReturnDays = 10

// matchReturns ends pass 7: a debit takes back a credit of the same amount, which may come again later.
func (p *progress) matchReturns() {
	credits := map[ledger.Amount][]int{} // of the amounts that a debit may take back
	for i := range p.Lines {
		if a := p.Lines[i].Amount; a < 0 && p.LineMatch[i] < 0 {
			credits[-a] = nil
		}
	}
	if len(credits) == 0 {
		return
	}
	for i := range p.Lines {
		if same, wanted := credits[p.Lines[i].Amount]; wanted {
			credits[p.Lines[i].Amount] = append(same, i)
		}
	}
	type pair struct{ credit, debit int }
	var pairs []pair
	uses := map[int]int{}
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.Amount >= 0 || p.LineMatch[i] >= 0 {
			continue
		}
		from := p.addDays(l.BankDay, -ReturnDays)
		same := credits[-l.Amount]
		first, _ := slices.BinarySearchFunc(same, from, func(c int, d ledger.Date) int { return int(p.Lines[c].BankDay - d) })
		for _, c := range same[first:] {
			if p.Lines[c].BankDay > l.BankDay {
				break
			}
			pairs = append(pairs, pair{c, i})
			uses[c]++
			uses[i]++
		}
	}
	for _, of := range pairs {
		if uses[of.credit] == 1 && uses[of.debit] == 1 {
			p.takeBack(of.credit, of.debit, credits[p.Lines[of.credit].Amount])
		}
	}
}

// takeBack joins a return to its credit, and the only later credit of that amount to both.
func (p *progress) takeBack(credit, debit int, same []int) {
	n := p.LineMatch[credit]
	if n >= 0 && (p.Matches[n].Pass == 0 || p.isBarred(p.Matches[n].Groups, slices.Concat(p.Matches[n].Lines, []int{debit}))) {
		return // what a person did stays as it is
	}
	if n < 0 {
		n = len(p.Matches)
		p.add(candidate{lines: []int{credit}}, 7)
	}
	joined := &p.Matches[n]
	joined.Lines = append(slices.Clone(joined.Lines), debit)
	slices.Sort(joined.Lines)
	joined.Returned = true
	p.LineMatch[debit] = n
	if len(joined.Groups) == 0 {
		return // it is not known what was taken back: what comes later is a credit of its own
	}
	last := p.addDays(p.Lines[debit].BankDay, ReturnDays)
	var again []int
	for _, c := range same {
		if at := p.Lines[c].BankDay; p.LineMatch[c] < 0 && at >= p.Lines[debit].BankDay && at <= last && c > credit {
			again = append(again, c)
		}
	}
	if len(again) == 1 && !p.isBarred(joined.Groups, slices.Concat(joined.Lines, again)) {
		joined.Lines, joined.Returned = append(joined.Lines, again[0]), false
		p.LineMatch[again[0]] = n
	} else {
		p.markAmbiguous(again, joined.Groups)
	}
	slices.Sort(joined.Lines)
}
