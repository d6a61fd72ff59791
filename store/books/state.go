package books

import (
	"fmt"
	"strconv"
	"strings"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// What a title was before and after an event is kept as a text: its values one after the other, each ended by a bar. A night of many events
// writes and reads each of them more than once, and names of members would be most of what it writes.

// encodeState writes a state as a text; no state is an empty one.
func encodeState(t *bookkeeping.TitleState) string {
	if t == nil {
		return ""
	}
	p := &statePass{text: make([]byte, 0, 192)}
	p.passState(t)
	return string(p.text)
}

// encodedState is the text of the state that was encoded last.
type encodedState struct {
	of   *bookkeeping.TitleState
	text string
}

// encodeState is encodeState of a state that is often the one before.
func (s *encodedState) encodeState(t *bookkeeping.TitleState) string {
	if t != s.of {
		s.of, s.text = t, encodeState(t)
	}
	return s.text
}

// decodeState reads what encodeState wrote.
func decodeState(text string, into **bookkeeping.TitleState) error {
	if text == "" {
		return nil
	}
	*into = &bookkeeping.TitleState{}
	p := &statePass{rest: text, reads: true}
	p.passState(*into)
	if p.err == nil && p.rest != "" {
		p.err = fmt.Errorf("what an event keeps of a title goes on with %q", p.rest)
	}
	return p.err
}

// statePass goes over the values of a state in their order: one list of them writes a text, and reads it.
type statePass struct {
	reads bool
	text  []byte // written so far
	rest  string // not read yet
	err   error
}

// passState goes over a state. The version is first: Tallies looks for it in the text.
func (p *statePass) passState(t *bookkeeping.TitleState) {
	passNumber(p, &t.Version)
	passText(p, &t.Class)
	passNumber(p, &t.Face)
	passNumber(p, &t.Fees)
	for _, m := range t.Sums.All() {
		passNumber(p, m)
	}
	passNumber(p, &t.Due)
	if passPresence(p, &t.Card) {
		p.passCard(t.Card)
	}
	if passPresence(p, &t.Slip) {
		p.passSlip(t.Slip)
	}
	if passPresence(p, &t.Booked) {
		p.passBooked(t.Booked)
	}
}

func (p *statePass) passCard(c *bookkeeping.CardState) {
	passNumber(p, &c.SoldAt)
	passText(p, &c.Brand)
	passText(p, &c.Product)
	passText(p, &c.NSU)
	passText(p, &c.Auth)
	passNumber(p, &c.Number)
	passNumber(p, &c.Count)
	passText(p, &c.Reference)
	passNumber(p, &c.Effective)
	for _, a := range []*ledger.Amount{&c.MDR, &c.Fee, &c.Antifraud, &c.Received, &c.Anticipation, &c.SplitCost} {
		passNumber(p, a)
	}
	n := len(c.Splits)
	passNumber(p, &n)
	for i := 0; i < n && p.err == nil; i++ {
		if p.reads {
			c.Splits = append(c.Splits, bookkeeping.ShareState{})
		}
		s := &c.Splits[i]
		passText(p, &s.Subject)
		passText(p, &s.Beneficiary)
		passNumber(p, &s.Amount)
		passNumber(p, &s.Ordinal)
	}
}

func (p *statePass) passSlip(s *bookkeeping.SlipState) {
	passText(p, &s.ID)
	passText(p, &s.OurNumber)
	passText(p, &s.Reference)
	for _, d := range []*ledger.Date{&s.Issued, &s.PaidOn, &s.CreditedOn, &s.CancelledOn} {
		passNumber(p, d)
	}
	p.passBool(&s.Paid.OK)
	passNumber(p, &s.Paid.V)
	passNumber(p, &s.Charges)
	passNumber(p, &s.Movement)
}

func (p *statePass) passBooked(b *bookkeeping.Booked) {
	p.passBool(&b.Settled)
	for _, a := range []*ledger.Amount{&b.Face, &b.MDR, &b.Fee, &b.Antifraud, &b.Received, &b.Anticipation, &b.SplitCost} {
		passNumber(p, a)
	}
	for _, d := range []*ledger.Date{&b.Effective, &b.ReversedOn, &b.TakenOn} {
		passNumber(p, d)
	}
	p.passBool(&b.Issued)
}

// passPresence goes over whether a part of the state is there, and makes one to read into.
func passPresence[T any](p *statePass, part **T) bool {
	there := *part != nil
	if p.passBool(&there); there && p.reads {
		*part = new(T)
	}
	return there
}

func (p *statePass) passBool(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	passNumber(p, &n)
	*b = n != 0
}

func passNumber[T ~int | ~int32 | ~int64](p *statePass, v *T) {
	if !p.reads {
		p.text = append(strconv.AppendInt(p.text, int64(*v), 10), '|')
		return
	}
	text := p.nextValue()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("what an event keeps of a title has %q for a number", text)
	}
	*v = T(n)
}

func passText[T ~string](p *statePass, v *T) {
	if !p.reads {
		text := string(*v)
		if strings.ContainsAny(text, `\|`) {
			text = strings.NewReplacer(`\`, `\\`, `|`, `\p`).Replace(text)
		}
		p.text = append(append(p.text, text...), '|')
		return
	}
	text := p.nextValue()
	if strings.Contains(text, `\`) {
		text = strings.NewReplacer(`\\`, `\`, `\p`, `|`).Replace(text)
	}
	*v = T(text)
}

// nextValue is the next value of the text that is read.
func (p *statePass) nextValue() string {
	value, rest, ends := strings.Cut(p.rest, "|")
	if !ends && p.err == nil {
		p.err = fmt.Errorf("what an event keeps of a title ends within %q", value)
	}
	p.rest = rest
	return value
}
