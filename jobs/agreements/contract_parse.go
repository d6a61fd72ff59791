package agreements

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"concilia/store/ledger"
)

// Bounds of what a contract may say. They catch a slipped point, not a bad bargain.
const (
	fullPercent ledger.Rate   = 100 * ledger.RateScale
	maxYearPct  ledger.Rate   = 1000 * ledger.RateScale
	maxFee      ledger.Amount = 1000 * ledger.Real
	leastShare  ledger.Rate   = 1
	maxUntil                  = 400 // days before a due date
	maxAccount                = 999_999_999_999_999
)

// NoContracts is used if no contract file is configured.
func NoContracts() *Contracts { return newContracts(nil) }

// ParseContracts reads a contract file. name is what its problems call it; the error is a problem.List.
func ParseContracts(name string, data []byte) (*Contracts, error) {
	p := contractParser{form: form{file: name}}
	root, ok := p.open(data)
	if ok {
		if !p.mapping(root, field{"contracts", p.contracts})["contracts"] {
			p.missing(root, "contracts", "a list of contracts")
		}
	} else if len(p.problems) == 0 {
		p.missing(value{}, "contracts", "a list of contracts")
	}
	p.overlaps()
	if err := p.problems.Err(); err != nil {
		return nil, err
	}
	all := make([]Contract, len(p.parsed))
	for i := range p.parsed {
		all[i] = p.parsed[i].Contract
	}
	return newContracts(all), nil
}

func newContracts(all []Contract) *Contracts {
	slices.SortFunc(all, func(a, b Contract) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.ValidFrom, b.ValidFrom))
	})
	c := &Contracts{all: all, byAccount: map[ledger.Account][]*Contract{}}
	for i := range all {
		k := &all[i]
		for j := range k.Lines {
			l := &k.Lines[j]
			l.FeeBasis, l.Band = k.FeeBasis, l.band.String()
			l.ID = fmt.Sprintf("%s/%s/%s/%s/%s", k.Account, k.ValidFrom, l.Brand, l.Product, l.Band)
		}
		c.byAccount[k.Account] = append(c.byAccount[k.Account], k)
	}
	c.text = contractText(all)
	c.hash = hashOf(c.text)
	return c
}

type contractParser struct {
	form
	parsed []parsedContract
}

type parsedContract struct {
	Contract
	at value
}

func (p *contractParser) contracts(v value) {
	p.list(v, "of contracts", func(_ int, element value) { p.contract(element) })
}

func (p *contractParser) contract(v value) {
	k := Contract{FeeBasis: PerInstallment, Slip: defaultSlip()}
	var lines []value
	has := p.mapping(v,
		field{"account", func(v value) { k.Account = ledger.Account(p.whole(v, 1, maxAccount, "an account number")) }},
		field{"valid_from", func(v value) { k.ValidFrom = p.day(v) }},
		field{"valid_to", func(v value) { k.ValidTo = p.day(v) }},
		field{"fee_basis", choose(&p.form, &k.FeeBasis, PerInstallment, PerSale)},
		field{"rates", func(v value) {
			p.list(v, "of rate lines", func(_ int, element value) {
				k.Lines = append(k.Lines, p.line(element))
				lines = append(lines, element)
			})
		}},
		field{"settlement", func(v value) {
			p.mapping(v,
				field{"credit", p.optTerm(&k.Settlement.Credit)},
				field{"debit", p.optTerm(&k.Settlement.Debit)},
				field{"voucher", p.optTerm(&k.Settlement.Voucher)})
		}},
		field{"slip", func(v value) { p.slip(v, &k.Slip) }},
		field{"splits", func(v value) { k.Splits = p.splits(v) }},
		field{"cdi_year_pct", func(v value) { k.CDIYearPct = ledger.Some(p.rate(v, 0, maxYearPct)) }},
	)
	if resolve(v.node).Kind != yaml.MappingNode {
		return
	}
	for _, key := range []struct{ key, want string }{
		{"account", "the number of an account"}, {"valid_from", "the first sale date it holds for"},
	} {
		if !has[key.key] {
			p.missing(v, key.key, key.want)
		}
	}
	if k.ValidTo != 0 && k.ValidTo < k.ValidFrom {
		p.add(value{v.node, join(v.path, "valid_to")}, k.ValidTo.String(), "no earlier than valid_from, "+k.ValidFrom.String())
	}
	p.hidden(k.Lines, lines)
	p.parsed = append(p.parsed, parsedContract{k, v})
}

