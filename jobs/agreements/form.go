package agreements

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"concilia/config/problem"
)

const (
	// maxFile bounds a file: ten thousand rate lines fit in it many times.
	maxFile = 8 << 20
	// maxNodes bounds what is visited, since anchors let a small file spell a very large one.
	maxNodes = 1 << 20
	// maxKept bounds how many problems are gathered.
	maxKept = 1000
)

// form reads one YAML document key by key and gathers what is wrong with it.
type form struct {
	file     string
	problems problem.List
	visited  int
}

// value is a node and the path of keys that led to it.
type value struct {
	node *yaml.Node
	path string
}

// field is a key a mapping may have. read is not called for a key left out or left empty (null).
type field struct {
	key  string
	read func(value)
}

// open parses the text. The second result is false when there is nothing to read: an empty file, or one that is not
// YAML, which is then a problem.
func (f *form) open(data []byte) (value, bool) {
	if len(data) > maxFile {
		f.add(value{}, "", fmt.Sprintf("at most %d MiB", maxFile>>20))
		return value{}, false
	}
	var doc, second yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&doc); err != nil {
		if !errors.Is(err, io.EOF) {
			f.syntax(err)
		}
		return value{}, false
	}
	switch err := d.Decode(&second); {
	case err == nil:
		f.add(value{node: &second}, "", "one document; this is a second one")
	case !errors.Is(err, io.EOF):
		f.syntax(err)
	}
	if len(doc.Content) != 1 {
		return value{}, false
	}
	root := value{node: doc.Content[0]}
	return root, !isNull(root.node)
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

func (f *form) syntax(err error) {
	m := yamlLine.FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(m[1])
	f.problems = append(f.problems, problem.Problem{
		File: f.file, Line: line,
		Want: "not YAML: " + strings.TrimPrefix(err.Error(), m[0]) + ` (a text that begins with *, & or % needs quotes)`,
	})
}

// add reports a problem of v. shownValue is what of the value may be printed.
func (f *form) add(v value, shownValue, want string) {
	if len(f.problems) >= maxKept {
		return
	}
	p := problem.Problem{File: f.file, Key: v.path, Value: problem.Shown(shownValue), Want: want}
	if v.node != nil {
		p.Line = v.node.Line
	}
	f.problems = append(f.problems, p)
}

// wrong reports a scalar that is not what was wanted.
func (f *form) wrong(v value, want string) {
	text := ""
	if n := resolve(v.node); n.Kind == yaml.ScalarNode {
		text = n.Value
		if text == "" {
			want = "empty: " + want
		}
	} else {
		want = "not a single value: " + want
	}
	f.add(v, text, want)
}

// resolve follows an anchor's alias.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { n = resolve(n); return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// enter counts a visit and refuses what no key here means.
func (f *form) enter(v value) (*yaml.Node, bool) {
	f.visited++
	if f.visited == maxNodes+1 {
		f.add(v, "", fmt.Sprintf("at most %d values in all, anchors counted each time they are used", maxNodes))
	}
	if f.visited > maxNodes {
		return nil, false
	}
	n := resolve(v.node)
	if n.Style&yaml.TaggedStyle != 0 {
		f.add(v, n.Tag, "a plain value: tags mean nothing here")
		return nil, false
	}
	return n, true
}

// mapping reads the keys of v and reports those it may not have. It answers which keys held something.
func (f *form) mapping(v value, fields ...field) map[string]bool {
	has := map[string]bool{}
	f.entries(v, func(key string, entry value) {
		i := slices.IndexFunc(fields, func(fd field) bool { return fd.key == key })
		if i < 0 {
			keys := make([]string, len(fields))
			for j, fd := range fields {
				keys[j] = fd.key
			}
			f.add(entry, "", problem.UnknownKey(key, keys))
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

// entries calls each for the entries of a mapping, once a key; the entry's path ends in the key.
func (f *form) entries(v value, each func(key string, entry value)) {
	n, ok := f.enter(v)
	if !ok {
		return
	}
	if n.Kind != yaml.MappingNode {
		f.add(v, scalarText(n), "a block of keys and values")
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		entry := value{node: n.Content[i+1], path: join(v.path, problem.Shown(scalarText(k)))}
		at := value{node: k, path: entry.path}
		switch first, twice := lines[k.Value]; {
		case k.Kind != yaml.ScalarNode || k.Tag == "!!merge":
			f.add(at, "", "a key is plain text; << and the like mean nothing here")
		case twice:
			f.add(at, "", fmt.Sprintf("written before, on line %d: keep one", first))
		default:
			lines[k.Value] = k.Line
			each(k.Value, entry)
		}
	}
}

// list calls each for the elements of a sequence.
func (f *form) list(v value, want string, each func(i int, element value)) {
	n, ok := f.enter(v)
	if !ok {
		return
	}
	if n.Kind != yaml.SequenceNode {
		f.add(v, scalarText(n), "a list: "+want)
		return
	}
	for i, element := range n.Content {
		each(i, value{node: element, path: v.path + "[" + strconv.Itoa(i) + "]"})
	}
}

// missing reports a key that has to be there.
func (f *form) missing(v value, key, want string) {
	f.add(value{node: v.node, path: join(v.path, key)}, "", "missing: "+want)
}

func scalarText(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
