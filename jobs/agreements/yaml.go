package agreements

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"go.yaml.in/yaml/v3"

	"concilia/config/problem"
	"concilia/export/words"
	"concilia/store/ledger"
)

const (
	// maxFile bounds a file in bytes; ten thousand rate lines take a fraction of it.
	maxFile = 8 << 20
	// maxNodes bounds the values read, since anchors can expand a small file to a very large one.
	maxNodes = 1 << 20
	// maxProblems bounds how many problems are collected.
	maxProblems = 1000
)

// yamlReader reads one YAML document key by key and collects its problems.
type yamlReader struct {
	file     string
	problems problem.List
	visited  int
}

// yamlValue is a node and the path of its keys.
type yamlValue struct {
	node *yaml.Node
	path string
}

// yamlField is a key that a block may have. read is not called for a key that is absent or empty (null).
type yamlField struct {
	key  string
	read func(yamlValue)
}

// openDocument parses the text. The second result is false if there is nothing to read: the file is empty, or it is not
// YAML, which is a problem.
func (r *yamlReader) openDocument(data []byte) (yamlValue, bool) {
	if len(data) > maxFile {
		r.addProblem(yamlValue{}, "", words.NewMessage("want.at_most_mib", "most", maxFile>>20))
		return yamlValue{}, false
	}
	var doc, second yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&doc); err != nil {
		if !errors.Is(err, io.EOF) {
			r.addSyntaxError(err)
		}
		return yamlValue{}, false
	}
	switch err := d.Decode(&second); {
	case err == nil:
		r.addProblem(yamlValue{node: &second}, "", words.NewMessage("want.one_document"))
	case !errors.Is(err, io.EOF):
		r.addSyntaxError(err)
	}
	if len(doc.Content) != 1 {
		return yamlValue{}, false
	}
	root := yamlValue{node: doc.Content[0]}
	return root, !isNull(root.node)
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

func (r *yamlReader) addSyntaxError(err error) {
	m := yamlLine.FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(m[1])
	r.problems = append(r.problems, problem.Problem{
		File: r.file, Line: line,
		Want: words.NewMessage("problem.syntax_quotes", "cause", strings.TrimPrefix(err.Error(), m[0])),
	})
}

// addProblem reports a problem of v. shownValue is the part of the value that may be printed.
func (r *yamlReader) addProblem(v yamlValue, shownValue string, want words.Message) {
	if len(r.problems) >= maxProblems {
		return
	}
	p := problem.Problem{File: r.file, Key: v.path, Value: problem.Shown(shownValue), Want: want}
	if v.node != nil {
		p.Line = v.node.Line
	}
	r.problems = append(r.problems, p)
}

// addWrongValue reports a scalar that is not the value described by want.
func (r *yamlReader) addWrongValue(v yamlValue, want words.Message) {
	text := ""
	if n := resolveAlias(v.node); n.Kind == yaml.ScalarNode {
		text = n.Value
		if text == "" {
			want = words.NewMessage("problem.empty", "want", want)
		}
	} else {
		want = words.NewMessage("problem.not_single", "want", want)
	}
	r.addProblem(v, text, want)
}

// resolveAlias returns the node that an alias refers to, and any other node itself.
func resolveAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	n = resolveAlias(n)
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}

// enterNode counts a value and returns its node; false if the limit is exceeded or the value has a tag.
func (r *yamlReader) enterNode(v yamlValue) (*yaml.Node, bool) {
	r.visited++
	if r.visited == maxNodes+1 {
		r.addProblem(v, "", words.NewMessage("want.at_most_values", "most", maxNodes))
	}
	if r.visited > maxNodes {
		return nil, false
	}
	n := resolveAlias(v.node)
	if n.Style&yaml.TaggedStyle != 0 {
		r.addProblem(v, n.Tag, words.NewMessage("want.plain_value"))
		return nil, false
	}
	return n, true
}

// readMapping reads the keys of v and reports unknown ones. It returns which keys had a value.
func (r *yamlReader) readMapping(v yamlValue, fields ...yamlField) map[string]bool {
	has := map[string]bool{}
	r.readEntries(v, func(key string, entry yamlValue) {
		i := slices.IndexFunc(fields, func(fd yamlField) bool { return fd.key == key })
		if i < 0 {
			keys := make([]string, len(fields))
			for j, fd := range fields {
				keys[j] = fd.key
			}
			r.addProblem(entry, "", problem.UnknownKey(key, keys))
			return
		}
		if isNull(entry.node) {
			return
		}
		has[key] = true
		fields[i].read(entry)
	})
	return has
}

// readEntries calls each for every key of a block and its value, whose path ends in the key. Duplicate keys are reported.
func (r *yamlReader) readEntries(v yamlValue, each func(key string, entry yamlValue)) {
	n, ok := r.enterNode(v)
	if !ok {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.addProblem(v, scalarText(n), words.NewMessage("want.block"))
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		entry := yamlValue{node: n.Content[i+1], path: joinPath(v.path, problem.Shown(scalarText(k)))}
		at := yamlValue{node: k, path: entry.path}
		switch first, twice := lines[k.Value]; {
		case k.Kind != yaml.ScalarNode || k.Tag == "!!merge":
			r.addProblem(at, "", words.NewMessage("want.plain_key"))
		case twice:
			r.addProblem(at, "", words.NewMessage("want.key_once", "line", first))
		default:
			lines[k.Value] = k.Line
			each(k.Value, entry)
		}
	}
}

