package view

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
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

// The linker writes a build's id near the beginning of the program: on Linux and its like as a note of Go's, elsewhere between marks.
const (
	buildIDNote   = "\x04\x00\x00\x00Go\x00\x00"
	buildIDBegins = "\xff Go build ID: \""
	buildIDEnds   = "\"\n \xff"
	buildIDWithin = 64 << 10
)

// ReadBuildID reads the id that the linker gave a program: two builds have one only if they came to the same program. It is empty for
// one that cannot be read, or was linked without.
func ReadBuildID(program string) string {
	f, err := os.Open(program)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, buildIDWithin))
	if err != nil {
		return ""
	}
	if before, note, found := bytes.Cut(head, []byte(buildIDNote)); found && len(before) >= 4 {
		size := binary.LittleEndian.Uint32(before[len(before)-4:])
		return string(note[:min(int(size), len(note))])
	}
	_, rest, _ := bytes.Cut(head, []byte(buildIDBegins))
	id, _, ends := bytes.Cut(rest, []byte(buildIDEnds))
	if !ends {
		return ""
	}
	return string(id)
}

// Identity distinguishes this program from every other build: by its commit, and where there is none, or files differed from it, by the id of the build.
func (v *BuildFacts) Identity(buildID string) string {
	switch {
	case v.Commit == "":
		return buildID
	case v.Changed:
		return v.Commit + " " + buildID
	}
	return v.Commit
}
