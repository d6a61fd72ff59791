package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"concilia/cmd/sandbox/service"
)

// defaultState is where onboarding keeps clients unless told otherwise; serving in the same folder finds it.
const defaultState = "sandbox-state.json"

const stateUsage = "`file` of clients, webhook credentials and subscriptions, kept over restarts; empty keeps them in memory (default " +
	defaultState + " if there is one)"

// foundState is the default state file if there is one, else empty.
func foundState() string {
	if _, err := os.Stat(defaultState); err != nil {
		return ""
	}
	return defaultState
}

const clientUsage = `sandbox client add onboards a company: it checks what the company hands in, keeps it in the
state file and prints the issued user name and password. The password is shown this once; the
file holds only its hash. A running sandbox that serves the file knows the client at once.

Usage: sandbox client add --cnpj … --legal-name … --contact … --ip … [options]

Options:
`

// runClient does the client subcommands, of which there is one, and returns the exit code.
func runClient(args []string, stdout, stderr io.Writer) int {
	var a service.Application
	var accounts texts
	f := newFlags("sandbox client add")
	f.StringVar(&a.CNPJ, "cnpj", "", "company tax registration `number`, with or without punctuation")
	f.StringVar(&a.LegalName, "legal-name", "", "razão social, the company's legal `name`")
	f.StringVar(&a.Contact, "contact", "", "contact `details` of the technical integration team")
	f.Var((*texts)(&a.Addresses), "ip", "`address` or range requests will come from, repeatable")
	f.Var(&accounts, "account", "`number` of an account of the client, repeatable (default every account)")
	state := f.String("state", defaultState, "`file` to keep the client in")
	if len(args) > 0 && args[0] == "add" {
		args = args[1:]
	} else if len(args) == 0 || !strings.HasPrefix(args[0], "-") {
		return wrongUsage(stderr, "sandbox client add", errors.New("the one thing to do with clients is add"))
	}
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		printClientHelp(stdout, f)
		return exitOK
	}
	if err == nil {
		err = readAccounts(f, accounts, &a, *state)
	}
	if err != nil {
		return wrongUsage(stderr, "sandbox client add", err)
	}
	if err := onboard(a, *state, stdout); err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintf(stderr, "sandbox client add: %s\n", line)
		}
		return exitError
	}
	return exitOK
}

func printClientHelp(w io.Writer, f *flag.FlagSet) {
	fmt.Fprint(w, clientUsage)
	f.VisitAll(func(o *flag.Flag) { printOption(w, o) })
}

// readAccounts reads the account numbers and looks at what else the flag package lets pass.
func readAccounts(f *flag.FlagSet, accounts texts, a *service.Application, state string) error {
	var errs []error
	for _, text := range accounts {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			errs = append(errs, fmt.Errorf("--account %q: want a number", text))
		}
		a.Accounts = append(a.Accounts, n)
	}
	if f.NArg() > 0 {
		errs = append(errs, fmt.Errorf("unexpected argument %q", f.Arg(0)))
	}
	if state == "" {
		errs = append(errs, errors.New("--state: name a file; a client kept in memory would end with this command"))
	}
	return errors.Join(errs...)
}

// onboard keeps the client and prints its credential.
func onboard(a service.Application, file string, stdout io.Writer) error {
	state, err := service.OpenState(file)
	if err != nil {
		return err
	}
	user, password, err := state.Onboard(a)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "user_name: %s\npassword: %s\n", user, password)
	return nil
}
