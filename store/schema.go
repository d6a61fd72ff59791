package store

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"regexp"
	"strings"

	"github.com/pressly/goose/v3"
)

// firstSchema is the last version of the schema that a new ledger begins with. As long as there was no release, the
// schema changes by editing its files, and a ledger made by other files is refused; after the first release it changes
// by adding a file with a higher version.
const firstSchema = 5

// Schema is the schema version that this program migrates a ledger to, the same for both databases.
func Schema() int64 {
	var highest int64
	for _, name := range schemaFiles("sqlite") {
		highest = max(highest, schemaVersion(name))
	}
	return highest
}

// schemaFiles are the files of a dialect's schema in the order of their names, which is that of their versions.
func schemaFiles(dialect string) []string {
	names, _ := fs.Glob(migrations, "migrations/"+dialect+"/*.sql") // the pattern is well formed
	return names
}

// schemaVersion is the version of a file of the schema, 0 for a name without one, which no migration has: goose refuses it.
func schemaVersion(name string) int64 {
	v, err := goose.NumericComponent(name)
	if err != nil {
		return 0
	}
	return v
}

// sqlComment is a comment to the end of its line.
var sqlComment = regexp.MustCompile(`--[^\n]*`)

// schemaDigest is the SHA-256, in hex, of the statements of the first schema of a dialect, without comments and layout.
func schemaDigest(dialect string) (string, error) {
	sum := sha256.New()
	for _, name := range schemaFiles(dialect) {
		if schemaVersion(name) > firstSchema {
			continue
		}
		text, err := migrations.ReadFile(name)
		if err != nil {
			return "", err
		}
		statements := strings.Fields(sqlComment.ReplaceAllString(string(text), ""))
		sum.Write([]byte(strings.Join(statements, " ") + "\n"))
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
