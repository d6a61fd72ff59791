package casework_test

import (
	"strings"
	"testing"

	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

func TestObstacleText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		obstacle casework.Obstacle
		en, pt   string
	}{
		{
			casework.Obstacle{Case: "3f2a", Code: "MDR_ABOVE_CONTRACT", Message: "state", Values: []any{
				"state", ledger.Closed, "verb", ledger.Ack, "states", []ledger.State{ledger.Opened, ledger.Reopened},
			}},
			"case 3f2a (MDR_ABOVE_CONTRACT): is closed; ack takes open, reopened",
			"caso 3f2a (MDR_ABOVE_CONTRACT): está encerrado; reconhecimento vale para: aberto, reaberto",
		},
		{
			casework.Obstacle{Case: "3f2a", Code: "SLIP_UNPAID", Message: "cap", Values: []any{"amount", ledger.Amount(18_293_500), "cap", ledger.Amount(10_000_000)}},
			"case 3f2a (SLIP_UNPAID): R$ 1,829.35 at stake, above --cap 1,000.00",
			"caso 3f2a (SLIP_UNPAID): R$ 1.829,35 em jogo, acima do máximo aceito de 1.000,00",
		},
		{
			casework.Obstacle{Account: 1001, Message: "since", Values: []any{"day", ledger.NewDate(2026, 11, 3)}},
			"account 1001: is answered for since 2026-11-03 only",
			"conta 1001: só é acompanhada desde 03/11/2026",
		},
		{
			casework.Obstacle{Message: "proposed", Values: []any{"actor", "ana"}},
			"ana proposed this, and a manager has to confirm it",
			"ana propôs isto, e alguém da gestão precisa confirmar",
		},
	} {
		if got := c.obstacle.Text("en"); got != c.en {
			t.Errorf("%q, want %q", got, c.en)
		}
		if got := c.obstacle.Text("pt-BR"); got != c.pt {
			t.Errorf("%q, want %q", got, c.pt)
		}
	}
}

// Of many obstacles the first ten are named, the others counted.
func TestExplainNamesTheFirst(t *testing.T) {
	t.Parallel()
	refused := casework.NewObstacleError(words.NewMessage("error.act_not_done", "verb", "waive", "n", 12, "of", 20), make([]casework.Obstacle, 12), words.Message{})
	if got := refused.Explain("pt-BR"); strings.Count(got, "\n") != 10 || !strings.HasSuffix(got, "\ne mais 2") {
		t.Errorf("%q", got)
	}
	if got := refused.Error(); !strings.HasPrefix(got, "nothing was done: waive does not fit 12 of 20 cases:\n") || !strings.HasSuffix(got, "\n  and 2 more") {
		t.Errorf("%q", got)
	}
}
