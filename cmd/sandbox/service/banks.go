package service

import (
	"net/http"
	"slices"
	"strings"

	"concilia/cmd/sandbox/world"
)

// bankAccount is a bank account into which the service pays, with what is planted in its statements.
type bankAccount struct {
	ID           string          `json:"id"`
	Bank         string          `json:"bank"`
	Branch       string          `json:"branch"`
	Number       string          `json:"number"`
	Account      int64           `json:"account"`
	Accounts     []int64         `json:"accounts"`
	Grain        string          `json:"grain"`
	MonthlyDebit string          `json:"monthly_debit"`
	Planted      []world.Planted `json:"planted"`
}

// listBanks lists the bank accounts, and the differences that a worker must find in the statements of each as of the business clock.
func (c *controls) listBanks(rw http.ResponseWriter, _ *http.Request) {
	banks := c.world.Banks()
	planted := c.world.PlantedAtBanks()
	out := make([]bankAccount, len(banks))
	for i, b := range banks {
		out[i] = bankAccount{
			ID: b.ID, Bank: b.Bank, Branch: b.Branch, Number: b.Number, Account: b.Account, Accounts: b.Accounts, Grain: b.Grain, MonthlyDebit: b.Debit.Cents(),
			Planted: []world.Planted{},
		}
		for _, p := range planted {
			if p.Account == b.Account && c.world.IsPlanted() {
				out[i].Planted = append(out[i].Planted, p)
			}
		}
	}
	writeJSON(rw, http.StatusOK, out)
}

// statementFormats are those in which a bank makes statements, with the type of their bytes.
var statementFormats = []struct{ name, contentType string }{{"ofx", "application/x-ofx"}, {"cnab", "text/plain"}, {"csv", "text/csv"}}

// downloadStatement makes a bank account's statement of some days, as its bank would by the business clock: all days up to yesterday
// unless the request names others. No day that is not over is in it.
func (c *controls) downloadStatement(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var bad problems
	banks := c.world.Banks()
	at := slices.IndexFunc(banks, func(b world.BankAccount) bool { return b.ID == r.PathValue("bank") })
	if at < 0 {
		bad.add("bank", "GET /sandbox/banks lists those there are")
	}
	form := slices.IndexFunc(statementFormats, func(f struct{ name, contentType string }) bool { return f.name == q.Get("format") })
	if form < 0 && q.Get("format") != "" {
		bad.add("format", "want ofx, cnab or csv")
	}
	form = max(form, 0)
	first, _ := c.world.Days()
	p := world.StatementPeriod{From: first, To: world.DateOf(c.world.Now()) - 1, Made: c.world.Now()}
	last := p.To
	for name, day := range map[string]*world.Date{"from": &p.From, "to": &p.To} {
		if text := q.Get(name); text != "" {
			d, err := world.ParseDate(text)
			if err != nil || d < first || d > last {
				bad.add(name, "want a day from "+first.String()+" to "+last.String())
				continue
			}
			*day = d
		}
	}
	if p.From > p.To {
		bad.add("from", "want a day that is not after to")
	}
	if bad.writeIfAny(rw) {
		return
	}
	b := banks[at]
	rw.Header().Set("Content-Type", statementFormats[form].contentType)
	rw.Header().Set("Content-Disposition", `attachment; filename="`+strings.Join([]string{b.ID, p.From.String(), p.To.String()}, "_")+"."+statementFormats[form].name+`"`)
	var file []byte
	switch statementFormats[form].name {
	case "cnab":
		file = c.world.StatementCNAB(b, p, c.world.IsPlanted())
	case "csv":
		file = c.world.StatementCSV(b, p, c.world.IsPlanted())
	default:
		file = c.world.StatementOFX(b, p, c.world.IsPlanted())
	}
	_, _ = rw.Write(file) // the client is gone if this fails
}
