package serving

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/config"
	"concilia/export/words"
	"concilia/store/ledger"
)

func newConsoleUser(inv *command.Invocation) *cobra.Command {
	cmd := command.MakeGroup(&cobra.Command{
		Use:   "user",
		Short: "add, change, remove and list the people of the console",
		Long: `user keeps the file of people, console.users_file. It is made for its owner alone (0600) and written whole; a console that
runs reads it again when it changes, and signs out whose password changed or who was removed. Passwords are kept as argon2id.

A reader sees the accounts given to them (none given: all) and downloads their files. An actor also acts on cases. A manager also
confirms what others proposed, and closes and reopens months.`,
	})
	cmd.AddCommand(newUserAdd(inv), newUserPassword(inv), newUserRemove(inv), newUserList(inv))
	return cmd
}

// userExit ends the help of the commands about people.
const userExit = `

Exit status: 0 done; 2 usage, or no such person; 40 configuration, or a file that cannot be read.`

func newUserAdd(inv *command.Invocation) *cobra.Command {
	var person people.Person
	var role string
	var accounts []int64
	cmd := &cobra.Command{
		Use:   "add NAME --role ROLE",
		Short: "add a person, asking for a password",
		Long:  `add asks for the password twice, or reads it from standard input: 12 to 128 characters.` + userExit,
		Args:  command.ExactArgs(1, "argument.a_name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			person.Name, person.Role = strings.ToLower(args[0]), people.Role(role)
			for _, a := range accounts {
				person.Accounts = append(person.Accounts, ledger.Account(a))
			}
			if err := person.Check(); err != nil {
				return exit.NewUsageError("error.cause", "hint.command", "cause", err, "command", "concilia console user add ana --role actor")
			}
			return changeUsers(inv, func(path string) error {
				password, err := askPassword(inv, cmd, person.Name)
				if err != nil {
					return err
				}
				person.Password = people.HashPassword(password)
				return people.AddPerson(path, person)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&role, "role", "", "reader, actor or manager")
	command.AddAccountFlag(flags, &accounts)
	flags.BoolVar(&person.Payers, "payers", false, "may see payers of the kinds in reports.identified")
	flags.StringVar(&person.FullName, "full-name", "", "`NAME` that pages show")
	return cmd
}

func newUserPassword(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "passwd NAME",
		Short: "give a person another password",
		Long:  `passwd asks for the password as add does, and ends the sessions of the person.` + userExit,
		Args:  command.ExactArgs(1, "argument.a_name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeUsers(inv, func(path string) error {
				password, err := askPassword(inv, cmd, args[0])
				if err != nil {
					return err
				}
				return people.ChangePerson(path, args[0], func(p *people.Person) bool {
					p.Password = people.HashPassword(password)
					return true
				})
			})
		},
	}
}

func newUserRemove(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "remove a person",
		Long:  `remove takes a person out of the file, and ends their sessions.` + userExit,
		Args:  command.ExactArgs(1, "argument.a_name"),
		RunE: func(_ *cobra.Command, args []string) error {
			return changeUsers(inv, func(path string) error {
				return people.ChangePerson(path, args[0], func(*people.Person) bool { return false })
			})
		},
	}
}

func newUserList(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "list the people of the console",
		Long: `list prints the people with their roles and accounts, never a password; with --json an object per line:
  {"name","full_name","role","accounts","payers"}

Exit status: 0 listed; 2 usage; 40 configuration, or a file that cannot be read.`,
		Args: command.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			path, err := usersFile(inv)
			if err != nil {
				return err
			}
			all, err := people.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return exit.NewInputError("console.users_file", err)
			}
			rows := make([]view.Person, 0, len(all))
			for _, p := range all {
				rows = append(rows, view.Person{
					Name: p.Name, FullName: p.FullName, Role: string(p.Role), Accounts: append([]ledger.Account{}, p.Accounts...), Payers: p.Payers,
				})
			}
			return command.WriteLines(inv, rows, view.People(rows))
		},
	}
}

// usersFile is the configured file of people.
func usersFile(inv *command.Invocation) (string, error) {
	c, err := config.LoadOffline(inv.ConfigPath, inv.Lookup)
	if err != nil {
		return "", err
	}
	if c.Console.UsersFile == "" {
		return "", exit.NewInputError("console.users_file", words.NewFault("error.no_users_file", ""))
	}
	return c.Console.UsersFile, nil
}

// changeUsers changes the file of people. What it says of a name or a password is a mistake of the command line.
func changeUsers(inv *command.Invocation, change func(path string) error) error {
	path, err := usersFile(inv)
	if err != nil {
		return err
	}
	if _, err := people.ReadFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return exit.NewInputError("console.users_file", err)
	}
	if err := change(path); err != nil {
		var use *exit.UsageError
		var system *fs.PathError
		if errors.As(err, &use) || errors.As(err, &system) {
			return err
		}
		return exit.NewUsageError("error.cause", "hint.people_listed", "cause", err)
	}
	return nil
}

// askPassword asks for a password twice on a terminal; elsewhere it reads it from standard input.
func askPassword(inv *command.Invocation, cmd *cobra.Command, name string) (string, error) {
	password := ""
	if file, ok := cmd.InOrStdin().(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		for i, ask := range []string{"Password: ", "Again: "} {
			fmt.Fprint(inv.Stderr, ask)
			typed, err := term.ReadPassword(int(file.Fd()))
			fmt.Fprintln(inv.Stderr)
			if err != nil {
				return "", err
			}
			if i == 1 && string(typed) != password {
				return "", exit.NewUsageError("error.passwords_differ", "hint.passwords_differ")
			}
			password = string(typed)
		}
	} else {
		line, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
		if err != nil && line == "" {
			return "", exit.NewUsageError("error.no_password", "hint.command", "command", "printf '%s' PASSWORD | concilia console user …")
		}
		password = strings.TrimRight(line, "\r\n")
	}
	if err := people.CheckNewPassword(name, password); err != nil {
		return "", exit.NewUsageError("error.bad_password", "hint.bad_password", "cause", err)
	}
	return password, nil
}
