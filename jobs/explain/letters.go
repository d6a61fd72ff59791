package explain

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"concilia/export/letter"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/sales"
)

// Holder is whose account it is, as its letters say, and where they go.
type Holder struct {
	Name, Document, Bank string
	ClaimsTo             []string // address lines of the service's claims desk
}

// MaxLetterCases is the most cases that letters are written about at once.
const MaxLetterCases = 500

// IsClaimable says whether a case belongs into a letter that chooses by itself: something is missing by it that the service or the
// contract answers for.
func IsClaimable(f *ledger.Finding) bool {
	owner := catalogue.OwnerKey(f)
	return f.Impact.V > 0 && (owner == "service" || owner == "contract")
}

// LetterStates are the states of cases that a letter chooses by itself.
func LetterStates() []ledger.State {
	return []ledger.State{ledger.Opened, ledger.Reopened, ledger.Acknowledged}
}

// WriteLetters makes a letter for each account that has cases of the filter, by number; named cases are taken as they are, and others
// only where they can be claimed. Nothing to claim is a *RequestError.
func (x *Explainer) WriteLetters(ctx context.Context, filter caselog.FindingFilter, holders map[ledger.Account]Holder, lang string) ([]*letter.Letter, error) {
	named := len(filter.Cases) > 0
	if !named && len(filter.States) == 0 {
		filter.States = LetterStates()
	}
	filter.Order = caselog.ByImpact
	byAccount := map[ledger.Account][]ledger.Finding{}
	count := 0
	err := x.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		if f.Impact.V > 0 && (named || IsClaimable(f)) {
			byAccount[f.Account] = append(byAccount[f.Account], *f)
			count++
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case count == 0:
		return nil, casework.NewRequestError("error.nothing_to_claim", "hint.cases_shown")
	case count > MaxLetterCases:
		return nil, RefuseLetter(count)
	}
	var out []*letter.Letter
	for account, found := range byAccount {
		l, err := x.writeLetter(ctx, account, found, holders[account], lang)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b *letter.Letter) int { return cmp.Compare(a.Account, b.Account) })
	return out, nil
}

// writeLetter makes the letter of an account.
func (x *Explainer) writeLetter(ctx context.Context, account ledger.Account, found []ledger.Finding, holder Holder, lang string) (*letter.Letter, error) {
	e := &itemExplanation{
		explanation: &explanation{Explainer: x, finding: &ledger.Finding{Account: account}, voice: catalogue.Voice{Language: lang, Service: x.Service}, page: &CasePage{}},
		item:        &ItemPage{Account: account},
	}
	env, err := e.newEnv(ctx)
	if err != nil {
		return nil, err
	}
	out := &letter.Letter{
		Language: lang, Account: account, Name: holder.Name, Document: holder.Document, Bank: holder.Bank, Service: x.Service, To: holder.ClaimsTo, AsOf: env.AsOf,
		Protocol: found[0].Reference,
	}
	records, err := e.readLetterRecords(ctx, found)
	if err != nil {
		return nil, err
	}
	causes := map[string]int{}
	for i := range found {
		f := &found[i]
		if f.Reference != out.Protocol {
			out.Protocol = ""
		}
		item, err := e.letterItem(ctx, env, records, f)
		if err != nil {
			return nil, err
		}
		at, known := causes[f.Code]
		if !known {
			at, causes[f.Code] = len(out.Causes), len(out.Causes)
			out.Causes = append(out.Causes, letter.Cause{Title: catalogue.Title(f.Code, lang)})
		}
		out.Causes[at].Items = append(out.Causes[at].Items, item)
	}
	return out, nil
}

// letterRecords are the sales and slips that the cases of a letter are about.
type letterRecords struct {
	sales map[ledger.SaleKey]*ledger.Sale
	slips map[string]*ledger.Slip // by id
}

