package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"go.yaml.in/yaml/v3"

	"concilia/config/problem"
	"concilia/export/words"
)

// maxNodes bounds the values read, since anchors can expand a small file to a very large one.
const maxNodes = 1 << 18

// fileDecoder reads the nodes of a file into the fields of a Config, and notes the line of each key.
type fileDecoder struct {
	*validator
	visited int
}

// decodeFile reads the file over what is in cfg. It walks the nodes and the fields of Config together, so that one bad value
// hides no other and every value keeps its line. It returns false if the file is not YAML, so that no value can be checked.
func (d *fileDecoder) decodeFile(data []byte, cfg *Config) bool {
	var doc, second yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(data))
	if err := documents.Decode(&doc); err != nil {
		if !errors.Is(err, io.EOF) {
			d.addSyntaxError(err)
			return false
		}
		return true
	}
	switch err := documents.Decode(&second); {
	case err == nil:
		d.addNodeProblem(&second, "", "", words.NewMessage("want.one_document"))
	case !errors.Is(err, io.EOF):
		d.addSyntaxError(err)
	}
	if len(doc.Content) == 1 {
		d.readValue(doc.Content[0], "", reflect.ValueOf(cfg).Elem())
	}
	return true
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

func (d *fileDecoder) addSyntaxError(err error) {
	m := yamlLine.FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(m[1])
	d.problems = append(d.problems, problem.Problem{
		File: d.file, Line: line,
		Want: words.NewMessage("problem.syntax", "cause", strings.TrimPrefix(err.Error(), m[0])),
	})
}

// addNodeProblem reports a problem of a node; key is empty for the document as a whole.
func (d *fileDecoder) addNodeProblem(n *yaml.Node, key, value string, want words.Message) {
	if key != "" {
		d.lines[key] = n.Line
		d.addProblem(key, value, want)
		return
	}
	d.problems = append(d.problems, problem.Problem{File: d.file, Line: n.Line, Value: problem.Shown(value), Want: want})
}

func resolveAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

var (
	secretType   = reflect.TypeFor[Secret]()
	durationType = reflect.TypeFor[time.Duration]()
	decimalType  = reflect.TypeFor[decimal.Decimal]()
)

// readValue reads a node into v. Null, such as a key without a value, keeps the default.
func (d *fileDecoder) readValue(n *yaml.Node, key string, v reflect.Value) {
	line := n.Line
	n = resolveAlias(n)
	if d.visited++; d.visited > maxNodes {
		if d.visited == maxNodes+1 {
			d.addNodeProblem(n, key, "", words.NewMessage("want.at_most_values", "most", maxNodes))
		}
		return
	}
	if key != "" {
		d.lines[key] = line
	}
	switch {
	case n.Style&yaml.TaggedStyle != 0:
		d.addNodeProblem(n, key, n.Tag, words.NewMessage("want.plain_value"))
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		d.blank[key] = true
	case v.Type() == secretType:
		d.addNodeProblem(n, key, "", words.NewMessage("want.no_secret", "key", key[strings.LastIndexByte(key, '.')+1:], "variable", variableName(key)))
	case v.Kind() == reflect.Struct:
		d.readObject(n, key, v)
	case v.Kind() == reflect.Map:
		d.readMap(n, key, v)
	case v.Kind() == reflect.Slice:
		d.readList(n, key, v)
	case n.Kind != yaml.ScalarNode:
		d.addNodeProblem(n, key, "", words.NewMessage("problem.not_single", "want", describeType(v.Type())))
	default:
		if !setScalar(v, n.Value) {
			d.addNodeProblem(n, key, n.Value, describeType(v.Type()))
		}
	}
}

// readObject reads the keys of a block into the fields that carry them.
func (d *fileDecoder) readObject(n *yaml.Node, key string, v reflect.Value) {
	fields := map[string]reflect.Value{}
	var keys []string
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if name != "" {
			fields[name] = v.Field(i)
			keys = append(keys, name)
		}
	}
	d.readEntries(n, key, func(name, path string, at, value *yaml.Node) {
		f, ok := fields[name]
		if !ok {
			d.addNodeProblem(at, path, "", problem.UnknownKey(name, keys))
			return
		}
		d.readValue(value, path, f)
	})
}

