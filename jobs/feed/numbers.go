package feed

import (
	"context"

	"concilia/store"
	"concilia/store/ledger"
)

// Numbers hands out an account's NSA and title numbers from the ledger.
type Numbers struct {
	Ledger    *store.Ledger
	Account   ledger.Account
	Agreement string // with the bank, whose NSA are counted
}

// ReserveEDI and TitleNumbers make Numbers an export.Numbers.
func (n *Numbers) ReserveEDI(
	ctx context.Context, file string, subjects []string, own map[string]string,
) (int, map[string]string, error) {
	return n.Ledger.ReserveEDI(ctx, n.Account, n.Agreement, file, subjects, own)
}

func (n *Numbers) TitleNumbers(ctx context.Context, subjects []string) (map[string]string, error) {
	return n.Ledger.KnownTitleNumbers(ctx, n.Account, subjects)
}
