package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"concilia/export/words"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/daemon"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/progress"
)

// peopleFile is the file of the people of a demo's desk.
const peopleFile = "people.yaml"

func (d *demoFiles) peoplePath() string { return d.filePath(peopleFile) }

// deskText is the part of the configuration that a desk with people needs; a folder that had one keeps it.
func (d *demoFiles) deskText() string {
	if _, err := os.Stat(d.peoplePath()); err != nil && !d.desk {
		return ""
	}
	// As the contract, it is found from the folder of the configuration.
	return "console:\n  users_file: " + peopleFile + "\nfour_eyes: [waive]\n"
}

// demoPeople are who may sign in to the desk of a demo.
func demoPeople() []console.Person {
	return []console.Person{
		{Name: demoClaimant, FullName: "Ana Lima", Role: console.Manager},
		{Name: demoCloser, FullName: "Bruno Reis", Role: console.Manager},
	}
}

// givePasswords writes the people of the demo with new passwords, beside others who were added since, and gives the passwords in the
// order of demoPeople.
func (d *demoFiles) givePasswords() (passwords []string, err error) {
	people, err := console.ReadPeople(d.peoplePath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, p := range demoPeople() {
		password := spellPassword()
		p.Password = console.HashPassword(password)
		passwords = append(passwords, password)
		people = slices.DeleteFunc(people, func(old console.Person) bool { return old.Name == p.Name })
		people = append(people, p)
	}
	return passwords, console.WritePeople(d.peoplePath(), people)
}

// spellPassword is a random password that can be typed: four groups of four.
func spellPassword() string {
	text := strings.ToLower(rand.Text())
	return strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:16]}, "-")
}

// serveDesk serves the desk until ctx ends, at its usual port or, where that is taken, at another.
func (m *mornings) serveDesk(ctx context.Context) error {
	passwords, err := m.givePasswords()
	if err != nil {
		return err
	}
	if m.nights > 1 {
		m.clock.moveTo(laterOf(m.moment.Add(3*time.Hour), m.summary.Record)) // people come at nine
	}
	c, err := m.LoadConfig(0)
	if err != nil {
		return err
	}
	c.Console.Listen = defaultConsoleListen
	logger := progress.NewLog(m.Stderr, true, c.Log)
	d, err := daemon.OpenConsole(ctx, &m.Process, c, logger)
	if exit.CodeOf(err) == exit.Unreachable {
		c.Console.Listen = "127.0.0.1:0"
		d, err = daemon.OpenConsole(ctx, &m.Process, c, logger)
	}
	if err != nil {
		return err
	}
	out := m.stdout
	if m.json {
		out = m.Stderr // standard output has one object
	}
	fmt.Fprintln(out, "\n"+words.Text(m.Language, "demo.desk", "address", d.Address()))
	for i, p := range demoPeople() {
		fmt.Fprintf(out, "  %-6s %s\n", p.Name, passwords[i])
	}
	return d.Serve(ctx)
}
