package view

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/store/ledger"
)

// Person is somebody who may sign in to the console.
type Person struct {
	Name     string           `json:"name"`
	FullName string           `json:"full_name"`
	Role     string           `json:"role"`
	Accounts []ledger.Account `json:"accounts"` // none: all
	Payers   bool             `json:"payers"`
}

// People are the people of the console.
type People []Person

// WriteText writes a line for each.
func (v People) WriteText(w io.Writer, l Language) error {
	if len(v) == 0 {
		_, err := io.WriteString(w, l.text("people.nobody")+"\n")
		return err
	}
	t := NewTable(w)
	t.AppendHeader(l.HeadRow("people.name", "people.role", "people.accounts", "people.payers", "people.full_name"))
	for _, p := range v {
		accounts := l.text("people.all_accounts")
		if len(p.Accounts) > 0 {
			numbers := make([]string, len(p.Accounts))
			for i, a := range p.Accounts {
				numbers[i] = a.String()
			}
			accounts = strings.Join(numbers, ", ")
		}
		payers := ""
		if p.Payers {
			payers = l.text("command.yes")
		}
		t.AppendRow(table.Row{p.Name, l.text("roles." + p.Role), accounts, payers, p.FullName})
	}
	t.Render()
	return nil
}
