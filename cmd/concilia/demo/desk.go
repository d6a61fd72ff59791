package demo

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/daemon"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/progress"
	"concilia/export/words"
)

// The people of a demo, who both manage.
const (
	claimant = "ana"
	closer   = "bruno"
)

// peopleFile is the file of the people of a demo's desk.
const peopleFile = "people.yaml"

func (d *Files) peoplePath() string { return d.filePath(peopleFile) }

// deskText is the part of the configuration that a desk with people needs; a folder that had one keeps it.
func (d *Files) deskText() string {
	if _, err := os.Stat(d.peoplePath()); err != nil && !d.desk {
		return ""
	}
	// As the contract, it is found from the folder of the configuration.
	return "console:\n  users_file: " + peopleFile + "\nfour_eyes: [waive]\n"
}

// listPeople are who may sign in to the desk of a demo.
func listPeople() []people.Person {
	return []people.Person{
		{Name: claimant, FullName: "Ana Lima", Role: people.Manager},
		{Name: closer, FullName: "Bruno Reis", Role: people.Manager},
	}
}

// givePasswords writes the people of the demo with new passwords, and keeps others who were added since, and gives the passwords in the
// order of listPeople.
func (d *Files) givePasswords() (passwords []string, err error) {
	given := listPeople()
	for i := range given {
		password := spellPassword()
		given[i].Password = people.HashPassword(password)
		passwords = append(passwords, password)
	}
	return passwords, people.ChangeFile(d.peoplePath(), func(all []people.Person) ([]people.Person, error) {
		all = slices.DeleteFunc(all, func(old people.Person) bool {
			return slices.ContainsFunc(given, func(p people.Person) bool { return old.Name == p.Name })
		})
		return append(all, given...), nil
	})
}

// spellPassword is a random password that can be typed: four groups of four.
func spellPassword() string {
	text := strings.ToLower(rand.Text())
	return strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:16]}, "-")
}

// ServeDesk serves the desk until ctx ends, at listen or, if that port is taken, at another.
func (d *Demo) ServeDesk(ctx context.Context, listen string) error {
	passwords, err := d.givePasswords()
	if err != nil {
		return err
	}
	if d.nights > 1 {
		d.Clock.MoveTo(laterOf(d.Moment.Add(3*time.Hour), d.Summary.Record)) // people come at nine
	}
	c, err := d.LoadConfig(0)
	if err != nil {
		return err
	}
	c.Console.Listen = listen
	logger := progress.NewLog(d.Stderr, true, c.Log)
	server, err := daemon.OpenConsole(ctx, &d.Process, c, logger)
	if exit.CodeOf(err) == exit.Unreachable {
		c.Console.Listen = "127.0.0.1:0"
		server, err = daemon.OpenConsole(ctx, &d.Process, c, logger)
	}
	if err != nil {
		return err
	}
	out := d.out
	if d.json {
		out = d.Stderr // standard output has one object
	}
	fmt.Fprintln(out, "\n"+words.Text(d.Language, "demo.desk", "address", server.Address()))
	for i, p := range listPeople() {
		fmt.Fprintf(out, "  %-6s %s\n", p.Name, passwords[i])
	}
	return server.Serve(ctx)
}
