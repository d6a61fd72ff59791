package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"html"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/export/report"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
)

// reportsForPeople are reports of a demo of every basis, in the formats that people read, and in jsonl, which keeps texts and
// numbers apart.
var reportsForPeople = [][]string{
	{"--basis", "operation", "--from", "2026-11-01", "--to", "2026-11-30"},
	{"--basis", "credit", "--from", "2026-10-01", "--to", "2026-10-31"},
	{"--basis", "asof"},
	{"--basis", "forecast", "--from", "2026-11-18", "--to", "2026-12-18"},
	{"--kind", "claims", "--from", "2026-10-01", "--to", "2026-10-31"},
}

// livedReports are the files of reportsForPeople, and the pages about a case of each code, one of which is disputed.
type livedReports struct {
	files    []string
	explains map[string]string // by code
	disputed string            // the code of the case that is
}

const disputeReference = "P-2026/77"

// serviceName is what the demo of lifeOfDemo calls the payment service.
const serviceName = "PagX"

// lifeOfDemo disputes a case of a demo, explains one of each code in Portuguese, and makes the reports.
func lifeOfDemo(t *testing.T) livedReports {
	t.Helper()
	dir := copyDemo(t, allDays)
	name := serviceName
	concilia := func(args ...string) string {
		var out bytes.Buffer
		code := run(t.Context(), environment{
			args: append([]string{"--config", filepath.Join(dir, "concilia.yaml")}, args...), stdout: &out, stderr: &out,
			lookup: func(key string) (string, bool) { return name, name != "" && key == "CONCILIA_SERVICE_NAME" }, wall: time.Now,
		})
		if code != 0 && code != exit.Breaks {
			t.Fatalf("%v: exit %d:\n%s", args, code, out.String())
		}
		return out.String()
	}
	l, err := store.Open(t.Context(), "sqlite:"+filepath.Join(dir, "concilia.db"))
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]string{}
	err = l.Findings(t.Context(), caselog.FindingFilter{}, func(f *ledger.Finding) error {
		if first[f.Code] == "" {
			first[f.Code] = f.Case
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	lived := livedReports{explains: map[string]string{}, disputed: "RECEIVED_OVERDUE"}
	concilia("exceptions", "dispute", first[lived.disputed], "--reference", disputeReference, "--as", "Ana", "--reason", "falta o valor")
	for code, id := range first {
		lived.explains[code] = concilia("explain", id, "--lang", "pt-BR")
	}
	concilia("reconcile", "--as-of", "2026-11-18")
	concilia("report", "--basis", "asof")
	name = ""
	if said := concilia("verify", filepath.Join(dir, "reports")); !strings.Contains(said, "content digests computed again") {
		t.Errorf("what the service is called is part of a published set, not of the configuration that verifies it:\n%s", said)
	}
	name = serviceName
	out := filepath.Join(dir, "out")
	for _, of := range reportsForPeople {
		concilia(append([]string{"report", "--format", "csv,csv-br,jsonl,html", "--out", out}, of...)...)
	}
	err = filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			lived.files = append(lived.files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lived
}

// What is shown as it is in any language: names of files, subjects, pulls and contract lines, commands, and hashes.
var (
	untranslated = regexp.MustCompile(`[a-z-]+_(?:\d{4}|all)_[\w.*-]+|\b[a-z_]+:\d{4}:\S+|\S*Z-[a-z0-9]{8}\S*|\d{4}/\d{4}-\d\d-\d\d/\S+` +
		`|concilia [a-z]+ [a-z]+|\b[0-9a-f]{16,}\b|(?:\d{4}|all)_[a-z]+_\d{8}_\d{8}_\w+`)
	markup = regexp.MustCompile(`(?s)<style.*?</style>|<[^>]+>`)
	// A word is English, an id, a member of the service's records, or a plural of one thing.
	notPortuguese = regexp.MustCompile(`\b[a-z]+[A-Z]\w+|\b[a-z0-9]+_[a-z_]+\b|\.br\b|\bUTC\b|\b1 (?:elegíveis|linhas|parcelas|dias|boletos|casos|arquivos)\b|` +
		`\b(?:account|added|brand|by|cards?|changed|contract|credit|debit|disputed?|done|due|eligible|evaluated|false|fees|first|from|` +
		`installments?|missing|not|of|open|overdue|practised|printed|proposed|received|rows?|sales?|service|settlement|slips?|the|true|` +
		`whatever|with)\b`)

	// privateWords are words that a finance person would have to be taught, for which there are plain ones.
	privateWords = regexp.MustCompile(`\b[Rr]azão\b|[Gg]ravador|[Rr]esíduo|[Aa]rquivo relido|[Cc]oleta posterior|volta a julgar|O código cobra|` +
		`parado no registro|[Dd]esfeit[oa]|[Dd]esfazimento|(?:toma|tomá-lo) de volta|\bFloat\b|\bAging\b|não entraram|o limite é|` +
		`[Ss]erviço|[Oo]peradora|[Pp]erdid[oa]|[Ee]xpost[oa]|à parte|\bbase (?:operação|previsão|pagamento|crédito)|\b[Pp]osição|^Contestação|contestada|` +
		`Da venda em|Split de R|código cobra|\d %`)
)

// Pages about cases, pages, csv-br and the control in it are Portuguese throughout. A disputed case is not to be claimed once more:
// its page names the reference and who disputed it.
func TestPortugueseOutputHasNoEnglishWords(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches the night, the demo and the webhooks")
	}
	lived := lifeOfDemo(t)
	texts := map[string]string{}
	for code, page := range lived.explains {
		texts["explain "+code] = page
	}
	controls := 0
	for _, path := range lived.files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch name := filepath.Base(path); {
		case strings.HasSuffix(name, ".html"):
			texts[name] = html.UnescapeString(markup.ReplaceAllString(string(text), "\n"))
		case strings.HasSuffix(name, ".br.csv"):
			texts[name] = string(text)
			if strings.HasPrefix(name, "control_") {
				controls++
			}
		}
	}
	if len(lived.explains) < 20 || controls < 8 {
		t.Fatalf("%d pages about cases, %d controls", len(lived.explains), controls)
	}
	for name, text := range texts {
		said := map[string]bool{}
		for line := range strings.Lines(text) {
			line := untranslated.ReplaceAllString(line, "")
			word := notPortuguese.FindString(line)
			if word == "" {
				word = privateWords.FindString(line)
			}
			if word != "" && !said[word] {
				said[word] = true
				t.Errorf("%s: %q in %.200q", name, word, line)
			}
		}
	}
	page := lived.explains[lived.disputed]
	if !strings.Contains(page, "em contestação") || !strings.Contains(page, "Protocolo             "+disputeReference) ||
		!strings.Contains(page, "Acompanhar a contestação "+disputeReference) || strings.Contains(page, "Cobrar") ||
		!regexp.MustCompile(`\d\d:\d\d:\d\d -03:00 +contestação, valor contestado R\$ 189,08, acompanhar\s+em \d\d/\d\d/\d{4}, protocolo P-2026/77, Ana: falta o\s+valor`).MatchString(page) {
		t.Errorf("the page about the disputed case:\n%s", page)
	}
	if page := lived.explains["SPLIT_AMOUNT_MISMATCH"]; !strings.Contains(page, "Cobrar de: PagX") || !strings.Contains(page, "Pedir a PagX a correção do repasse.") {
		t.Errorf("the page about a case that the service owes:\n%s", page)
	}
	if !slices.ContainsFunc(slices.Collect(maps.Values(texts)), func(text string) bool { return strings.Contains(text, "\nCobrar de: PagX\n") }) {
		t.Error("no page of reports says whom to ask")
	}
	for code, page := range lived.explains {
		if code != lived.disputed && strings.Contains(page, "Protocolo  ") {
			t.Errorf("%s is not disputed:\n%s", code, page)
		}
	}
	checkDigitColumns(t, lived.files)
}

// checkDigitColumns: a spreadsheet that guesses types spoils texts of digits. control lists the columns that hold them, neither more
// nor fewer than the files have, and the handbook names each by its header.
func checkDigitColumns(t *testing.T, files []string) {
	t.Helper()
	listed, held := map[string]bool{}, map[string]bool{}
	headers := map[string]bool{}
	for _, path := range files {
		name, _, _ := strings.Cut(filepath.Base(path), "_")
		switch control := name == string(report.ControlKind); {
		case strings.HasSuffix(path, ".jsonl") && !control:
			noteDigitTexts(t, path, name, held)
		case strings.HasSuffix(path, ".br.csv") && control:
			for _, row := range readTable(t, path, ';') {
				if row[1] == "colunas de dígitos" {
					headers[row[3]] = true
				}
			}
		case strings.HasSuffix(path, ".csv") && control:
			for _, row := range readTable(t, path, ',') {
				if row[1] == "digit_columns" {
					listed[row[2]+" "+row[3]] = true
				}
			}
		}
	}
	maps.DeleteFunc(held, func(_ string, digits bool) bool { return !digits })
	if diff := cmp.Diff(held, listed); diff != "" || len(listed) == 0 {
		t.Errorf("columns of digits in the files (-) and in control (+):\n%s", diff)
	}
	page, err := os.ReadFile(filepath.Join("handbook", "pt-BR", "reports.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	for name := range headers {
		if !strings.Contains(text, name) {
			t.Errorf("the handbook does not name %s", name)
		}
	}
}

// noteDigitTexts notes of each column of a jsonl whether all its texts are digits.
func noteDigitTexts(t *testing.T, path, table string, digits map[string]bool) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var row map[string]any
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for id, value := range row {
			if text, ok := value.(string); ok && text != "" {
				all, seen := digits[table+" "+id]
				digits[table+" "+id] = (all || !seen) && strings.Trim(text, "0123456789") == ""
			}
		}
	}
}

// readTable reads a csv file of a separator, its header too.
func readTable(t *testing.T, path string, comma rune) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = comma
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return rows
}
