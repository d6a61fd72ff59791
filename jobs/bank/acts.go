package bank

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"concilia/jobs/bank/match"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Sides are what a person joins or takes apart: subjects of groups and lines, keys of debits, and what they came to then.
type Sides struct {
	Groups, Lines, DebitKeys []string
	match.Sums
}

// The names under which the log of acts keeps the sides of a match.
const (
	paramGroups   = "groups"
	paramLines    = "lines"
	paramDebits   = "debits"
	paramExpected = "expected"
	paramAccepted = "accepted"
)

// ListParameters are the sides as the log of acts keeps them.
func (s *Sides) ListParameters() map[string]string {
	p := map[string]string{
		paramGroups: strings.Join(s.Groups, "\n"), paramLines: strings.Join(s.Lines, "\n"), paramExpected: s.Expected.String(),
	}
	if len(s.DebitKeys) > 0 {
		p[paramDebits] = strings.Join(s.DebitKeys, "\n")
	}
	if d := s.Difference(); d != 0 {
		p[paramAccepted] = d.String()
	}
	return p
}

// NameMatch names a match of a bank account by its sides, in order.
func NameMatch(id string, groups, lines []string) string {
	all := slices.Concat([]string{id}, slices.Sorted(slices.Values(lines)), slices.Sorted(slices.Values(groups)))
	sum := sha256.Sum256([]byte(strings.Join(all, "\n")))
	return hex.EncodeToString(sum[:8])
}

// MatchSubject is under what the log of acts has a match of a bank account.
func MatchSubject(home ledger.Account, id, name string) string {
	return ledger.Subject("match", home, id, name)
}

// Decision is what a person decided last about a match.
type Decision struct {
	Match   string
	Joined  bool // else it was taken apart
	Number  int64
	Run     string // the last that had reconciled the home before
	pairing match.Pairing
}

// Decisions are what people decided last about the matches of a bank account, in the order in which they did.
func Decisions(home ledger.Account, id string, acts []ledger.Act) ([]Decision, error) {
	last := map[string]Decision{}
	for i := range acts {
		a := &acts[i]
		s, ok := ledger.ParseSubject(a.Subject)
		if !ok || s.Kind != "match" || len(s.Parts) != 2 || s.Parts[0] != id || a.Account != home || a.Stage != ledger.Done {
			continue
		}
		d := Decision{Match: s.Parts[1], Joined: a.Verb == ledger.MatchDeposit, Number: a.Number, Run: a.Run}
		var err error
		if d.pairing, err = readPairing(d.Match, a.Parameters); err != nil {
			return nil, fmt.Errorf("act %d of account %s: its parameters: %w", a.Number, a.Account, err)
		}
		last[d.Match] = d
	}
	out := make([]Decision, 0, len(last))
	for _, d := range last {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b Decision) int { return cmp.Compare(a.Number, b.Number) })
	return out, nil
}

func readPairing(name, parameters string) (p match.Pairing, err error) {
	var kept map[string]string
	if err := json.Unmarshal([]byte(parameters), &kept); err != nil {
		return p, err
	}
	split := func(name string) []string {
		return strings.FieldsFunc(kept[name], func(r rune) bool { return r == '\n' })
	}
	p = match.Pairing{Name: name, Groups: split(paramGroups), Lines: split(paramLines), Debits: split(paramDebits)}
	if p.Expected, err = ledger.ParseAmount(kept[paramExpected]); err == nil && kept[paramAccepted] != "" {
		p.Difference, err = ledger.ParseAmount(kept[paramAccepted])
	}
	return p, err
}

// Shares reports whether two decisions that join have a side in common.
func (d *Decision) Shares(s *Sides) bool {
	has := func(all []string) func(string) bool {
		return func(one string) bool { return slices.Contains(all, one) }
	}
	return slices.ContainsFunc(s.Groups, has(d.pairing.Groups)) || slices.ContainsFunc(s.Lines, has(d.pairing.Lines)) ||
		slices.ContainsFunc(s.DebitKeys, has(d.pairing.Debits))
}

// foreignLine is a line of no payer.
type foreignLine struct {
	match.Line
	text string
}

// AddDecisions takes what people decided. It comes before any line.
func (c *Conciliation) AddDecisions(all []Decision) {
	c.decisions, c.namedDays = all, map[ledger.Date]bool{}
	for i := range all {
		for _, subject := range all[i].pairing.Lines {
			if s, ok := ledger.ParseSubject(subject); ok && len(s.Parts) > 1 {
				if day, err := ledger.ParseDate(s.Parts[1]); err == nil {
					c.namedDays[day] = true
				}
			}
		}
	}
}

// addForeign keeps a line of no payer that a person may have matched, or may want to.
func (c *Conciliation) addForeign(l *banking.Line) {
	if !c.KeepsForeign && !c.namedDays[l.Day] {
		return
	}
	if c.foreign == nil {
		c.foreign = map[string]foreignLine{}
	}
	key := c.numberSubject(banking.LineSubject(c.Home, c.Account.ID, &l.Row))
	c.foreign[key] = foreignLine{match.Line{Key: key, Day: l.Day, Amount: l.Amount, Foreign: true}, l.Text}
}

// placeDecisions gives what people decided to the payer whose groups it is about. What is about none is void.
func (c *Conciliation) placeDecisions() {
	for i := range c.decisions {
		d := &c.decisions[i]
		p, keys := d.pairing, make([]string, len(d.pairing.Groups))
		at := -1
		for n, subject := range p.Groups {
			payer, key, ok := c.groupKeyOf(subject)
			of := slices.IndexFunc(c.Account.Payers, func(x Payer) bool { return x.Name == payer })
			if !ok || of < 0 || n > 0 && of != at {
				at = -1
				break
			}
			at, keys[n] = of, key
		}
		if at < 0 {
			if d.Joined {
				c.Voided = append(c.Voided, d.Match)
			}
			continue
		}
		p.Groups = keys
		b := &c.payers[at]
		if !d.Joined {
			b.in.Barred = append(b.in.Barred, p)
			continue
		}
		b.in.Given = append(b.in.Given, p)
		for _, key := range p.Lines {
			if f, foreign := c.foreign[key]; foreign {
				b.in.Lines, b.texts[key] = append(b.in.Lines, f.Line), f.text
			}
		}
	}
}

// groupKeyOf is the payer of a group's subject, and the key that the group has within it.
func (g *Grouping) groupKeyOf(subject string) (payer, key string, ok bool) {
	rest, ok := strings.CutPrefix(subject, ledger.Subject("group", g.Home, g.Account.ID)+":")
	day, rest, more := strings.Cut(rest, ":")
	payer, rest, finer := strings.Cut(rest, ":")
	if finer {
		day += ":" + rest
	}
	return payer, day, ok && more
}
