package publish_test

import (
	"errors"
	"path/filepath"
	"testing"

	"concilia/export/publish"
)

// TestPutHashed publishes a file only if it has the bytes that it must have.
func TestPutHashed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, hashes := open(t, dir).(*publish.Folder)
	if !hashes {
		t.Fatal("a folder does not hash what it sends")
	}
	for _, row := range []struct {
		says, name, local, sum string
		published              bool
		err                    error
		lies                   map[string]string
	}{
		{says: "bytes that have changed", name: "a.csv", local: local(t, "changed"), sum: hashText("first"), lies: map[string]string{}},
		{says: "no local file", name: "a.csv", local: filepath.Join(t.TempDir(), "missing"), sum: hashText("first"), lies: map[string]string{}},
		{says: "the right bytes", name: "a.csv", local: local(t, "first"), sum: hashText("first"), published: true, lies: map[string]string{"a.csv": "first"}},
		{says: "the right bytes again", name: "a.csv", local: local(t, "first"), sum: hashText("first"), published: true, lies: map[string]string{"a.csv": "first"}},
		{says: "changed bytes where the right ones lie", name: "a.csv", local: local(t, "changed"), sum: hashText("first"), lies: map[string]string{"a.csv": "first"}},
		{
			says: "a name that has other bytes", name: "a.csv", local: local(t, "second"), sum: hashText("second"), err: publish.ErrTaken,
			lies: map[string]string{"a.csv": "first"},
		},
		{says: "a name that no file can have", name: "../a", local: local(t, "first"), sum: hashText("first"), err: publish.ErrName, lies: map[string]string{"a.csv": "first"}},
	} {
		published, err := folder.PutHashed(t.Context(), row.name, row.local, row.sum)
		if published != row.published || !errors.Is(err, row.err) || (err == nil) != (row.err == nil) {
			t.Errorf("%s: published %t, %v", row.says, published, err)
		}
		want(t, dir, row.lies)
	}
}
