package explain

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"concilia/jobs/bank"
	"concilia/jobs/casework"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	storebank "concilia/store/bank"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/reports"
)

// ExplainItem gathers everything known about the sale or the slip of a subject: an installment's leads to its sale. A payment of a
// store comes with its status. An unknown subject is a *RequestError. It does not call the service and writes nothing.
func (x *Explainer) ExplainItem(ctx context.Context, subject, lang string) (*ItemPage, error) {
	parsed, ok := ledger.ParseSubject(subject)
	unknown := casework.NewRequestError("error.no_item", "hint.find_names", "subject", subject)
	if !ok {
		return nil, unknown
	}
	e := &itemExplanation{
		explanation: &explanation{Explainer: x, finding: &ledger.Finding{Account: parsed.Account}, voice: catalogue.Voice{Language: lang, Service: x.Service}, page: &CasePage{}},
		item: &ItemPage{
			Account: parsed.Account, AccountName: x.Names[parsed.Account], Language: lang, Notifications: []ItemNotification{}, Cases: []ItemCase{},
			Files: []ItemFile{}, // none of them is an empty list in JSON
		},
	}
	known, err := false, error(nil)
	if key, _, ofSale := parsed.SaleKey(); ofSale {
		known, err = e.addSale(ctx, key)
	} else if parsed.Kind == "slip" && len(parsed.Parts) == 1 {
		known, err = e.addSlip(ctx, parsed.Parts[0])
	} else if parsed.Kind == "own" && len(parsed.Parts) == 3 {
		known, err = e.addPayment(ctx, &parsed)
	}
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, unknown
	}
	if parsed.Kind != "own" {
		if err := e.addStores(ctx, e.item.Subject); err != nil {
			return nil, err
		}
	}
	if err := e.addEvidence(ctx); err != nil {
		return nil, err
	}
	e.item.Versions, e.item.Evidence = e.page.Versions, append([]PullEvidence{}, e.page.Evidence...)
	return e.item, nil
}

// itemExplanation is the explanation of a sale or slip in the making. Versions and evidence are gathered as for a case.
type itemExplanation struct {
	*explanation
	item *ItemPage
}

// newEnv is what the rules go by, as of the last reconcile of the account.
func (e *itemExplanation) newEnv(ctx context.Context) (*rules.Env, error) {
	asOf, err := e.Ledger.ReconciledAsOf(ctx, e.item.Account, "")
	if err != nil {
		return nil, err
	}
	return rules.NewEnv(catalogue.All(), rules.Options{
		Account: e.item.Account, AsOf: cmp.Or(asOf, e.Today), Contracts: e.Contracts, Mapping: e.Mapping, Profile: e.Profile,
		Calendar: e.Calendar(e.item.Account), Settings: e.Settings, Orders: e.Orders,
	})
}

// addSale adds the sale of a key. known: there is one.
func (e *itemExplanation) addSale(ctx context.Context, key ledger.SaleKey) (known bool, err error) {
	scope := &ledger.Scope{Days: []ledger.ScopeDay{{Day: key.Day, Sales: []ledger.ScopeSale{{NSU: key.NSU, Auth: key.Auth}}}}}
	var sale *ledger.Sale
	err = e.Ledger.SalesInScope(ctx, key.Account, scope, func(s *ledger.Sale) error {
		if len(s.Rows) > 0 && (sale == nil || s.Key.Occurrence == key.Occurrence) {
			sale = s
		}
		return nil
	})
	if err != nil || sale == nil {
		return false, err
	}
	env, err := e.newEnv(ctx)
	if err != nil {
		return false, err
	}
	e.item.Subject = sale.Key.Subject()
	read := rules.NewSale(env, sale.Key, sale.Rows, sale.Complete)
	e.item.Steps, e.item.Dates = saleSteps(env, read, e.voice.Language), saleDates(read)
	if err := e.addSaleHeader(ctx, read); err != nil {
		return false, err
	}
	if err := e.addCardVersions(ctx, sale.Key, 0); err != nil {
		return false, err
	}
	if err := e.addNotifications(ctx, sale.Key); err != nil {
		return false, err
	}
	if err := e.addCases(ctx, caselog.FindingFilter{Accounts: []ledger.Account{key.Account}, Sale: sale.Key}); err != nil {
		return false, err
	}
	for _, r := range read.Rows {
		err := e.addDeposit(ctx, r.Key.Number, func(g *bank.Grouping) string {
			if r.Now.Effective == 0 {
				return ""
			}
			return g.GroupOfInstallment(&banking.CreditedInstallment{
				Account: key.Account, Day: r.Now.Effective, Amount: r.Now.Received.Or(0), Brand: r.Now.CardName, Product: r.Now.CardType,
			})
		})
		if err != nil {
			return false, err
		}
	}
	return true, e.addFiles(ctx, []string{"installments", "splits"}, func(basis string, p ledger.Period) bool {
		return slices.ContainsFunc(read.Rows, func(r *rules.Row) bool {
			switch basis {
			case "operation":
				return p.Contains(sale.Key.Day)
			case "forecast":
				return r.Now.Forecast != 0 && p.Contains(r.Now.Forecast)
			case "credit":
				return r.Now.Effective != 0 && p.Contains(r.Now.Effective)
			}
			return false
		})
	})
}

