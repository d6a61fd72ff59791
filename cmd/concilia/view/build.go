package view

import (
	"runtime"
	"runtime/debug"

	"concilia/store"
)

// ReadBuildFacts reads what the Go tool wrote into the program, so that a plain go build is enough.
func ReadBuildFacts() *BuildFacts {
	f := &BuildFacts{
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
	for _, key := range KeyModules() {
		for _, dep := range info.Deps {
			if dep.Path == key[1] {
				f.Modules[key[0]] = dep.Version
			}
		}
	}
	return f
}
