// Package cnabtest has a reader of CNAB 240 that others wrote read the files that tests wrote.
package cnabtest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"go.yaml.in/yaml/v3"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

//go:embed read.js
var script []byte

// modulesOf is the folder of npm's nodenab, moment and @banco-br/cnab_yaml that CONCILIA_CNAB names. Without it, or without node, a test is
// skipped, unless CONCILIA_REQUIRE_CNAB=1 demands them.
func modulesOf(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("CONCILIA_CNAB")
	_, err := exec.LookPath("node")
	if err == nil && dir != "" {
		return dir
	}
	const missing = "no node here, or CONCILIA_CNAB names no folder with npm's nodenab, moment and @banco-br/cnab_yaml"
	if os.Getenv("CONCILIA_REQUIRE_CNAB") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// CheckRead has nodenab read EDI files of titles by the layouts of cnab_yaml, and compares every column that an ERP goes by with what the
// package cnab reads; with one digit of an amount changed it reads another.
func CheckRead(t *testing.T, paths ...string) {
	t.Helper()
	modules := modulesOf(t)
	if len(paths) == 0 {
		t.Fatal("no files")
	}
	wrong := changeAmount(t, paths)
	found := readForeign(t, modules, append(slices.Clone(paths), wrong))
	for i, path := range paths {
		want := readOwn(t, path)
		if got := found[i].describeTitles(t); !slices.Equal(got, want) {
			t.Errorf("%s: nodenab reads\n%s\nwant\n%s", filepath.Base(path), firstDifference(got, want), firstDifference(want, got))
		}
	}
	if got := found[len(paths)].describeTitles(t); slices.Equal(got, readOwn(t, paths[findLargest(t, paths)])) {
		t.Error("nodenab reads the same after a digit of an amount was changed")
	}
}

// firstDifference is the first line that another list has not at its place.
func firstDifference(of, other []string) string {
	for i, line := range of {
		if i >= len(other) || other[i] != line {
			return fmt.Sprintf("line %d of %d: %s", i+1, len(of), line)
		}
	}
	return fmt.Sprintf("%d lines", len(of))
}

// foreignFile is what nodenab found in a file.
type foreignFile struct {
	Header, Trailer map[string]any
	Details         []map[string]map[string]any // by segment
}

// describeTitles is a line for the file and one for each title, as readOwn has them.
func (f *foreignFile) describeTitles(t *testing.T) []string {
	t.Helper()
	number := func(of map[string]any, field string) int64 {
		n, ok := of[field].(float64) // float: a JSON number of at most fifteen digits, so exact
		if !ok {
			t.Fatalf("%s is %v", field, of[field])
		}
		return int64(n)
	}
	out := []string{fmt.Sprintf("NSA %d, %d lotes, %d records", number(f.Header, "numero_sequencial_arquivo"), number(f.Trailer, "qtde_lotes"), number(f.Trailer, "qtde_registros"))}
	for _, d := range f.Details {
		x, u := d["T"], d["U"]
		if x == nil {
			continue // a second share
		}
		out = append(out, fmt.Sprintf("%d %s %s %08d %d %d %d %d %d %d %08d %08d", number(x, "codigo_movimento"), x["nosso_numero"], x["numero_documento"],
			number(x, "data_vencimento"), number(x, "valor_titulo"), number(x, "valor_tarifa"), number(u, "valor_pago"), number(u, "valor_liquido"),
			number(u, "valor_outras_despesas"), number(u, "valor_outros_creditos"), number(u, "data_ocorrencia"), number(u, "data_credito")))
	}
	return out
}

// readOwn is a line for the file and one for each title, as the package cnab reads them.
func readOwn(t *testing.T, path string) []string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cnab.Read(bytes.NewReader(body), cnab.ReadOptions{})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	out := []string{fmt.Sprintf("NSA %d, %d lotes, %d records", f.Header.NSA, len(f.Lotes), bytes.Count(body, []byte("\n")))}
	day := func(d ledger.Date) string {
		if d == 0 {
			return "00000000"
		}
		return d.Time().Format("02012006")
	}
	cents := func(a ledger.Amount) int64 { return int64(a / ledger.Cent) }
	for _, lote := range f.Lotes {
		for _, x := range lote.Titles {
			out = append(out, fmt.Sprintf("%d %020s %s %s %d %d %d %d %d %d %s %s", x.Movement, x.TitleNumber, x.DocumentNumber, day(x.Due), cents(x.Face),
				cents(x.Fee), cents(x.Paid), cents(x.Net), cents(x.OtherExpenses), cents(x.OtherCredits), day(x.EventDate), day(x.CreditDate)))
		}
	}
	return out
}

