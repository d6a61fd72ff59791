package agreements

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"concilia/export/words"
	"concilia/store/ledger"
)

// Bounds of the values of a contract. They catch a misplaced decimal point, not an unfavourable agreement.
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
	p := contractParser{yamlReader: yamlReader{file: name}}
	root, ok := p.openDocument(data)
	if ok {
		if !p.readMapping(root, yamlField{"contracts", p.readContracts})["contracts"] {
			p.addMissing(root, "contracts", words.NewMessage("want.contracts"))
		}
	} else if len(p.problems) == 0 {
		p.addMissing(yamlValue{}, "contracts", words.NewMessage("want.contracts"))
	}
	p.reportOverlaps()
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
		contract := &all[i]
		for j := range contract.Lines {
			l := &contract.Lines[j]
			l.FeeBasis, l.Band = contract.FeeBasis, l.installments.String()
			l.ID = fmt.Sprintf("%s/%s/%s/%s/%s", contract.Account, contract.ValidFrom, l.Brand, l.Product, l.Band)
		}
		c.byAccount[contract.Account] = append(c.byAccount[contract.Account], contract)
	}
	c.text = contractText(all)
	c.hash = hashText(c.text)
	return c
}

type contractParser struct {
	yamlReader
	parsed []parsedContract
}

type parsedContract struct {
	Contract
	at yamlValue
}

func (p *contractParser) readContracts(v yamlValue) {
	p.readList(v, words.NewMessage("want.of_contracts"), func(_ int, element yamlValue) { p.readContract(element) })
}

func (p *contractParser) readContract(v yamlValue) {
	contract := Contract{FeeBasis: PerInstallment, Slip: defaultSlipTerms()}
	var lines []yamlValue
	has := p.readMapping(v,
		yamlField{"account", func(v yamlValue) {
			contract.Account = ledger.Account(p.readInteger(v, 1, maxAccount, words.NewMessage("want.an_account_number")))
		}},
		yamlField{"valid_from", func(v yamlValue) { contract.ValidFrom = p.readDate(v) }},
		yamlField{"valid_to", func(v yamlValue) { contract.ValidTo = p.readDate(v) }},
		yamlField{"fee_basis", choiceReader(&p.yamlReader, &contract.FeeBasis, PerInstallment, PerSale)},
		yamlField{"rates", func(v yamlValue) {
			p.readList(v, words.NewMessage("want.of_rates"), func(_ int, element yamlValue) {
				contract.Lines = append(contract.Lines, p.readRateLine(element))
				lines = append(lines, element)
			})
		}},
		yamlField{"settlement", func(v yamlValue) {
			p.readMapping(v,
				yamlField{"credit", p.optTermReader(&contract.Settlement.Credit)},
				yamlField{"debit", p.optTermReader(&contract.Settlement.Debit)},
				yamlField{"voucher", p.optTermReader(&contract.Settlement.Voucher)})
		}},
		yamlField{"slip", func(v yamlValue) { p.readSlipTerms(v, &contract.Slip) }},
		yamlField{"splits", func(v yamlValue) { contract.Splits = p.readSplits(v) }},
		yamlField{"rental", func(v yamlValue) { contract.Rental = ledger.Some(p.readAmount(v, maxFee)) }},
		yamlField{"cdi_year_pct", func(v yamlValue) { contract.CDIYearPct = ledger.Some(p.readRate(v, 0, maxYearPct)) }},
	)
	if resolveAlias(v.node).Kind != yaml.MappingNode {
		return
	}
	for _, key := range []struct{ key, want string }{
		{"account", "want.the_account_number"}, {"valid_from", "want.first_sale_date"},
	} {
		if !has[key.key] {
			p.addMissing(v, key.key, words.NewMessage(key.want))
		}
	}
	if contract.ValidTo != 0 && contract.ValidTo < contract.ValidFrom {
		p.addProblem(yamlValue{v.node, joinPath(v.path, "valid_to")}, contract.ValidTo.String(), words.NewMessage("want.after_valid_from", "from", contract.ValidFrom.String()))
	}
	p.reportUnreachableLines(contract.Lines, lines)
	p.parsed = append(p.parsed, parsedContract{contract, v})
}

func (p *contractParser) readRateLine(v yamlValue) RateLine {
	l := RateLine{Brand: Any, Product: Any}
	has := p.readMapping(v,
		yamlField{"brand", func(v yamlValue) { l.Brand = p.readBrand(v) }},
		yamlField{"product", choiceReader(&p.yamlReader, &l.Product, ledger.Credit, ledger.Debit, ledger.Voucher, Any)},
		yamlField{"installments", func(v yamlValue) {
			if text, ok := p.readText(v, words.NewMessage("want.installments")); ok {
				if l.installments, ok = parseInstallmentRange(text); !ok {
					p.addWrongValue(v, words.NewMessage("want.installments"))
				}
			}
		}},
		yamlField{"mdr", func(v yamlValue) { l.MDR = p.readRate(v, 0, fullPercent) }},
		yamlField{"transaction_fee", func(v yamlValue) { l.TransactionFee = ledger.Some(p.readAmount(v, maxFee)) }},
		yamlField{"antifraud_fee", func(v yamlValue) { l.AntifraudFee = ledger.Some(p.readAmount(v, maxFee)) }},
		yamlField{"anticipation", func(v yamlValue) { l.Anticipation = ledger.Some(p.readRate(v, 0, fullPercent)) }},
	)
	if !has["mdr"] && resolveAlias(v.node).Kind == yaml.MappingNode {
		p.addMissing(v, "mdr", words.NewMessage("want.mdr"))
	}
	return l
}