// addSaleHeader adds what the sale is, by the names of the interface document, and the numbers of its titles.
func (e *itemExplanation) addSaleHeader(ctx context.Context, sale *rules.Sale) error {
	first := sale.Rows[0].Now
	var m memberList
	m.addText("transactionDate", first.SoldAt.String())
	m.addText("nsu", first.NSU)
	m.addText("codAuth", first.Auth)
	m.addText("cardName", first.CardName)
	m.addText("cardType", first.CardType)
	m.addText("cardNumber", first.Card)
	m.addText("terminal", first.Terminal)
	m.addText("transactionReference", first.Reference)
	m.addText("transactionPaymentIdWeb", first.WebPaymentID)
	m.addAmount("transactionTotalValue", sale.Total)
	m.addText("installmentsCount", strconv.Itoa(sale.Count))
	subjects := make([]string, len(sale.Rows))
	for i, r := range sale.Rows {
		subjects[i] = r.Subject()
	}
	numbers, err := e.Ledger.KnownTitleNumbers(ctx, e.item.Account, subjects)
	for _, subject := range subjects {
		m.addText("titleNumber", numbers[subject])
	}
	e.item.Header = m
	return err
}

// addSlip adds a slip. known: there is one.
func (e *itemExplanation) addSlip(ctx context.Context, id string) (known bool, err error) {
	var slip *ledger.Slip
	err = e.Ledger.SlipsInScope(ctx, e.item.Account, &ledger.Scope{Slips: []string{id}}, func(s *ledger.Slip) error {
		slip = s
		return nil
	})
	if err != nil || slip == nil {
		return false, err
	}
	env, err := e.newEnv(ctx)
	if err != nil {
		return false, err
	}
	e.item.Subject = ledger.SlipSubject(e.item.Account, id)
	read := rules.NewSlip(env, slip)
	e.item.Steps, e.item.Dates = slipSteps(read, e.voice.Language), slipDates(read)
	m := memberList{}
	m.addText("ourNumber", slip.OurNumber)
	m.addText("referenceCode", slip.ReferenceCode)
	m.addText("digitableLine", printedLine(read))
	m = append(m, slipMembers(&slip.SlipView)...)
	numbers, err := e.Ledger.KnownTitleNumbers(ctx, e.item.Account, []string{e.item.Subject})
	if err != nil {
		return false, err
	}
	m.addText("titleNumber", numbers[e.item.Subject])
	if e.ShowsPayers {
		m.addText("payerName", slip.PayerName)
		m.addText("payerDocument", slip.PayerDocument)
	} else {
		m.addText("payerDocument", ledger.MaskPayerDocument(slip.PayerDocument))
	}
	e.item.Header = m
	if err := e.addSlipVersions(ctx, id); err != nil {
		return false, err
	}
	if err := e.addCases(ctx, caselog.FindingFilter{Accounts: []ledger.Account{e.item.Account}, Slip: id}); err != nil {
		return false, err
	}
	err = e.addDeposit(ctx, 0, func(g *bank.Grouping) string {
		if slip.CreditedOn == 0 {
			return ""
		}
		return g.GroupOfSlip(&banking.CreditedSlip{Account: e.item.Account, ID: id, Day: slip.CreditedOn})
	})
	if err != nil {
		return false, err
	}
	return true, e.addFiles(ctx, []string{"slips"}, func(basis string, p ledger.Period) bool {
		d := reports.SlipDate(slip, basis)
		return d != 0 && p.Contains(d)
	})
}

