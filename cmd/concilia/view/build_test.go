package view

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestTwoBuildsAreTwoVersions: a run that one program began another takes up only if both are the same. Two builds without a commit,
// or of files that differ from one, used to count as one.
func TestTwoBuildsAreTwoVersions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	built := func(name, says string, flags ...string) string {
		t.Helper()
		source, program := filepath.Join(dir, name+".go"), filepath.Join(dir, name)
		if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(\""+says+"\") }\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", append(append([]string{"build", "-buildvcs=false"}, flags...), "-o", program, source)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return ReadBuildID(program)
	}
	one, other := built("one", "one"), built("other", "other")
	if one == "" || one == other {
		t.Errorf("two programs have the ids %q and %q", one, other)
	}
	if id := built("stripped", "one", "-ldflags=-buildid="); id != "" {
		t.Errorf("a program without an id has the id %q", id)
	}
	if id := ReadBuildID(filepath.Join(dir, "nothing")); id != "" {
		t.Errorf("what is not there has the id %q", id)
	}
	for _, row := range []struct {
		because string
		facts   BuildFacts
		want    string
	}{
		{"no repository was there", BuildFacts{}, one},
		{"a commit says it all", BuildFacts{Commit: "abc"}, "abc"},
		{"files differed from the commit", BuildFacts{Commit: "abc", Changed: true}, "abc " + one},
	} {
		if got := row.facts.Identity(one); got != row.want {
			t.Errorf("%s: %q, not %q", row.because, got, row.want)
		}
	}
}