func (p *contractParser) readBrand(v yamlValue) string {
	want := words.NewMessage("want.brand")
	text, ok := p.readText(v, want)
	if !ok || text == Any {
		return Any
	}
	name, ok := canonicalBrand(text)
	if !ok {
		p.addWrongValue(v, want)
	}
	return name
}

// reportUnreachableLines reports rate lines that can never be the first match.
func (p *contractParser) reportUnreachableLines(lines []RateLine, at []yamlValue) {
	for i := range lines {
		for j := range i {
			a, b := &lines[j], &lines[i]
			if (a.Brand == Any || a.Brand == b.Brand) && (a.Product == Any || a.Product == b.Product) && a.installments.includesRange(b.installments) {
				p.addProblem(at[i], "", words.NewMessage("want.reachable", "line", at[j].node.Line))
				break
			}
		}
	}
}

func (p *contractParser) readTerm(v yamlValue) Term {
	text, ok := p.readText(v, words.NewMessage("want.term"))
	if !ok {
		return Term{}
	}
	t, err := ParseTerm(text)
	if err != nil {
		p.addWrongValue(v, words.NewMessage("want.term"))
	}
	return t
}

func (p *contractParser) optTermReader(dst *ledger.Opt[Term]) func(yamlValue) {
	return func(v yamlValue) { *dst = ledger.Some(p.readTerm(v)) }
}

func (p *contractParser) readSlipTerms(v yamlValue, s *SlipTerms) {
	p.readMapping(v,
		yamlField{"tariff", func(v yamlValue) { s.Tariff = ledger.Some(p.readAmount(v, maxFee)) }},
		yamlField{"credit", func(v yamlValue) { s.Credit = p.readTerm(v) }},
		yamlField{"discount", func(v yamlValue) {
			p.readMapping(v,
				yamlField{"pct", func(v yamlValue) { s.Discount.Pct = p.readRate(v, 0, fullPercent) }},
				yamlField{"until_days", func(v yamlValue) {
					s.Discount.UntilDays = int(p.readInteger(v, 0, maxUntil, words.NewMessage("want.days")))
				}})
		}})
}

// documentPattern matches a CPF or a CNPJ without punctuation. Check digits are not verified: the document only has to
// equal the service's text.
var documentPattern = regexp.MustCompile(`^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$`)

func (p *contractParser) readSplits(v yamlValue) []AgreedSplit {
	var splits []AgreedSplit
	seen := map[string]bool{}
	var sum ledger.Rate
	p.readList(v, words.NewMessage("want.of_beneficiaries"), func(_ int, element yamlValue) {
		var s AgreedSplit
		has := p.readMapping(element,
			yamlField{"beneficiary", func(v yamlValue) {
				want := words.NewMessage("want.document")
				text, ok := p.readText(v, want)
				s.Beneficiary = strings.ToUpper(text)
				switch {
				case ok && !documentPattern.MatchString(s.Beneficiary):
					p.addProblem(v, "", words.NewMessage("problem.hidden_person", "want", want))
				case ok && seen[s.Beneficiary]:
					p.addProblem(v, "", words.NewMessage("want.beneficiary_once"))
				}
				seen[s.Beneficiary] = true
			}},
			yamlField{"pct", func(v yamlValue) { s.Pct = p.readRate(v, leastShare, fullPercent) }})
		for _, key := range []string{"beneficiary", "pct"} {
			if !has[key] && resolveAlias(element.node).Kind == yaml.MappingNode {
				p.addMissing(element, key, words.NewMessage("want.split"))
			}
		}
		splits = append(splits, s)
		if sum <= fullPercent {
			sum += s.Pct
		}
	})
	if sum > fullPercent {
		p.addProblem(v, "", words.NewMessage("want.full_percent"))
	}
	return splits
}

// reportOverlaps reports contracts of one account that are valid on the same day.
func (p *contractParser) reportOverlaps() {
	last := map[ledger.Account]*parsedContract{}
	sorted := slices.Clone(p.parsed)
	slices.SortStableFunc(sorted, func(a, b parsedContract) int { return cmp.Compare(a.ValidFrom, b.ValidFrom) })
	for i := range sorted {
		contract := &sorted[i]
		if contract.Account == 0 || contract.ValidFrom == 0 {
			continue
		}
		before := last[contract.Account]
		if before != nil && before.isValidOn(contract.ValidFrom) {
			p.addProblem(yamlValue{contract.at.node, joinPath(contract.at.path, "valid_from")}, contract.ValidFrom.String(), words.NewMessage("want.no_overlap", "account", contract.Account, "line", before.at.node.Line))
		}
		if before == nil || before.ValidTo != 0 && (contract.ValidTo == 0 || contract.ValidTo > before.ValidTo) {
			last[contract.Account] = contract
		}
	}
}