// addDeposit adds in which deposit at the bank an installment or slip is; groupOf names its group in a bank account.
func (e *itemExplanation) addDeposit(ctx context.Context, installment int, groupOf func(*bank.Grouping) string) error {
	for i := range e.Banks {
		a := &e.Banks[i]
		if !slices.Contains(a.Accounts, e.item.Account) {
			continue
		}
		home, _, err := e.Ledger.HomeOf(ctx, a.ID, a.Accounts[0])
		if err != nil {
			return err
		}
		in := bank.NewGrouping(a, home, bank.Terms{Mapping: e.Mapping})
		group := groupOf(&in)
		if group == "" {
			continue
		}
		d, err := e.readDeposit(ctx, a, home, group)
		if err != nil {
			return err
		}
		if d != nil {
			d.Installment = installment
			e.item.Deposits = append(e.item.Deposits, *d)
		}
	}
	return nil
}

// readDeposit is the deposit of a bank account that has a group or line, and which statements its lines came from; nil: there is none.
func (e *explanation) readDeposit(ctx context.Context, a *bank.Account, home ledger.Account, part string) (*ItemDeposit, error) {
	at := storebank.Account{Home: home, ID: a.ID}
	d, err := e.Ledger.DepositOf(ctx, at, part)
	if err != nil || d == nil {
		return nil, err
	}
	lines, err := e.Ledger.LineOrigins(ctx, at, d.Name)
	out := &ItemDeposit{
		Bank: a.ID, Deposit: d.Name, Group: part, Day: d.Day, Status: d.Status, Expected: d.Expected.V.Fixed(2), Credited: d.Credited.V.Fixed(2),
		Lines: make([]ItemLine, len(lines)), Accounts: a.Accounts,
	}
	for i := range lines {
		l := &lines[i]
		out.Lines[i] = ItemLine{Line: l.Subject, Day: l.Day, Amount: l.Amount.Fixed(2), File: l.File, TakenAt: l.Taken.UTC(), SHA256: l.SHA256}
	}
	return out, err
}

// addDeposits adds the deposit that the case is about, if it is about one.
func (e *explanation) addDeposits(ctx context.Context) error {
	id := bank.OfSubject(e.finding.Subject)
	for i := range e.Banks {
		if a := &e.Banks[i]; a.ID == id {
			d, err := e.readDeposit(ctx, a, e.finding.Account, e.finding.Subject)
			if d != nil {
				e.page.Deposits = append(e.page.Deposits, *d)
			}
			return err
		}
	}
	return nil
}

// printedLine is the digitable line as it is printed; as the service sent it where no check digit holds.
func printedLine(s *rules.Slip) string {
	if line := s.Bar.DigitableLine(); line != "" {
		return line.Printed()
	}
	return s.DigitableLine
}

// addNotifications adds the notifications about the sale's installments.
func (e *itemExplanation) addNotifications(ctx context.Context, key ledger.SaleKey) error {
	all, err := e.Ledger.NotificationsOf(ctx, key.Account, key.Day)
	for i := range all {
		n := &all[i]
		if n.Target == nil || n.Target.NSU != key.NSU || n.Target.Auth != key.Auth {
			continue
		}
		e.item.Notifications = append(e.item.Notifications, ItemNotification{
			Installment: n.Target.Number, Moment: n.Moment.String(), ReceivedAt: n.ReceivedAt.UTC(), Type: n.Type, OldValue: n.OldValue, NewValue: n.NewValue,
		})
	}
	return err
}

// addCases adds the cases of the sale or slip, resolved and closed ones too.
func (e *itemExplanation) addCases(ctx context.Context, filter caselog.FindingFilter) error {
	filter.Order = caselog.ByImpact
	return e.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		e.item.Cases = append(e.item.Cases, ItemCase{f.Case, f.Code, string(f.State), amountText(f.Impact), e.voice.Explain(*f)})
		return nil
	})
}

// addFiles adds the published files of the last revisions whose period has the item, by the date of their basis.
func (e *itemExplanation) addFiles(ctx context.Context, kinds []string, has func(basis string, p ledger.Period) bool) error {
	sets, err := e.Ledger.PublishedSets(ctx, e.item.Account.String())
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, s := range sets {
		id := s.Basis + s.Period.String() + s.Filter
		if seen[id] || s.Filter != "" || !has(s.Basis, s.Period) {
			continue
		}
		seen[id] = true // sets come with their last revision first
		for _, f := range s.Files {
			table, _, _ := strings.Cut(path.Base(f.Path), "_") // a kind may have further tables, which do not hold the rows
			if f.RetiredOn == 0 && slices.Contains(kinds, table) {
				e.item.Files = append(e.item.Files, ItemFile{
					Path: f.Path, Kind: f.Kind, Basis: s.Basis, From: s.Period.From.String(), To: s.Period.To.String(), Revision: f.Revision, SHA256: f.SHA256,
				})
			}
		}
	}
	return nil
}
