package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"concilia/store/sqldb"
)

// customer is who buys in the stores of a demo, as their exports name her: name, document, address of mail.
var customer = regexp.MustCompile(`(?i)quit[eé]ria|falante|80416395260|804\.163\.952`)

// Of the customers that the exports of stores name nothing is in the ledger, in a body, in a report, in the archive or in what was said.
func TestCustomersOfStoresAreNotKept(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches a whole demo in another test")
	}
	left := demoWith(t, fewDays...)
	dir := copyLeft(t, left)
	check := func(name string, text []byte) {
		for text := range eachContent(t, name, text) {
			if found := customer.Find(text); found != nil {
				t.Errorf("%s says %q", name, found)
			}
		}
	}
	check("the demo", []byte(left.said))
	exported, kept := 0, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(name, "vendas"):
			for text := range eachContent(t, name, text) {
				exported += len(customer.FindAll(text, -1))
			}
		default:
			kept++
			check(name, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	bodies := 0
	for hash, text := range eachBody(t, dir) {
		bodies++
		check("body "+hash, text)
	}
	if exported < 100 || kept < 20 || bodies < 20 {
		t.Errorf("the stores name the customer %d times; %d files and %d bodies were read", exported, kept, bodies)
	}
}

// eachContent is a file as it is, or what is packed in it.
func eachContent(t *testing.T, name string, text []byte) func(func([]byte) bool) {
	t.Helper()
	return func(yield func([]byte) bool) {
		must := func(err error) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		read := func(in io.Reader) []byte {
			all, err := io.ReadAll(in)
			must(err)
			return all
		}
		switch {
		case bytes.HasPrefix(text, []byte("PK\x03\x04")):
			z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
			must(err)
			for _, f := range z.File {
				in, err := f.Open()
				must(err)
				yield(read(in))
			}
		case bytes.HasPrefix(text, []byte("\x1f\x8b")):
			in, err := gzip.NewReader(bytes.NewReader(text))
			must(err)
			for inner := range eachContent(t, name, read(in)) {
				yield(inner)
			}
		default:
			yield(text)
		}
	}
}

// eachBody are the answers of the service that a ledger keeps, packed, by their hashes.
func eachBody(t *testing.T, dir string) func(func(string, []byte) bool) {
	t.Helper()
	return func(yield func(string, []byte) bool) {
		db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(dir, "concilia.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		rows, err := db.Read.QueryContext(t.Context(), "SELECT sha256, packed FROM body_bytes ORDER BY sha256")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var hash string
			var packed []byte
			if err := rows.Scan(&hash, &packed); err != nil {
				t.Fatal(err)
			}
			if !yield(hash, packed) {
				return
			}
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
	}
}
