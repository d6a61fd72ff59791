package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/wire"
	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// exceptionFilter are the flags that choose cases.
type exceptionFilter struct {
	codes, severities, states, brands, products []string
	accounts                                    []int64
	minImpact                                   string
	age                                         int
}

// addFlags adds the filter to a command.
func (o *exceptionFilter) addFlags(flags *pflag.FlagSet) {
	flags.StringSliceVar(&o.codes, "code", nil, "only these `CODES`")
	flags.StringSliceVar(&o.severities, "severity", nil, "only these severities: C, E, W, I")
	flags.StringSliceVar(&o.states, "state", nil, "only these states: pending, open, reopened, resolved, …")
	accountFlag(flags, &o.accounts)
	flags.StringVar(&o.minImpact, "min-impact", "", "only cases with an impact of at least this many reais, lost or gained")
	flags.IntVar(&o.age, "age", 0, "only cases open for at least this many `DAYS`")
	flags.StringSliceVar(&o.brands, "brand", nil, "only these brands: visa, mastercard, elo, amex, hipercard")
	flags.StringSliceVar(&o.products, "product", nil, "only these products: credit, debit, voucher")
}

// exceptionFilterNames are the flags of exceptionFilter.
func exceptionFilterNames() []string {
	return []string{"code", "severity", "state", "account", "min-impact", "age", "brand", "product"}
}

func newExceptions(g *globals) *cobra.Command {
	cmd := commandGroup(&cobra.Command{
		Use:   "exceptions",
		Short: "list the differences found, and act on them",
		Long: `exceptions lists the differences found, shows each with its history, and records what people do about them. A case
keeps its id from night to night. Only data resolve it. People acknowledge it (ack), assign it, claim it from the operator
(dispute), accept it for a time (waive), close it or reopen it. Every act goes into a tamper-evident log.`,
	})
	cmd.AddCommand(newExceptionsList(g), newExceptionsShow(g))
	for _, v := range ledger.CaseVerbs() {
		cmd.AddCommand(newExceptionAct(g, v))
	}
	return cmd
}

