package plan

import "concilia/store/ledger"

// Delay is a promise of the plan: within how many nights, at the latest, it sees what the service shows, if a night runs
// every day.
type Delay struct {
	What   string
	Nights int
}

// Delays returns the promises of the plan. A simulation of two years verifies them.
func Delays() []Delay {
	return []Delay{
		{"money on its date, or late by up to 10 business days", 1},
		{"money of a blocked installment, once a promise of its day has passed", 1},
		{"money paid early, to an account that takes notifications", 1},
		{"money paid early, after another early payment in the last 30 days", 1},
		{"money paid early, otherwise", weekly},
		{"money of an installment overdue for more than 10 business days", thirdly},
	}
}

// lookBackDays is how far a plan that knows nothing would have to look back: twelve installments take one year.
const lookBackDays = 400

// LookBack is the number of questions of a night that would ask for every day of the last 400 in every list of every
// account.
func (p *Night) LookBack() int {
	return len(p.Accounts) * lookBackDays * (1 + len(ledger.SlipLists()))
}

// Calls is how many questions the night would put, when each is answered at once.
func (p *Night) Calls() int {
	n := 0
	for i := range p.Accounts {
		n += p.Accounts[i].Calls()
	}
	return n
}
