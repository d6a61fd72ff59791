package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"concilia/store"
)

// buildFacts are the facts of the build.
type buildFacts struct {
	Version string            `json:"version"`
	Commit  string            `json:"commit,omitempty"`
	Time    string            `json:"time,omitempty"` // of the commit
	Changed bool              `json:"changed"`        // files differed from the commit
	Go      string            `json:"go"`
	OS      string            `json:"os"`
	Arch    string            `json:"arch"`
	Schema  int64             `json:"schema"` // version of the ledger's tables
	Modules map[string]string `json:"modules"`
}

// keyModule is a module whose version an answer to a problem often depends on.
type keyModule struct{ name, path string }

func keyModules() []keyModule {
	return []keyModule{
		{"sqlite", "modernc.org/sqlite"},
		{"pgx", "github.com/jackc/pgx/v5"},
		{"river", "github.com/riverqueue/river"},
	}
}

// readBuildFacts reads what the Go tool wrote into the program, so that a plain go build is enough.
func readBuildFacts() buildFacts {
	f := buildFacts{
		Version: "devel", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Schema: store.Schema(), Modules: map[string]string{},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return f
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		f.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			f.Commit = s.Value
		case "vcs.time":
			f.Time = s.Value
		case "vcs.modified":
			f.Changed = s.Value == "true"
		}
	}
	for _, key := range keyModules() {
		for _, dep := range info.Deps {
			if dep.Path == key.path {
				f.Modules[key.name] = dep.Version
			}
		}
	}
	return f
}

func newVersion(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print version, commit and build facts",
		Long: `version prints version, commit and build facts: the time of the commit and whether files differed from it, Go, system and
architecture, the version of the ledger's schema, and the versions of SQLite, of the PostgreSQL driver and of the job
queue.

Exit status: 0 printed; 2 usage.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if g.json {
				return json.NewEncoder(g.stdout).Encode(readBuildFacts())
			}
			return readBuildFacts().write(g.stdout)
		},
	}
}

func (f buildFacts) write(w io.Writer) error {
	commit := f.Commit
	if commit == "" {
		commit = "unknown"
	} else {
		commit += " of " + f.Time
	}
	if f.Changed {
		commit += ", changed since"
	}
	_, err := fmt.Fprintf(w, "concilia %s\ncommit   %s\nbuilt    %s for %s/%s\nledger   schema %d\n", f.Version, commit, f.Go, f.OS, f.Arch, f.Schema)
	for _, m := range keyModules() {
		if v := f.Modules[m.name]; v != "" && err == nil {
			_, err = fmt.Fprintf(w, "%-8s %s\n", m.name, v)
		}
	}
	return err
}
