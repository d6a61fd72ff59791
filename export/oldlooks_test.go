package export_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/table"
	"concilia/store/ledger"
)

// before renders a set in the layouts of before: those of page and workbook, and the first of its tables. Nobody knows the
// hashes of its files beforehand, so the first rendering is refused for them until all are right.
func before(t *testing.T, j export.Job, f export.Feed, digest string, looks int) map[string][]byte {
	t.Helper()
	tg, out := target(t)
	j.Again = &export.Again{Digest: digest, Why: []string{"first"}, Files: map[string]string{}, Layouts: map[string]int{
		"settlement.html": looks, "settlement.xlsx": looks, "exceptions": 1, "restatement": 1,
	}}
	var differs *export.AgainError
	_, err := export.Render(t.Context(), j, f, tg)
	for errors.As(err, &differs) && differs.Now != "" {
		j.Again.Files[differs.File] = differs.Now
		_, err = export.Render(t.Context(), j, f, tg)
	}
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range out.puts {
		body, err := out.Read(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		files[path.Base(name)] = body
	}
	return files
}

// unzipped are the sheets and charts of a workbook as one text: how they are packed is the Go release's.
func unzipped(t *testing.T, body []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, f := range z.File {
		if !strings.HasPrefix(f.Name, "xl/worksheets/") && !strings.HasPrefix(f.Name, "xl/charts/") {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&out, f.Name)
		if _, err := io.Copy(&out, in); err != nil { //nolint:gosec // a workbook of this test
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// Pages, workbooks and tables of before layout 4, or 2, come out as they were published: the hashes are those of when there
// was no other.
func TestLooksOfBefore(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, digest, want string
		job                func() (export.Job, export.Feed)
	}{
		{
			"a period under a filter", "435648cf684a41d2d4dbbce5c39e9935d0dba7f65d8e4a4c461ddb84dc4f9eae", "cd05cfda19b8bf9151cf35bdebb0c117",
			func() (export.Job, export.Feed) {
				j, f := pageJob()
				j.Formats = []export.Format{export.CSV, export.CSVBR, export.XLSX, export.HTML}
				j.Kinds = slices.DeleteFunc(j.Kinds, func(k export.Kind) bool { return k == export.SlipsKind })
				j.Filter = export.Filter{Brands: []string{"visa"}, Classes: []ledger.Class{ledger.Received}}
				return j, f
			},
		},
		{
			"a period in English", "29e3a2570dda3e9cde2497d9de6127bbbee41e5da8eb5d8d5a25678e90026c31", "63dc130ececfbe54333c20bddc764a65",
			func() (export.Job, export.Feed) {
				j, f := pageJob()
				j.Formats, j.Language = []export.Format{export.CSV, export.XLSX, export.HTML}, table.English
				return j, f
			},
		},
		{
			"the state", "e010b718a9e59aec33674f8a59a9ac1da8c5cd26134f2ff5d54f4789373d4cb9", "737570fa13e0f8a52fb967b8d59a2057",
			func() (export.Job, export.Feed) {
				j, f := stateJob(), stateFeed()
				j.Formats, f.roots = append(j.Formats, export.HTML), roots()
				return j, f
			},
		},
		{
			"the agenda", "62008e97b034a9c4884de14d0e4b7b0db1dcb3f09dfd1d3157a4fcb0fdfce427", "7326e4e765ed856ecf3ef966048f387a",
			func() (export.Job, export.Feed) { return agendaJob(export.CSV, export.XLSX, export.HTML), ahead() },
		},
		{
			"a restatement", "3b9db897f561ca9a5e5204fba6dd588420c50f49532f096e2fccf602c1fa9143", "9643b820a4f40c831c6158563c388e05",
			func() (export.Job, export.Feed) { return restatementJob() },
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			j, f := row.job()
			files := before(t, j, f, row.digest, 3)
			all := sha256.New()
			for _, name := range slices.Sorted(maps.Keys(files)) {
				body := files[name]
				switch {
				case strings.HasPrefix(name, "settlement_") && strings.HasSuffix(name, ".xlsx"):
					body = unzipped(t, body)
				case strings.HasPrefix(name, "control_"), !strings.HasPrefix(name, "settlement_") && !strings.HasSuffix(name, ".br.csv"):
					continue // control names the hash of the workbook as it was packed
				}
				fmt.Fprintf(all, "%s %x\n", name, sha256.Sum256(body))
			}
			if got := hex.EncodeToString(all.Sum(nil)[:16]); got != row.want {
				t.Errorf("has hash %s, should have %s for ever", got, row.want)
			}
		})
	}
}