// readLetterRecords reads them for all cases of the account at once.
func (e *itemExplanation) readLetterRecords(ctx context.Context, found []ledger.Finding) (*letterRecords, error) {
	out := &letterRecords{map[ledger.SaleKey]*ledger.Sale{}, map[string]*ledger.Slip{}}
	named := map[ledger.Date][]ledger.ScopeSale{}
	var slips []string
	for i := range found {
		parsed, ok := ledger.ParseSubject(found[i].Subject)
		if !ok {
			continue
		}
		if key, _, ofSale := parsed.SaleKey(); ofSale {
			named[key.Day] = append(named[key.Day], ledger.ScopeSale{NSU: key.NSU, Auth: key.Auth})
		} else if parsed.Kind == "slip" && len(parsed.Parts) == 1 {
			slips = append(slips, parsed.Parts[0])
		}
	}
	if len(named) > 0 {
		scope := &ledger.Scope{}
		for _, day := range slices.Sorted(maps.Keys(named)) {
			sales := named[day]
			slices.SortFunc(sales, func(a, b ledger.ScopeSale) int {
				return cmp.Or(cmp.Compare(a.NSU, b.NSU), cmp.Compare(a.Auth, b.Auth))
			})
			scope.Days = append(scope.Days, ledger.ScopeDay{Day: day, Sales: slices.Compact(sales)})
		}
		err := e.Ledger.SalesInScope(ctx, e.finding.Account, scope, func(s *ledger.Sale) error {
			if len(s.Rows) > 0 {
				out.sales[s.Key] = s
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(slips)
	return out, e.Ledger.SlipsInScope(ctx, e.finding.Account, &ledger.Scope{Slips: slices.Compact(slips)}, func(s *ledger.Slip) error {
		out.slips[s.ID] = s
		return nil
	})
}

// letterItem is a case as a letter describes it.
func (e *itemExplanation) letterItem(ctx context.Context, env *rules.Env, records *letterRecords, f *ledger.Finding) (letter.Item, error) {
	amount := func(v ledger.Value) ledger.Opt[ledger.Amount] {
		if v.Kind != ledger.AmountValue {
			return ledger.Opt[ledger.Amount]{}
		}
		return ledger.Some(v.Amount)
	}
	item := letter.Item{
		Case: f.Case, Code: f.Code, Sentence: e.voice.Explain(*f), DueOn: f.DueOn,
		Due: amount(f.Expected), Charged: amount(f.Actual), Difference: f.Impact.V.Rounded(ledger.HalfAwayFromZero),
	}
	var err error
	if item.Basis, err = e.letterBasis(ctx, f); err != nil {
		return item, err
	}
	parsed, ok := ledger.ParseSubject(f.Subject)
	if !ok {
		return item, nil
	}
	if key, number, ofSale := parsed.SaleKey(); ofSale {
		if s := records.sales[key]; s != nil {
			addSaleToItem(env, s, number, f.Code, &item)
		}
		return item, nil
	}
	switch {
	case parsed.Kind == "own" && len(parsed.Parts) == 3:
		return item, e.addPaymentToItem(ctx, &parsed, &item)
	case parsed.Kind == "month" && len(parsed.Parts) > 0: // the first day of a month is no day on which money was to come
		item.DueOn, item.Reference = 0, parsed.Parts[0]
		if first, err := ledger.ParseDate(parsed.Parts[0] + "-01"); err == nil && e.voice.Language == "pt-BR" {
			item.Reference = first.Brazilian()[len("01/"):]
		}
		return item, nil
	}
	if parsed.Kind != "slip" || len(parsed.Parts) != 1 {
		return item, nil
	}
	if s := records.slips[parsed.Parts[0]]; s != nil {
		item.OurNumber, item.Reference, item.SlipDue, item.PaidOn = s.OurNumber, s.ReferenceCode, s.Due, s.PaidOn
		if s.OurNumber == "" && s.ReferenceCode == "" {
			item.Reference = s.ID // by which the service knows it
		}
	}
	return item, nil
}

// letterBasis is what a case rests on: the line of the contract, the days that do not count, and the service's answers, as the page of
// the case has them.
func (e *itemExplanation) letterBasis(ctx context.Context, f *ledger.Finding) (letter.Basis, error) {
	of := &explanation{Explainer: e.Explainer, finding: f, voice: e.voice, page: &CasePage{}}
	for _, step := range []func(context.Context) error{of.addRecord, of.addContract, of.addDays, of.addEvidence} {
		if err := step(ctx); err != nil {
			return letter.Basis{}, err
		}
	}
	var b letter.Basis
	if k := of.page.Contract; k != nil {
		b.Contract, b.ValidFrom = k.Line, k.ValidFrom
		b.ValidTo, _ = ledger.ParseDate(k.ValidTo) // empty: without end
	}
	for _, d := range of.page.Days {
		if !d.Settles {
			b.Closed = append(b.Closed, letter.ClosedDay{Day: d.Day, Name: d.Name})
		}
	}
	for i := range of.page.Evidence {
		p := &of.page.Evidence[i]
		b.Answers = append(b.Answers, letter.Answer{On: ledger.DateOf(p.Began, cmp.Or(e.Zone, time.UTC)), SHA256: p.SHA256})
	}
	slices.SortFunc(b.Answers, func(a, b letter.Answer) int { return cmp.Or(cmp.Compare(a.On, b.On), cmp.Compare(a.SHA256, b.SHA256)) })
	b.Answers = slices.Compact(b.Answers)
	return b, nil
}

// addSaleToItem adds what identifies an installment at the service, and the agreed rate with the one in effect.
func addSaleToItem(env *rules.Env, s *ledger.Sale, number int, code string, item *letter.Item) {
	read := rules.NewSale(env, s.Key, s.Rows, s.Complete)
	first := read.Rows[0].Now
	item.SoldOn, item.NSU, item.Auth, item.Brand, item.Card = s.Key.Day, first.NSU, first.Auth, first.CardName, first.Card
	item.Gross = read.Total
	for _, r := range read.Rows {
		if r.Key.Number == number {
			item.Gross, item.Installment = ledger.Some(r.Gross), strconv.Itoa(number)+"/"+strconv.Itoa(max(read.Count, 1))
		}
	}
	step := map[string]string{
		"MDR_RATE_MISMATCH": StepMDR, "MDR_AMOUNT_MISMATCH": StepMDR, "ANTICIPATION_RATE_MISMATCH": StepAnticipation,
		"ANTICIPATION_AMOUNT_MISMATCH": StepAnticipation, "SPLIT_AMOUNT_MISMATCH": StepSplit,
	}[code]
	for _, c := range saleSteps(env, read, "en") {
		if c.Step == step && c.Installment == number {
			item.Contracted, item.Effective = optRate(c.ContractPct), optRate(c.ChargedPct)
			if !item.Due.OK {
				item.Due, item.Charged = optAmount(c.Due), optAmount(c.Charged)
			}
		}
	}
}

// addPaymentToItem adds what the service can look a store's payment up by: it knows no sale of that name.
func (e *itemExplanation) addPaymentToItem(ctx context.Context, s *ledger.ParsedSubject, item *letter.Item) error {
	versions, err := e.Ledger.OwnSaleVersions(ctx, sales.Shop{Home: s.Account, ID: s.Parts[0]}, s.Parts[1])
	for i := range versions { // the last one is in force
		if k := &versions[i]; strconv.Itoa(k.Number) == s.Parts[2] {
			item.SoldOn, item.NSU, item.Auth, item.Brand, item.Gross = k.Day(), k.NSU, k.Auth, k.Brand, ledger.Some(k.Amount)
			item.OurNumber, item.Reference = k.OurNumber, cmp.Or(k.Reference, k.Sale)
		}
	}
	return err
}

// optAmount is an amount as a step spells it; absent where it has none.
func optAmount(text string) ledger.Opt[ledger.Amount] {
	if a, err := ledger.ParseAmount(text); text != "" && err == nil {
		return ledger.Some(a)
	}
	return ledger.Opt[ledger.Amount]{}
}

// optRate is a rate as a step spells it; absent where it has none.
func optRate(text string) ledger.Opt[ledger.Rate] {
	if r, err := ledger.ParseRate(text); text != "" && err == nil {
		return ledger.Some(r)
	}
	return ledger.Opt[ledger.Rate]{}
}

// RefuseLetter is the refusal of a letter about more cases than MaxLetterCases.
func RefuseLetter(cases int) *casework.RequestError {
	return casework.NewObstacleError(words.Message{}, []casework.Obstacle{{Message: "letter", Values: []any{"n", cases, "most", MaxLetterCases}}}, words.NewMessage("hint.fewer_cases"))
}