// readList calls each for every element of a list.
func (r *yamlReader) readList(v yamlValue, of words.Message, each func(i int, element yamlValue)) {
	n, ok := r.enterNode(v)
	if !ok {
		return
	}
	if n.Kind != yaml.SequenceNode {
		r.addProblem(v, scalarText(n), words.NewMessage("want.list_of", "of", of))
		return
	}
	for i, element := range n.Content {
		each(i, yamlValue{node: element, path: v.path + "[" + strconv.Itoa(i) + "]"})
	}
}

// addMissing reports a required key that is absent.
func (r *yamlReader) addMissing(v yamlValue, key string, want words.Message) {
	r.addProblem(yamlValue{node: v.node, path: joinPath(v.path, key)}, "", words.NewMessage("problem.missing", "want", want))
}

func scalarText(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// readText returns the scalar as written, without its quotes.
func (r *yamlReader) readText(v yamlValue, want words.Message) (string, bool) {
	n, ok := r.enterNode(v)
	if !ok {
		return "", false
	}
	if n.Kind != yaml.ScalarNode || isNull(n) {
		r.addWrongValue(v, want)
		return "", false
	}
	return n.Value, true
}

// readRate reads a percent between least and most.
func (r *yamlReader) readRate(v yamlValue, least, most ledger.Rate) ledger.Rate {
	want := words.NewMessage("want.percent", "least", trimZeros(least.String()), "most", trimZeros(most.String()))
	return readExactly(r, v, want, ledger.ExactRate, decimal.New(int64(least), -6), decimal.New(int64(most), -6))
}

// readAmount reads an amount in reais from 0 to most.
func (r *yamlReader) readAmount(v yamlValue, most ledger.Amount) ledger.Amount {
	want := words.NewMessage("want.amount", "most", most)
	return readExactly(r, v, want, ledger.ExactAmount, decimal.Zero, decimal.New(int64(most), -4))
}

// readExactly reads a decimal number from least to most that fits its type exactly.
func readExactly[T ledger.Rate | ledger.Amount](r *yamlReader, v yamlValue, want words.Message, convert func(decimal.Decimal) (T, error), least, most decimal.Decimal) T {
	text, ok := r.readText(v, want)
	if !ok {
		return 0
	}
	d, ok := problem.ParseDecimal(text)
	if !ok || d.LessThan(least) || d.GreaterThan(most) {
		r.addWrongValue(v, want)
		return 0
	}
	n, err := convert(d)
	if err != nil {
		r.addWrongValue(v, ExplainInexact(err, want))
	}
	return n
}

// ExplainInexact says why a number does not fit an amount or a rate exactly, and what would be right.
func ExplainInexact(err error, want words.Message) words.Message {
	var decimals ledger.DecimalsError
	if errors.As(err, &decimals) {
		return words.NewMessage("problem.decimals", "most", int(decimals), "want", want)
	}
	return words.NewMessage("problem.because", "cause", err, "want", want)
}

// readInteger reads a whole number in plain digits.
func (r *yamlReader) readInteger(v yamlValue, least, most int64, what words.Message) int64 {
	want := words.NewMessage("want.range", "what", what, "least", least, "most", most)
	text, ok := r.readText(v, want)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most || text[0] == '+' {
		r.addWrongValue(v, want)
		return 0
	}
	return n
}

// readDate reads a date.
func (r *yamlReader) readDate(v yamlValue) ledger.Date {
	want := words.NewMessage("want.contract_date")
	text, ok := r.readText(v, want)
	if !ok {
		return 0
	}
	d, err := ledger.ParseDate(text)
	if err != nil {
		r.addWrongValue(v, want)
	}
	return d
}

// readBool reads true or false.
func (r *yamlReader) readBool(v yamlValue) bool {
	want := words.NewMessage("want.bool")
	text, ok := r.readText(v, want)
	if ok && text != "true" && text != "false" {
		r.addWrongValue(v, want)
	}
	return text == "true"
}

// readZone reads the name of a time zone into dst; it does not change dst if the name is invalid.
func (r *yamlReader) readZone(v yamlValue, dst *string) {
	want := words.NewMessage("want.zone")
	text, ok := r.readText(v, want)
	if !ok {
		return
	}
	// Local depends on the machine.
	if _, err := time.LoadLocation(text); err != nil || text == "" || text == "Local" {
		r.addWrongValue(v, want)
		return
	}
	*dst = text
}

// choiceReader returns a function that reads one of the options into dst; it does not change dst if the text is none of
// them.
func choiceReader[T ~string](r *yamlReader, dst *T, options ...T) func(yamlValue) {
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = string(o)
	}
	want := words.NewMessage("want.one_of", "names", strings.Join(names, ", "))
	return func(v yamlValue) {
		text, ok := r.readText(v, want)
		if !ok {
			return
		}
		if i := slices.Index(names, text); i >= 0 {
			*dst = options[i]
			return
		}
		r.addWrongValue(v, want)
	}
}

// trimZeros drops the zeros after the point.
func trimZeros(number string) string {
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number
}