func readForeign(t *testing.T, modules string, paths []string) (out []foreignFile) {
	t.Helper()
	dir := t.TempDir()
	program, layout := filepath.Join(dir, "read.js"), filepath.Join(dir, "layout.json")
	if err := os.WriteFile(program, script, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(layout, newLayout(t, filepath.Join(modules, "@banco-br/cnab_yaml/cnab240/generic")), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "node", append([]string{program, layout}, paths...)...)
	c.Env = append(os.Environ(), "NODE_PATH="+modules)
	var faults bytes.Buffer
	c.Stderr = &faults
	said, err := c.Output()
	if err != nil {
		t.Fatalf("node: %v\n%.2000s", err, faults.String())
	}
	for line := range bytes.Lines(said) {
		var f foreignFile
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	if len(out) != len(paths) {
		t.Fatalf("%d files read of %d", len(out), len(paths))
	}
	return out
}

// newLayout makes nodenab's description of a retorno of the layouts of cnab_yaml, which have every record but Y.
func newLayout(t *testing.T, dir string) []byte {
	t.Helper()
	record := func(name string) map[string]layoutField {
		body, err := os.ReadFile(filepath.Join(dir, name+".yml"))
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]layoutField
		if err := yaml.Unmarshal(body, &fields); err != nil {
			t.Fatal(err)
		}
		for id, f := range fields {
			f.Picture = readablePicture(f.Picture)
			fields[id] = f
		}
		return fields
	}
	retorno := map[string]any{
		"header_arquivo": record("header_arquivo"), "header_lote": record("header_lote"), "trailer_lote": record("trailer_lote"),
		"trailer_arquivo": record("trailer_arquivo"), "detalhes": map[string]any{
			"segmento_t": record("retorno/detalhe_segmento_t"), "segmento_u": record("retorno/detalhe_segmento_u"), "segmento_y": struct{}{},
		},
	}
	out, err := json.Marshal(map[string]any{"servico": "cobranca", "versao": "107", "layout": "240", "remessa": struct{}{}, "retorno": retorno})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

type layoutField struct {
	Position [2]int `json:"pos"     yaml:"pos"`
	Picture  string `json:"picture" yaml:"picture"`
}

var picturePattern = regexp.MustCompile(`^9\((\d+)\)(?:V9\((\d+)\))?$`)

// readablePicture is a picture that nodenab reads to the last digit: it puts cents behind reais as a text, so amounts are read as cents;
// and a number of more than fifteen digits is none that JavaScript can hold.
func readablePicture(picture string) string {
	m := picturePattern.FindStringSubmatch(picture)
	if m == nil {
		return picture
	}
	whole, _ := strconv.Atoi(m[1])
	cents, _ := strconv.Atoi(m[2])
	if whole+cents > 15 {
		return fmt.Sprintf("X(%d)", whole+cents)
	}
	return fmt.Sprintf("9(%d)", whole+cents)
}

// changeAmount copies the largest file with the last digit of its first face value changed.
func changeAmount(t *testing.T, paths []string) string {
	t.Helper()
	body, err := os.ReadFile(paths[findLargest(t, paths)])
	if err != nil {
		t.Fatal(err)
	}
	const firstT, lastOfFace = 2 * 242, 95
	if body[firstT+13] != 'T' {
		t.Fatalf("record 3 is no T: %.20q", body[firstT:])
	}
	body[firstT+lastOfFace] = '0' + (body[firstT+lastOfFace]-'0'+1)%10
	wrong := filepath.Join(t.TempDir(), "wrong.ret")
	if err := os.WriteFile(wrong, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return wrong
}

func findLargest(t *testing.T, paths []string) (at int) {
	t.Helper()
	most := int64(0)
	for i, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > most {
			at, most = i, info.Size()
		}
	}
	return at
}