// readMap reads a block with arbitrary keys, such as the codes of rules.
func (d *fileDecoder) readMap(n *yaml.Node, key string, v reflect.Value) {
	all := reflect.MakeMap(v.Type())
	d.readEntries(n, key, func(name, path string, _, value *yaml.Node) {
		element := reflect.New(v.Type().Elem()).Elem()
		d.readValue(value, path, element)
		all.SetMapIndex(reflect.ValueOf(name), element)
	})
	v.Set(all)
}

// readEntries calls each for every key of a block. Duplicate keys are reported.
func (d *fileDecoder) readEntries(n *yaml.Node, key string, each func(name, path string, at, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.addNodeProblem(n, key, n.Value, words.NewMessage("want.block"))
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, value := n.Content[i], n.Content[i+1]
		path := joinKey(key, problem.Shown(k.Value))
		switch first, twice := lines[k.Value]; {
		case k.Kind != yaml.ScalarNode || k.Tag == "!!merge" || k.Value == "":
			d.problems = append(d.problems, problem.Problem{
				File: d.file, Line: k.Line, Key: path,
				Want: words.NewMessage("want.plain_key"),
			})
		case twice:
			d.problems = append(d.problems, problem.Problem{
				File: d.file, Line: k.Line, Key: path,
				Want: words.NewMessage("want.key_once", "line", first),
			})
		default:
			lines[k.Value] = k.Line
			each(k.Value, path, k, value)
		}
	}
}

// readList reads a list; it replaces the whole default.
func (d *fileDecoder) readList(n *yaml.Node, key string, v reflect.Value) {
	if n.Kind != yaml.SequenceNode {
		d.addNodeProblem(n, key, n.Value, words.NewMessage("want.list"))
		return
	}
	all := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, element := range n.Content {
		presetElement(all.Index(i))
		d.readValue(element, fmt.Sprintf("%s[%d]", key, i), all.Index(i))
	}
	v.Set(all)
}

// presetElement sets the defaults of an element of a list, if its type has some.
func presetElement(element reflect.Value) {
	if p, ok := element.Addr().Interface().(interface{ setDefaults() }); ok {
		p.setDefaults()
	}
}

// setScalar parses text into a scalar field.
func setScalar(v reflect.Value, text string) bool {
	switch {
	case v.Kind() == reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		if !setScalar(p.Elem(), text) {
			return false
		}
		v.Set(p)
		return true
	case v.Type() == durationType:
		d, err := time.ParseDuration(text)
		v.SetInt(int64(d))
		return err == nil
	case v.Type() == decimalType:
		d, ok := problem.ParseDecimal(text)
		v.Set(reflect.ValueOf(d))
		return ok
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
		return true
	case reflect.Bool:
		v.SetBool(text == "true")
		return text == "true" || text == "false"
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(n)
		return err == nil
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		v.SetFloat(f)
		return err == nil
	}
	return false
}

// describeType describes the values that a scalar field accepts.
func describeType(t reflect.Type) words.Message {
	switch {
	case t.Kind() == reflect.Pointer:
		return describeType(t.Elem())
	case t == durationType:
		return words.NewMessage("want.duration")
	case t == decimalType:
		return words.NewMessage("want.decimal")
	}
	switch t.Kind() {
	case reflect.Bool:
		return words.NewMessage("want.bool")
	case reflect.Int, reflect.Int64:
		return words.NewMessage("want.integer")
	case reflect.Float64:
		return words.NewMessage("want.number")
	case reflect.Slice:
		return words.NewMessage("want.words")
	case reflect.Map:
		return words.NewMessage("want.counted_words")
	}
	return words.NewMessage("want.text")
}

func joinKey(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}