func (p *contractParser) line(v value) Line {
	l := Line{Brand: Any, Product: Any}
	has := p.mapping(v,
		field{"brand", func(v value) { l.Brand = p.brand(v) }},
		field{"product", choose(&p.form, &l.Product, ledger.Credit, ledger.Debit, ledger.Voucher, Any)},
		field{"installments", func(v value) {
			if text, ok := p.text(v, bandWant); ok {
				if l.band, ok = parseBand(text); !ok {
					p.wrong(v, bandWant)
				}
			}
		}},
		field{"mdr", func(v value) { l.MDR = p.rate(v, 0, fullPercent) }},
		field{"transaction_fee", func(v value) { l.TransactionFee = ledger.Some(p.amount(v, maxFee)) }},
		field{"antifraud_fee", func(v value) { l.AntifraudFee = ledger.Some(p.amount(v, maxFee)) }},
		field{"anticipation", func(v value) { l.Anticipation = ledger.Some(p.rate(v, 0, fullPercent)) }},
	)
	if !has["mdr"] && resolve(v.node).Kind == yaml.MappingNode {
		p.missing(v, "mdr", "the rate in percent, such as 2.34")
	}
	return l
}

func (p *contractParser) brand(v value) string {
	const want = `a card brand, such as visa, or "*" for all`
	text, ok := p.text(v, want)
	if !ok || text == Any {
		return Any
	}
	name, ok := brandName(text)
	if !ok {
		p.wrong(v, want)
	}
	return name
}

// hidden reports lines that can never be the first match.
func (p *contractParser) hidden(lines []Line, at []value) {
	for i := range lines {
		for j := range i {
			a, b := &lines[j], &lines[i]
			if (a.Brand == Any || a.Brand == b.Brand) && (a.Product == Any || a.Product == b.Product) && a.band.covers(b.band) {
				p.add(at[i], "", fmt.Sprintf("never reached, since the first match wins and line %d covers it: put it earlier, or drop it", at[j].node.Line))
				break
			}
		}
	}
}

func (p *contractParser) term(v value) Term {
	text, ok := p.text(v, termWant)
	if !ok {
		return Term{}
	}
	t, err := ParseTerm(text)
	if err != nil {
		p.wrong(v, termWant)
	}
	return t
}

func (p *contractParser) optTerm(dst *ledger.Opt[Term]) func(value) {
	return func(v value) { *dst = ledger.Some(p.term(v)) }
}

func (p *contractParser) slip(v value, s *Slip) {
	p.mapping(v,
		field{"tariff", func(v value) { s.Tariff = ledger.Some(p.amount(v, maxFee)) }},
		field{"credit", func(v value) { s.Credit = p.term(v) }},
		field{"discount", func(v value) {
			p.mapping(v,
				field{"pct", func(v value) { s.Discount.Pct = p.rate(v, 0, fullPercent) }},
				field{"until_days", func(v value) { s.Discount.UntilDays = int(p.whole(v, 0, maxUntil, "a number of days")) }})
		}})
}

// document matches a CPF or a CNPJ without punctuation. Check digits are not demanded: what counts is that it is
// spelled as the service spells it.
var document = regexp.MustCompile(`^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$`)

func (p *contractParser) splits(v value) []Split {
	var splits []Split
	seen := map[string]bool{}
	var sum ledger.Rate
	p.list(v, "of beneficiaries", func(_ int, element value) {
		var s Split
		has := p.mapping(element,
			field{"beneficiary", func(v value) {
				const want = "a CPF of 11 or a CNPJ of 14 characters without punctuation"
				text, ok := p.text(v, want)
				s.Beneficiary = strings.ToUpper(text)
				switch {
				case ok && !document.MatchString(s.Beneficiary):
					p.add(v, "", want+" (it may be a person's, so it is not shown)")
				case ok && seen[s.Beneficiary]:
					p.add(v, "", "named before in this contract: keep one")
				}
				seen[s.Beneficiary] = true
			}},
			field{"pct", func(v value) { s.Pct = p.rate(v, leastShare, fullPercent) }})
		for _, key := range []string{"beneficiary", "pct"} {
			if !has[key] && resolve(element.node).Kind == yaml.MappingNode {
				p.missing(element, key, "a split names who and how many percent")
			}
		}
		splits = append(splits, s)
		if sum <= fullPercent {
			sum += s.Pct
		}
	})
	if sum > fullPercent {
		p.add(v, "", "the shares add up to more than 100 percent")
	}
	return splits
}

// overlaps reports contracts of one account that hold on the same day.
func (p *contractParser) overlaps() {
	last := map[ledger.Account]*parsedContract{}
	sorted := slices.Clone(p.parsed)
	slices.SortStableFunc(sorted, func(a, b parsedContract) int { return cmp.Compare(a.ValidFrom, b.ValidFrom) })
	for i := range sorted {
		k := &sorted[i]
		if k.Account == 0 || k.ValidFrom == 0 {
			continue
		}
		before := last[k.Account]
		if before != nil && before.holds(k.ValidFrom) {
			p.add(value{k.at.node, join(k.at.path, "valid_from")}, k.ValidFrom.String(), fmt.Sprintf(
				"account %s has a contract on that day already, on line %d: give that one a valid_to before it", k.Account, before.at.node.Line))
		}
		if before == nil || before.ValidTo != 0 && (k.ValidTo == 0 || k.ValidTo > before.ValidTo) {
			last[k.Account] = k
		}
	}
}
