package people

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// FuzzReadPeople: whatever the file of people holds, each person that is read may sign in under the rules, and the file written again
// reads as the same people.
func FuzzReadPeople(f *testing.F) {
	const password = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g"
	for _, seed := range []string{
		"people:\n  - {name: ana, full_name: Ana Lima, role: manager, payers: true, password: '" + password + "'}\n",
		"people:\n  - {name: rui@loja, role: reader, accounts: [1001, 1002], password: '" + password + "'}\n",
		"people:\n  - {name: ana, role: owner, password: x}\n  - {name: ANA, role: reader, accounts: [-1]}\n",
		"people: []\n", "", "people: {}\n", "people: &a [*a]\n", "folk: []\n", "people:\n- name: !!binary aGE=\n",
	} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(dir, "people.yaml")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := ReadFile(path)
		if err != nil {
			return
		}
		for i := range all {
			if err := all[i].Check(); err != nil {
				t.Errorf("read, and %v", err)
			}
		}
		if err := writeFile(path, all); err != nil {
			t.Fatal(err)
		}
		again, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(all)+len(again) > 0 && !reflect.DeepEqual(all, again) {
			t.Errorf("%+v\nis written and read as\n%+v", all, again)
		}
	})
}
