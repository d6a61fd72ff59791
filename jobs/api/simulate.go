package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"concilia/export/words"
	"concilia/store/ledger"
)

// maxAnswer bounds the answers that are one small object.
const maxAnswer = 64 << 10

// SimulationAnswer is what the settlement simulator answers (interface document, Settlement simulation result): one option
// for each number of installments, in their order; the documented result has 1 to 12.
type SimulationAnswer struct {
	Options []ledger.SimulatedOption
	Receipt
}

// SimulateSettlement asks the settlement simulator what to charge to a card of a brand so that net, above 0, is received.
// The brand is sent as it is given; the service refuses an unknown one, which is an *Error with status 400 and its text.
//
// Spec gap: the brands of the simulator are not shown; any word is sent, and the service's refusal is repeated.
// Spec gap: whether amount is the whole sale's or one installment's is not shown; it is taken as the whole sale's.
func (c *Client) SimulateSettlement(ctx context.Context, brand string, net ledger.Amount) (SimulationAnswer, error) {
	call := apiCall{
		operation: words.NewMessage("call.simulate", "brand", words.Quote(brand, 40), "net", net),
		method:    http.MethodGet, base: c.bases[Gateway], path: "/v1/payments-simulator",
		query: url.Values{"Brand": {brand}, "netValue": {net.String()}}, family: Gateway, limit: maxAnswer, keepBody: true,
	}
	if brand == "" || net <= 0 {
		return SimulationAnswer{}, &Error{Operation: call.operation, Permanent: true, Err: words.NewFault("service_fault.wants_brand", "")}
	}
	var answer SimulationAnswer
	tries, err := c.askUntilAccepted(ctx, call, func(a *reply) error {
		options, err := c.readSimulation(a)
		if err != nil {
			return err
		}
		answer = SimulationAnswer{Options: options}
		return answer.fillFromReply(a, c.opts.Now(), memberNames{})
	})
	if answer.Requests = tries; err != nil {
		return SimulationAnswer{Receipt: Receipt{Requests: tries}}, err
	}
	return answer, nil
}

func (c *Client) readSimulation(a *reply) ([]ledger.SimulatedOption, error) {
	var result struct {
		Installments []struct {
			Installment *int
			Amount      json.RawMessage
		}
	}
	if err := c.readObject(a, &result); err != nil {
		return nil, err
	}
	var options []ledger.SimulatedOption
	for _, row := range result.Installments {
		gross, err := ledger.ParseAmount(string(row.Amount))
		if row.Installment == nil || *row.Installment < 1 || err != nil || gross <= 0 {
			return nil, &Error{Status: a.status, Err: words.NewFault("service_fault.bad_option", "", "option", len(options)+1)}
		}
		options = append(options, ledger.SimulatedOption{Installments: *row.Installment, Gross: gross})
	}
	slices.SortFunc(options, func(a, b ledger.SimulatedOption) int { return a.Installments - b.Installments })
	twice := slices.CompactFunc(slices.Clone(options), func(a, b ledger.SimulatedOption) bool { return a.Installments == b.Installments })
	if len(options) == 0 || len(twice) != len(options) {
		return nil, &Error{Status: a.status, Err: words.NewFault("service_fault.bad_options", "")}
	}
	return options, nil
}

// readObject reads the one JSON object of an answer into v. Another shape is an error with the answer's own words.
// An empty body counts as an empty object unless the status is 200.
func (c *Client) readObject(a *reply, v any) error {
	raw, err := a.readAll()
	if err != nil {
		return err
	}
	text := strings.TrimSpace(string(raw))
	if text == "" && a.status != http.StatusOK {
		return nil
	}
	if !strings.HasPrefix(text, "{") || json.Unmarshal(raw, v) != nil {
		return &Error{Status: a.status, Text: c.errorText(raw, a.secrets...), Err: words.NewFault("service_fault.no_object", "")}
	}
	return nil
}
