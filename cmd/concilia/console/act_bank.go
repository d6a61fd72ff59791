package console

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/view/bankview"
	"concilia/cmd/concilia/view/caseview"
	"concilia/store/ledger"
)

// DepositAct is what a person asks to do about a match at the bank: to join what is named, or to take the match apart.
type DepositAct struct {
	Verb          ledger.Verb
	Bank          string
	Match         string   // to take apart
	Lines, Groups []string // to join
	// Accept is what is accepted as not coming; none in a preview: whatever the sides differ by.
	Accept        ledger.Opt[ledger.Amount]
	Actor, Reason string
	DryRun        bool
	ProposeOnly   bool
}

// BankItem is a row of a bank account, with the rows of the other side that a person may hold it to be.
type BankItem struct {
	*bankview.BankDetail
	Partners []bankview.BankRow
	// SlipNames are the references or nossos números of slips that it should have paid, by their ids.
	SlipNames map[string]string
	Cases     []caseview.CaseRow
	Did       string
	Wrong     string // what is wrong with what was chosen of the partners
}

// bankActPage is the preview of an act on a match, and the form that does it.
type bankActPage struct {
	*bankview.BankAct
	formState
	Asked    *DepositAct
	Name     string // of the row that it began with
	Reason   string
	Obstacle string // why it cannot be done; empty: it can
}

// actOnDeposit shows what joining or taking apart would come to, or does it.
func actOnDeposit(v *visit) error {
	if v.c.ReadOnly {
		return v.refuseAct("desk.read_only_text")
	}
	if err := v.r.ParseForm(); err != nil {
		return &badRequest{map[string]string{"form": err.Error()}}
	}
	act, name, err := readDepositAct(v)
	var bad *badRequest
	switch {
	case errors.As(err, &bad) && bad.fields["line"] != "" && name != "":
		return renderBankItem(v, name, bad.fields["line"])
	case errors.As(err, &bad) && bad.fields["verb"] == "" && bad.fields["match"] == "" && bad.fields["line"] == "":
		return showDepositActAgain(v, act, name, formState{Wrong: bad.fields}, err)
	case err != nil:
		return err
	}
	v.c.Log.Info().Str("person", v.person.Name).Str("verb", string(act.Verb)).Str("bank", act.Bank).Bool("preview", act.DryRun).Msg("an act on a match")
	ctx, cancel := context.WithTimeout(v.asked, v.c.ActTime)
	defer cancel()
	if act.DryRun {
		return renderDepositAct(ctx, v, act, name, formState{})
	}
	done, err := v.source.ActOnDeposit(ctx, v.accounts(), act)
	switch {
	case isBusy(ctx, err):
		return showDepositActAgain(v, act, name, formState{Busy: true}, err)
	case errors.Is(err, ErrConflict):
		return showDepositActAgain(v, act, name, formState{Refused: v.explainConflict(err)}, err)
	case err != nil:
		return err
	}
	did := map[string]string{"done": "done", "standing": "already"}[done.Outcome]
	switch {
	case did == "":
		did = "proposed"
	case act.Verb == ledger.MatchDeposit:
		name = done.Match
	default:
		name = slices.Concat(done.Groups, done.Lines)[0]
	}
	return v.redirect("/bank/" + url.PathEscape(act.Bank) + "/" + url.PathEscape(name) + "?did=" + did)
}

// readDepositAct reads the form of an act on a match, and the name of the row that it began with.
func readDepositAct(v *visit) (*DepositAct, string, error) {
	f := newFields(v.r.PostForm, v.lang)
	act := &DepositAct{
		Verb: ledger.Verb(f.text("verb")), Bank: v.r.PathValue("id"), Match: f.text("match"), Lines: f.list("line"), Groups: f.list("group"),
		Actor: v.person.Name, Reason: f.text("reason"), DryRun: f.text("confirm") == "", ProposeOnly: !v.person.Role.Includes(people.Manager),
	}
	switch act.Verb {
	case ledger.MatchDeposit:
		if len(act.Lines) == 0 || len(act.Groups) == 0 {
			f.refuse("line", "desk.choose_deposits")
		}
	case ledger.UnmatchDeposit:
		if act.Match == "" {
			f.refuse("match", "desk.needed")
		}
	default:
		f.refuse("verb", "desk.unknown_word", "word", act.Verb)
	}
	if text := f.text("accept"); text != "" {
		amount, err := ledger.ParseAmount(text)
		if err != nil {
			f.refuse("accept", "desk.no_amount")
		}
		act.Accept = ledger.Some(amount)
	}
	if act.Reason == "" && !act.DryRun {
		f.refuse("reason", "desk.needed")
	}
	return act, f.text("name"), f.err()
}

// showDepositActAgain shows the form of an act that was not done as it was filled, with both sides as they are now.
func showDepositActAgain(v *visit, act *DepositAct, name string, state formState, why error) error {
	ctx, cancel := context.WithTimeout(v.asked, v.c.QueryTime)
	defer cancel()
	again := *act
	again.DryRun, again.Accept = true, ledger.Opt[ledger.Amount]{}
	if state.Busy {
		v.w.Header().Set("Retry-After", "5")
	}
	if err := renderDepositAct(ctx, v, &again, name, state); err != nil {
		return fmt.Errorf("%w; %w", why, err)
	}
	return nil
}

// renderDepositAct shows the form of an act with what it would come to.
func renderDepositAct(ctx context.Context, v *visit, act *DepositAct, name string, state formState) error {
	page := &bankActPage{formState: state, Asked: act, Name: name, Reason: act.Reason}
	if act.Reason == "" {
		act.Reason = "-" // asked for on the page
	}
	var err error
	page.BankAct, err = v.source.ActOnDeposit(ctx, v.accounts(), act)
	if errors.Is(err, ErrConflict) {
		page.Obstacle, page.BankAct, err = v.explainConflict(err), &bankview.BankAct{Verb: act.Verb, Bank: act.Bank}, nil
	}
	if err != nil {
		return err
	}
	return v.renderAs(page.statusCode(), "bankact", v.text("desk.preview"), page)
}
