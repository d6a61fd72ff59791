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
func (v People) WriteText(w io.Writer) error {
	if len(v) == 0 {
		_, err := io.WriteString(w, "nobody\n")
		return err
	}
	t := newTable(w)
	t.AppendHeader(table.Row{"name", "role", "accounts", "payers", "full name"})
	for _, p := range v {
		accounts := "all"
		if len(p.Accounts) > 0 {
			numbers := make([]string, len(p.Accounts))
			for i, a := range p.Accounts {
				numbers[i] = a.String()
			}
			accounts = strings.Join(numbers, ", ")
		}
		payers := ""
		if p.Payers {
			payers = "yes"
		}
		t.AppendRow(table.Row{p.Name, p.Role, accounts, payers, p.FullName})
	}
	t.Render()
	return nil
}
