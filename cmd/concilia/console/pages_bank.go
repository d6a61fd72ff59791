package console

import (
	"slices"

	"concilia/cmd/concilia/view/bankview"
	"concilia/store/ledger"
)

func bankRoutes() []route {
	return []route{
		{pattern: "GET /bank", page: "bank", do: showBanks, banks: true, menu: "desk.bank_menu"},
		{pattern: "GET /bank/{id}", page: "bank", do: showBanks, banks: true},
		{pattern: "GET /bank/{id}/{subject}", page: "bankitem", do: showBankItem, banks: true, under: "bank"},
		{pattern: "POST /bank/{id}/act", page: "bankact", do: actOnDeposit, needs: Actor, banks: true, under: "bank"},
	}
}

// bankPage is what the service says it credited, held against the banks' statements.
type bankPage struct {
	chosen
	ID       string // of the only bank account shown; empty: all
	Banks    bankview.BankConciliations
	Rows     []bankview.BankRow // latest first
	All      int                // how many rows there are
	Status   string
	Statuses []string
}

// bankRowsShown is how many rows the page shows at most.
const bankRowsShown = 300

func showBanks(v *visit) error {
	f := newFields(v.r.URL.Query(), v.lang)
	page := &bankPage{ID: v.r.PathValue("id"), Status: f.text("status"), Statuses: bankview.BankStatuses()}
	f.choice("status", page.Statuses)
	var accounts []ledger.Account
	var err error
	if page.chosen, accounts, err = v.finishFields(f); err != nil {
		return err
	}
	if page.Banks, err = v.c.Source.Banks(v.r.Context(), accounts, page.ID); err != nil {
		return err
	}
	for _, r := range page.Banks.Rows() {
		// What came as it should is shown on request.
		if page.Status == "" && !r.IsCredited() || page.Status == string(r.Status) {
			page.Rows = append(page.Rows, r)
		}
	}
	slices.SortStableFunc(page.Rows, func(a, b bankview.BankRow) int { return int(b.BankDate - a.BankDate) })
	page.All = len(page.Rows)
	page.Rows = page.Rows[:min(page.All, bankRowsShown)]
	return v.render("bank", v.text("desk.bank"), page)
}

func showBankItem(v *visit) error {
	item, err := v.c.Source.BankItem(v.r.Context(), v.accounts(), v.r.PathValue("id"), v.r.PathValue("subject"))
	if err != nil {
		return err
	}
	item.Did = v.didNotice()
	return v.render("bankitem", v.text("desk.bank"), item)
}
