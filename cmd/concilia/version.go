package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// buildFacts is what the program knows of its own making.
type buildFacts struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Time    string `json:"time,omitempty"`
	Changed bool   `json:"changed,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func facts() buildFacts {
	f := buildFacts{Version: "devel", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
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
	return f
}

func newVersion(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print version, commit and build facts",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			f := facts()
			if g.json {
				return json.NewEncoder(g.stdout).Encode(f)
			}
			commit := f.Commit
			if commit == "" {
				commit = "unknown"
			}
			if f.Changed {
				commit += ", changed since"
			}
			_, err := fmt.Fprintf(g.stdout, "concilia %s (commit %s, %s, %s/%s)\n", f.Version, commit, f.Go, f.OS, f.Arch)
			return err
		},
	}
}
