package bank

import (
	"fmt"
	"slices"
	"strings"

	"concilia/jobs/bank/match"
)

// Named are the sides of a match as a person names them: each by its subject or a piece that no other has, debits by a piece of their
// key.
type Named struct{ Lines, Groups, Debits []string }

// NamingError is why what a person named is not found.
type NamingError struct{ Problems []string }

func (e *NamingError) Error() string { return strings.Join(e.Problems, "; ") }

// FindSides finds what a person names, with what it comes to. Lines may be of no payer, where they are kept. An error is a *NamingError.
func (m *Matched) FindSides(named Named) (*Sides, error) {
	groups, lines := map[string]match.Sums{}, map[string]match.Sums{}
	payerOf := map[string]*PayerResult{}
	for i := range m.Results {
		r := &m.Results[i]
		for n := range r.Groups {
			subject := m.GroupSubject(r.Payer, &r.Groups[n])
			groups[subject], payerOf[subject] = match.Sums{Expected: r.Groups[n].Amount}, r
		}
		for n := range r.Lines {
			lines[r.Lines[n].Key] = match.Sums{Credited: r.Lines[n].Amount}
		}
	}
	for key, l := range m.foreign {
		lines[key] = match.Sums{Credited: l.Amount}
	}
	found, out := &NamingError{}, &Sides{}
	out.Groups = found.chooseNamed("group", named.Groups, groups, &out.Sums)
	out.Lines = found.chooseNamed("line", named.Lines, lines, &out.Sums)
	if len(out.Groups) > 0 && len(out.Lines) > 0 {
		r := payerOf[out.Groups[0]]
		for _, g := range out.Groups {
			if payerOf[g] != r {
				found.Problems = append(found.Problems, "the groups are of several payers")
				break
			}
		}
		out.DebitKeys = found.chooseNamed("debit", named.Debits, m.usableDebits(r, out.Lines), &out.Sums)
	}
	if len(found.Problems) > 0 {
		return nil, found
	}
	return out, nil
}

// usableDebits are the debits of a payer that may come on the day of one of the lines, by key.
func (m *Matched) usableDebits(r *PayerResult, lines []string) map[string]match.Sums {
	out := map[string]match.Sums{}
	add := func(l *match.Line) {
		day := match.BankDay(m.Calendar, l.Day)
		for i := range r.Debits {
			if d := &r.Debits[i]; d.Usable.Contains(day) {
				out[d.Key] = match.Sums{Debits: d.Amount}
			}
		}
	}
	for i := range r.Lines {
		if slices.Contains(lines, r.Lines[i].Key) {
			add(&r.Lines[i])
		}
	}
	for key, l := range m.foreign {
		if slices.Contains(lines, key) {
			add(&l.Line)
		}
	}
	return out
}

// chooseNamed finds what is named among subjects, each once, and adds up what it comes to.
func (e *NamingError) chooseNamed(what string, named []string, all map[string]match.Sums, to *match.Sums) (out []string) {
	for _, piece := range named {
		var fits []string
		for subject := range all {
			if subject == piece {
				fits = []string{subject}
				break
			}
			if strings.Contains(subject, piece) {
				fits = append(fits, subject)
			}
		}
		switch {
		case len(fits) != 1:
			e.Problems = append(e.Problems, fmt.Sprintf("%d %ss have %.80q", len(fits), what, piece))
		case slices.Contains(out, fits[0]):
			e.Problems = append(e.Problems, fmt.Sprintf("%s %s is named twice", what, fits[0]))
		default:
			out = append(out, fits[0])
			s := all[fits[0]]
			to.Expected, to.Debits, to.Credited = to.Expected+s.Expected, to.Debits+s.Debits, to.Credited+s.Credited
		}
	}
	slices.Sort(out)
	return out
}

// FindMatch finds the sides of the match that a person names by a piece that no other has. An error is a *NamingError.
func (m *Matched) FindMatch(piece string) (*Sides, error) {
	var found []*Sides
	for i := range m.Results {
		r := &m.Results[i]
		for n := range r.Rows {
			row := &r.Rows[n]
			if !row.Matched {
				continue
			}
			s := m.sidesOf(r, row)
			if name := NameMatch(m.Account.ID, s.Groups, s.Lines); strings.Contains(name, piece) {
				if name == piece {
					return s, nil
				}
				found = append(found, s)
			}
		}
	}
	if len(found) != 1 {
		return nil, &NamingError{[]string{fmt.Sprintf("%d matches have %.40q", len(found), piece)}}
	}
	return found[0], nil
}

// sidesOf are the sides of a row.
func (m *Matched) sidesOf(r *PayerResult, row *match.Row) *Sides {
	s := &Sides{Sums: row.Sums}
	for _, i := range row.Groups {
		s.Groups = append(s.Groups, m.GroupSubject(r.Payer, &r.Groups[i]))
	}
	for _, i := range row.Lines {
		s.Lines = append(s.Lines, r.Lines[i].Key)
	}
	for _, i := range row.DebitsOf {
		s.DebitKeys = append(s.DebitKeys, r.Debits[i].Key)
	}
	slices.Sort(s.Groups)
	slices.Sort(s.Lines)
	slices.Sort(s.DebitKeys)
	return s
}
