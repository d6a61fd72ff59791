package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/config"
)

// TestReportReadsTheSecretsOfItsTarget: what publishes and asks nothing reads the keys of a bucket or server from their
// files, and no password of the service; what does neither opens none of them.
func TestReportReadsTheSecretsOfItsTarget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("the "+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lookup := vars("CONCILIA_SERVICE_PASSWORD_FILE", filepath.Join(dir, "nobody"),
		"CONCILIA_REPORTS_S3_ACCESS_KEY_FILE", file("access"), "CONCILIA_REPORTS_S3_SECRET_KEY_FILE", file("secret"),
		"CONCILIA_REPORTS_SFTP_PASSWORD_FILE", file("password"))
	for _, row := range []struct {
		because string
		load    func(string, func(string) (string, bool)) (*config.Config, error)
		want    string
	}{
		{"it publishes", config.LoadPublishing, "the access, the secret, the password"},
		{"it reads the ledger alone", config.LoadOffline, ", , "},
	} {
		c, err := row.load(write(t, good), lookup)
		if err != nil {
			t.Fatalf("%s: %v", row.because, err)
		}
		r := &c.Reports
		got := strings.Join([]string{r.S3.AccessKey.Reveal(), r.S3.SecretKey.Reveal(), r.SFTP.Password.Reveal()}, ", ")
		if got != row.want || c.Service.Password.Reveal() == "the nobody" {
			t.Errorf("%s: it read %q, not %q", row.because, got, row.want)
		}
	}
}

// TestSecretOfManyLines: a file of more than one line is some other file, or has a note in it that would be sent along.
func TestSecretOfManyLines(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		because, text string
		fine          bool
	}{
		{"a line", "hunter2", true},
		{"a line and its end", "hunter2\n", true},
		{"a line and its end, from Windows", "hunter2\r\n", true},
		{"blanks belong to it", " hunter 2 \n", true},
		{"a note below it", "hunter2\n# the old one\n", false},
		{"one newline goes, another is its own", "hunter2\n\n", true},
		{"bytes that are no text", "hunter\x002", false},
	} {
		path := filepath.Join(t.TempDir(), "p")
		if err := os.WriteFile(path, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := config.Load(write(t, good), vars("CONCILIA_SERVICE_PASSWORD_FILE", path))
		if (err == nil) != row.fine || err != nil && !strings.Contains(err.Error(), "on one line") || err != nil && strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: %v", row.because, err)
		}
	}
}
