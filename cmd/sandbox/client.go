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

// defaultState is the default state file of onboarding; serving in the same folder uses it if it exists.
const defaultState = "sandbox-state.json"

const stateUsage = "`file` of clients, webhook credentials and subscriptions, kept over restarts; empty keeps them in memory (default " +
	defaultState + " if there is one)"

// existingStateFile returns the name of the default state file if it exists, else an empty text.
func existingStateFile() string {
	if _, err := os.Stat(defaultState); err != nil {
		return ""
	}
	return defaultState
}

const addUsage = `sandbox client add onboards a company: it checks what the company hands in, keeps it in the
state file and prints the issued user name and password. The password is shown this once; the
file holds only its hash. A running sandbox that serves the file knows the client at once.

Usage: sandbox client add --cnpj … --legal-name … --contact … --ip … [options]

Options:
`

const addressesUsage = `sandbox client addresses replaces the addresses a client's requests may come from by those named,
and prints them. A running sandbox that serves the file goes by them at once.

Usage: sandbox client addresses --cnpj … --ip … [options]

Options:
`

// runClient does the client subcommands and returns the exit code.
func runClient(args []string, stdout, stderr io.Writer) int {
	c := clientOptions{name: "add", stdout: stdout, stderr: stderr}
	switch {
	case len(args) > 0 && (args[0] == "add" || args[0] == "addresses"):
		c.name, args = args[0], args[1:]
	case len(args) == 0 || !strings.HasPrefix(args[0], "-"):
		return printUsageError(stderr, "sandbox client", errors.New("want sandbox client add or sandbox client addresses"))
	}
	return c.runCommand(args)
}

// clientOptions is a subcommand of client with what it was given.
type clientOptions struct {
	name           string // add or addresses
	application    service.Application
	accounts       repeatedFlag
	state          string
	stdout, stderr io.Writer
}

// addFlags adds the options of the subcommand: "addresses" has only --cnpj, --ip and --state.
func (c *clientOptions) addFlags() *flag.FlagSet {
	f := newFlags("sandbox client " + c.name)
	f.StringVar(&c.application.CNPJ, "cnpj", "", "company tax registration `number`, with or without punctuation")
	f.Var((*repeatedFlag)(&c.application.Addresses), "ip", "`address` or range requests will come from, repeatable")
	f.StringVar(&c.state, "state", defaultState, "`file` the client is kept in")
	if c.name == "add" {
		f.StringVar(&c.application.LegalName, "legal-name", "", "razão social, the company's legal `name`")
		f.StringVar(&c.application.Contact, "contact", "", "contact `details` of the technical integration team")
		f.Var(&c.accounts, "account", "`number` of an account of the client, repeatable (default every account)")
	}
	return f
}

// runCommand reads the options, runs the subcommand and returns the exit code.
func (c *clientOptions) runCommand(args []string) int {
	f := c.addFlags()
	program := f.Name()
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		c.printHelp(f)
		return exitOK
	}
	if err == nil {
		err = c.checkArguments(f)
	}
	if err != nil {
		return printUsageError(c.stderr, program, err)
	}
	do := c.onboardClient
	if c.name == "addresses" {
		do = c.changeAddresses
	}
	if err := do(); err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintf(c.stderr, "%s: %s\n", program, line)
		}
		return exitError
	}
	return exitOK
}

func (c *clientOptions) printHelp(f *flag.FlagSet) {
	text := addUsage
	if c.name == "addresses" {
		text = addressesUsage
	}
	fmt.Fprint(c.stdout, text)
	f.VisitAll(func(o *flag.Flag) { printOption(c.stdout, o) })
}

// checkArguments parses the account numbers and checks what the flag package does not.
func (c *clientOptions) checkArguments(f *flag.FlagSet) error {
	var errs []error
	for _, text := range c.accounts {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			errs = append(errs, fmt.Errorf("--account %q: want a number", text))
		}
		c.application.Accounts = append(c.application.Accounts, n)
	}
	if f.NArg() > 0 {
		errs = append(errs, fmt.Errorf("unexpected argument %q", f.Arg(0)))
	}
	if c.state == "" {
		errs = append(errs, errors.New("--state: name a file; a client kept in memory would end with this command"))
	}
	return errors.Join(errs...)
}

// onboardClient keeps the client and prints its credential.
func (c *clientOptions) onboardClient() error {
	state, err := service.OpenState(c.state)
	if err != nil {
		return err
	}
	user, password, err := state.Onboard(c.application)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "user_name: %s\npassword: %s\n", user, password)
	return nil
}

// changeAddresses keeps the client's new addresses and prints them.
func (c *clientOptions) changeAddresses() error {
	state, err := service.OpenState(c.state)
	if err != nil {
		return err
	}
	client, err := state.ChangeAddresses(c.application.CNPJ, c.application.Addresses)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "user_name: %s\n", client.UserName)
	for _, a := range client.Addresses {
		fmt.Fprintf(c.stdout, "address: %s\n", a)
	}
	return nil
}
