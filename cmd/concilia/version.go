package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/view"
	"concilia/store"
)

// readBuildFacts reads what the Go tool wrote into the program, so that a plain go build is enough.
func readBuildFacts() *view.BuildFacts {
	f := &view.BuildFacts{
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
	for _, key := range view.KeyModules() {
		for _, dep := range info.Deps {
			if dep.Path == key[1] {
				f.Modules[key[0]] = dep.Version
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
		RunE: func(*cobra.Command, []string) error { return g.show(readBuildFacts()) },
	}
}