func newExceptionsShow(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "show CASE…",
		Short: "show complete cases, with their history",
		Long: `show prints complete cases: what was expected and found, the impact, and the history, which is every change by data
and every act of a person, when, by whom and why. Six or more leading digits of a case are enough if they are unique.

Exit status: 0 shown; 2 usage, or no such case; 40 configuration; 50 ledger unreachable.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.Usagef("concilia exceptions list names them", "exceptions show needs a case")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return g.showExceptions(cmd.Context(), args) },
	}
}

// buildFilter checks the flags, before any ledger is opened. Without --state it chooses in every state; the age is openedByDay's.
func (o *exceptionFilter) buildFilter() (caselog.FindingFilter, error) {
	var f caselog.FindingFilter
	for _, a := range o.accounts {
		f.Accounts = append(f.Accounts, ledger.Account(a))
	}
	for _, c := range o.codes {
		code := strings.ToUpper(c)
		if _, known := catalogue.Find(code); !known { // nothing found would read as nothing wrong
			return f, exit.Usagef("concilia rules list names them", "there is no rule --code %q", c)
		}
		f.Codes = append(f.Codes, code)
	}
	for _, b := range o.brands {
		// Mapped brands are in lower case; others are kept as they were sent.
		f.Brands = append(f.Brands, b, strings.ToLower(b))
	}
	for _, p := range o.products {
		f.Products = append(f.Products, ledger.Product(p), ledger.Product(strings.ToLower(p)))
	}
	for _, s := range o.severities {
		sev := ledger.Severity(strings.ToUpper(s))
		if sev.Rank() > ledger.Info.Rank() {
			return f, exit.Usagef("severities are C, E, W, I", "--severity %q", s)
		}
		f.Severities = append(f.Severities, sev)
	}
	for _, s := range o.states {
		state := ledger.State(strings.ToLower(s))
		if !slices.Contains(ledger.States(), state) {
			return f, exit.Usagef("states are "+joinNames(ledger.States()), "--state %q", s)
		}
		f.States = append(f.States, state)
	}
	if o.minImpact != "" {
		v, err := ledger.ParseAmount(o.minImpact)
		if err != nil || v < 0 {
			return f, exit.Usagef("reais with a dot, such as 10.00", "--min-impact %q is no amount", o.minImpact)
		}
		f.MinImpact = v
	}
	if o.age < 0 {
		return f, exit.Usagef("--age takes days, such as 30", "--age %d", o.age)
	}
	return f, nil
}

// refuseUnknownAccounts refuses accounts that neither the configuration nor a case has: nothing found would read as nothing wrong.
func refuseUnknownAccounts(ctx context.Context, d *casework.Handler, accounts []ledger.Account) error {
	for _, account := range accounts {
		known := slices.Contains(d.Accounts, account)
		if known {
			continue
		}
		err := d.Ledger.Findings(ctx, caselog.FindingFilter{Accounts: []ledger.Account{account}}, func(*ledger.Finding) error {
			known = true
			return nil
		})
		if err != nil {
			return err
		}
		if !known {
			return exit.Usagef("the configuration's accounts list names them", "account %d is not configured, and the ledger has no case of it", account)
		}
	}
	return nil
}

// openedByDay is the day by which a case had opened that is at least --age days old; 0 without --age.
func (o *exceptionFilter) openedByDay(today ledger.Date) ledger.Date {
	if o.age == 0 {
		return 0
	}
	return today - ledger.Date(o.age)
}

// joinNames names what a flag takes, for a hint.
func joinNames[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}

func (g *globals) showExceptions(ctx context.Context, names []string) error {
	return g.WithCasework(ctx, func(d *casework.Handler) error {
		ids, err := d.ResolveCases(ctx, names)
		if err != nil {
			return err
		}
		for _, id := range ids {
			f, err := d.Ledger.FindingByCase(ctx, id)
			if err != nil {
				return err
			}
			events, err := d.Ledger.FindingEvents(ctx, f.Case)
			if err != nil {
				return err
			}
			acts, err := d.Ledger.Acts(ctx, caselog.ActFilter{Accounts: []ledger.Account{f.Account}, Subjects: []string{f.Case}})
			if err != nil {
				return err
			}
			if err := g.writePage(caseview.CasePageOf(f, events, acts, d.Service)); err != nil {
				return err
			}
		}
		return nil
	})
}

// exceptionAct are the flags of an act on cases.
type exceptionAct struct {
	filter exceptionFilter
	req    casework.ActRequest
	until  dateFlag
	cap    string

	followUp dateFlag
	letter   string // path
}

// actWords are the help texts of each verb.
func actWords(v ledger.Verb) (short, long string) {
	switch v {
	case ledger.Ack:
		return "acknowledge cases: they no longer turn cron red", "ack acknowledges cases that are pending, open or reopened."
	case ledger.Assign:
		return "assign cases to somebody", "assign gives cases to somebody to handle; their state stays the same."
	case ledger.Dispute:
		return "claim cases from the operator", `dispute records that cases were claimed from the operator, the reference of the claim, what each was about then, and the
day to ask again.`
	case ledger.Answer:
		return "record what the operator answered to a claim", `answer records what the operator answered to cases that are disputed: accepted, refused, partial, or asks for more. They
stay disputed: only data resolve a case, and what was not paid is closed or waived.`
	case ledger.Waive:
		return "accept cases until a day, up to an amount", `waive accepts cases up to and including a day, as long as no more than the cap is at stake. Past the day or the cap a case
reopens by itself. A case that is not about an amount needs no cap.`
	case ledger.Close:
		return "close cases", `close closes cases. A case stays closed while its rule fires with the same numbers. It reopens when they change, or when
the rule fires again after it has passed.`
	}
	return "reopen cases", "reopen reopens cases that are closed, waived, acknowledged or disputed."
}

func newExceptionAct(g *globals, v ledger.Verb) *cobra.Command {
	o := &exceptionAct{req: casework.ActRequest{Verb: v}}
	short, long := actWords(v)
	cmd := &cobra.Command{
		Use:   string(v) + " CASE… | " + string(v) + " --code CODE…",
		Short: short,
		Long: long + `

Name the cases by their id, or six or more leading digits of it, or select them by flags as in exceptions list; without
--state a filter selects the states that the act applies to. The act is done on every case or on none. --dry-run shows
what would be done. If four_eyes lists the act it is only proposed, and done when another person repeats it with the same
details within 7 days.

Exit status: 0 done, proposed, or nothing to do; 2 usage, or cases in another state; 40 configuration; 50 ledger
unreachable.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen := false
			for _, name := range exceptionFilterNames() {
				chosen = chosen || cmd.Flags().Changed(name)
			}
			switch {
			case len(args) == 0 && !chosen:
				return exit.Usagef("name cases, or choose them with --code, --severity, --account …; --dry-run tells which", "exceptions %s needs cases or a filter", v)
			case len(args) > 0 && chosen:
				return exit.Usagef("either name the cases or choose them", "exceptions %s takes cases or a filter, not both", v)
			}
			o.req.Cases = args
			return g.actOnCases(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	o.filter.addFlags(flags)
	flags.StringVar(&o.req.Reason, "reason", "", "why, kept in the log and shown with the case")
	flags.StringVar(&o.req.Actor, "as", "", "who acts (default: the operating system's user)")
	flags.BoolVar(&o.req.DryRun, "dry-run", false, "show what would be done, and do nothing")
	switch v {
	case ledger.Assign:
		flags.StringVar(&o.req.Assignee, "to", "", "`NAME` of the person who gets the cases")
	case ledger.Dispute:
		flags.StringVar(&o.req.Reference, "reference", "", "`REF` under which the operator keeps the claim")
		flags.Var(&o.followUp, "follow-up", "the day to ask again, YYYY-MM-DD (default 10 business days on)")
		flags.StringVar(&o.letter, "letter", "", "`FILE` of the letter that claims them: its SHA-256 is kept")
	case ledger.Answer:
		flags.StringVar((*string)(&o.req.Reply), "reply", "", "what was answered: accepted, refused, partial or asks")
		flags.StringVar(&o.req.Reference, "reference", "", "`REF` of the claim, if the operator gave another")
		flags.Var(&o.followUp, "follow-up", "the day to ask again, YYYY-MM-DD")
	case ledger.Waive:
		flags.Var(&o.until, "until", "the last day, YYYY-MM-DD")
		flags.StringVar(&o.cap, "cap", "", "the most that may be at stake in each case, in reais")
	}
	return cmd
}

// hashFile is the SHA-256 of a file, in hex.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (g *globals) actOnCases(ctx context.Context, o *exceptionAct) error {
	o.req.Until, o.req.FollowUp = o.until.Date, o.followUp.Date
	if o.letter != "" {
		var err error
		if o.req.Letter, err = hashFile(o.letter); err != nil {
			return exit.Usagef("give the file that was sent", "--letter: %v", err)
		}
	}
	if o.cap != "" {
		v, err := ledger.ParseAmount(o.cap)
		if err != nil {
			return exit.Usagef("reais with a dot, such as 10.00", "--cap: %v", err)
		}
		o.req.Cap = ledger.Some(v)
	}
	if o.req.Actor = strings.TrimSpace(o.req.Actor); o.req.Actor == "" {
		o.req.Actor = wire.CurrentPerson()
	}
	var err error
	if o.req.Filter, err = o.filter.buildFilter(); err != nil {
		return err
	}
	return g.WithCasework(ctx, func(d *casework.Handler) error {
		if err := refuseUnknownAccounts(ctx, d, o.req.Filter.Accounts); err != nil {
			return err
		}
		o.req.Filter.OpenedBy = o.filter.openedByDay(d.Today)
		s, err := d.ActOnCases(ctx, o.req)
		if err != nil {
			return err
		}
		return g.writePage(caseview.CaseActOf(s))
	})
}
