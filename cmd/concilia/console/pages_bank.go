package console

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"

	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/view/bankview"
	"concilia/cmd/concilia/view/caseview"
	"concilia/store/ledger"
)

// BankSource answers about bank accounts.
type BankSource interface {
	// Banks are the bank accounts with what the service says it credited held against their statements, as of the last night, or the one
	// with that id; none before it. BankItem is one of their rows by the name that BankRow.Name gives.
	Banks(ctx context.Context, accounts []ledger.Account, id string) (bankview.BankConciliations, error)
	BankItem(ctx context.Context, accounts []ledger.Account, id, name string) (*BankItem, error)
	// ProvenAtBanks are the bank accounts with how much of what came was proven when the last night ended, without rows.
	ProvenAtBanks(ctx context.Context, accounts []ledger.Account) (bankview.BankConciliations, error)
	// BankDays are the days of that bank account within a period, as its statements show them.
	BankDays(ctx context.Context, accounts []ledger.Account, id string, days ledger.Period) ([]bankview.BankDay, error)
	// BankCases are the cases about their rows that are not over, by subject.
	BankCases(ctx context.Context, accounts []ledger.Account, lang string) (map[string]caseview.CaseRow, error)
	// ActOnDeposit joins both sides of a match or takes them apart, or shows what that would come to.
	ActOnDeposit(ctx context.Context, accounts []ledger.Account, act *DepositAct) (*bankview.BankAct, error)
}

func bankRoutes() []route {
	return []route{
		{pattern: "GET /bank", page: "bank", do: showBanks, banks: true, menu: "desk.bank_menu"},
		{pattern: "GET /bank/{id}", page: "bank", do: showBanks, banks: true},
		{pattern: "GET /bank/{id}/{subject}", page: "bankitem", do: showBankItem, banks: true, under: "bank"},
		{pattern: "POST /bank/{id}/act", page: "bankact", do: actOnDeposit, needs: people.Actor, banks: true, under: "bank"},
	}
}

// bankPage is what the service says it credited, held against the banks' statements.
type bankPage struct {
	chosen
	Query    url.Values
	Wrong    map[string]string
	ID       string // of the only bank account shown; empty: all
	Banks    bankview.BankConciliations
	Rows     []bankview.BankRow // what does not agree, largest first; else latest first
	Cases    map[string]caseview.CaseRow
	All      int // how many rows there are
	Status   string
	Statuses []string
	Payer    string
	Payers   []string           // of the rows; one needs no choice
	Days     []bankview.BankDay // of the only bank account, latest first
}

// DaysShown are those days that the page shows.
func (p *bankPage) DaysShown() []bankview.BankDay { return p.Days[:min(len(p.Days), bankDaysShown)] }

// The most rows and days that the page shows.
const (
	bankRowsShown = 300
	bankDaysShown = 92
)

func showBanks(v *visit) error {
	query := v.r.URL.Query()
	f := newFields(query, v.lang)
	page := &bankPage{
		Query: query, Wrong: f.wrong, ID: v.r.PathValue("id"), Status: f.text("status"), Statuses: bankview.BankStatuses(), Payer: f.text("payer"),
	}
	f.choice("status", page.Statuses)
	days := ledger.Period{From: f.day("from"), To: f.day("to")}
	if days.To != 0 && days.To < days.From {
		f.refuse("to", "desk.before_from")
	}
	var accounts []ledger.Account
	var err error
	if page.chosen, accounts, err = readChosen(v, f); err != nil {
		return err
	}
	if len(f.wrong) > 0 {
		return v.renderAs(http.StatusBadRequest, "bank", v.text("desk.bank"), page)
	}
	if page.Banks, err = v.source.Banks(v.r.Context(), accounts, page.ID); err != nil {
		return err
	}
	if page.Cases, err = v.source.BankCases(v.r.Context(), accounts, v.lang); err != nil {
		return err
	}
	page.chooseRows(days)
	title := v.text("desk.bank")
	if page.ID != "" {
		title = page.ID
		if page.Days, err = v.source.BankDays(v.r.Context(), v.accounts(), page.ID, days); err != nil {
			return err
		}
		slices.Reverse(page.Days)
	}
	return v.render("bank", title, page)
}

// chooseRows takes the rows that were asked for. Without a state those are what does not agree: the rest is shown on request.
func (p *bankPage) chooseRows(days ledger.Period) {
	for _, r := range p.Banks.Rows() {
		if !slices.Contains(p.Payers, r.Payer) {
			p.Payers = append(p.Payers, r.Payer)
		}
		switch {
		case p.Payer != "" && p.Payer != r.Payer, r.BankDate < days.From, days.To != 0 && r.BankDate > days.To:
		case p.Status == "" && !r.IsCredited(), p.Status == string(r.Status):
			p.Rows = append(p.Rows, r)
		}
	}
	slices.SortStableFunc(p.Rows, func(a, b bankview.BankRow) int {
		latest := int(b.BankDate - a.BankDate)
		if p.Status != "" {
			return latest
		}
		return cmp.Or(cmp.Compare(ledger.Amount(b.Difference).Abs(), ledger.Amount(a.Difference).Abs()), latest)
	})
	p.All = len(p.Rows)
	p.Rows = p.Rows[:min(p.All, bankRowsShown)]
}

// CaseOf is the case about a row; nil: it has none.
func (p *bankPage) CaseOf(r bankview.BankRow) *caseview.CaseRow { return findBankCase(p.Cases, &r) }

func findBankCase(cases map[string]caseview.CaseRow, r *bankview.BankRow) *caseview.CaseRow {
	for _, s := range r.Subjects {
		if c, ok := cases[s]; ok {
			return &c
		}
	}
	return nil
}

func showBankItem(v *visit) error { return renderBankItem(v, v.r.PathValue("subject"), "") }

// renderBankItem shows a row of a bank account. wrong is what is wrong with what was chosen of the other side; empty: nothing was sent.
func renderBankItem(v *visit, name, wrong string) error {
	item, err := v.source.BankItem(v.r.Context(), v.accounts(), v.r.PathValue("id"), name)
	if err != nil {
		return err
	}
	cases, err := v.source.BankCases(v.r.Context(), v.accounts(), v.lang)
	if err != nil {
		return err
	}
	for _, subject := range item.Subjects {
		if c, ok := cases[subject]; ok {
			item.Cases = append(item.Cases, c)
		}
	}
	item.Did, item.Wrong = spellDone(v), wrong
	code := http.StatusOK
	if wrong != "" {
		code = http.StatusBadRequest
	}
	return v.renderAs(code, "bankitem", item.Bank+" "+spellDay(item.BankDate, v.lang), item)
}
