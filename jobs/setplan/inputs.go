package setplan

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/jobs/reconcile"
	"concilia/store"
	"concilia/store/ledger"
)

// ReadInputsOfRun returns the inputs with the mapping, the profile and the calendars of a past run, which the ledger
// stores. What is computed for its rows, such as ages in business days, uses them and not the files of today.
func ReadInputsOfRun(ctx context.Context, l *store.Ledger, today *reconcile.Inputs, run *ledger.Run) (reconcile.Inputs, error) {
	then := *today
	text := func(name string) ([]byte, error) {
		_, text, err := l.Document(ctx, run.Documents[name])
		if err != nil {
			err = fmt.Errorf("%s of run %s: %w", name, run.ID, err)
		}
		return text, err
	}
	if hash := run.Documents["mapping"]; hash != "" && hash != then.Mapping.Hash() {
		kept, err := text("mapping")
		if err != nil {
			return then, err
		}
		if then.Mapping, err = agreements.ParseMapping("mapping of run "+run.ID, kept); err != nil {
			return then, err
		}
	}
	if hash := run.Documents["profile"]; hash != "" && hash != then.Profile.Hash() {
		kept, err := text("profile")
		if err != nil {
			return then, err
		}
		if then.Profile, err = agreements.ParseProfile("profile of run "+run.ID, kept); err != nil {
			return then, err
		}
	}
	calendars := map[ledger.Account]*calendar.Calendar{}
	for name, hash := range run.Documents {
		number, found := strings.CutPrefix(name, "calendar ")
		a, err := strconv.ParseInt(number, 10, 64)
		if !found || err != nil {
			continue
		}
		account := ledger.Account(a)
		if calendars[account] = today.Calendar(account); calendars[account].Hash() == hash {
			continue
		}
		kept, err := text(name)
		if err != nil {
			return then, err
		}
		if calendars[account], err = calendar.Parse(kept); err != nil {
			return then, fmt.Errorf("%s of run %s: %w", name, run.ID, err)
		}
	}
	then.Calendar = func(a ledger.Account) *calendar.Calendar {
		if c := calendars[a]; c != nil {
			return c
		}
		return today.Calendar(a)
	}
	return then, nil
}
