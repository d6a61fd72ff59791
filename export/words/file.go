package words

import (
	"cmp"
	_ "embed" // the files
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// message is a text in one language. Singular is empty for a text that does not depend on a number.
type message struct{ Singular, Plural string }

// UnmarshalYAML reads a text, or its two forms.
func (m *message) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&m.Plural)
	}
	var forms struct{ One, Other string }
	if err := node.Decode(&forms); err != nil {
		return err
	}
	if forms.One == "" || forms.Other == "" || len(node.Content) != 4 {
		return fmt.Errorf("line %d: wants the forms one and other, and nothing else", node.Line)
	}
	m.Singular, m.Plural = forms.One, forms.Other
	return nil
}

// messageFile is the content of a file: texts by group and name, and words by kind of id. A group and a kind are read when they are
// asked for: a command needs few of them, and reading them all takes longer than most commands.
type messageFile struct {
	Texts  map[string]func() map[string]message
	Labels map[string]func() map[string]string
}

var (
	//go:embed en.yaml
	englishText string
	//go:embed pt-BR.yaml
	portugueseText string

	english    = sync.OnceValue(func() *messageFile { return readMessages("en.yaml", englishText) })
	portuguese = sync.OnceValue(func() *messageFile { return readMessages("pt-BR.yaml", portugueseText) })
)

// readMessages reads an embedded file. It is part of the program, so that a fault in it is one of the program.
func readMessages(name, content string) *messageFile {
	f, err := parseMessages(content)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	return f
}

// parseMessages cuts a file into its groups and kinds, each of which begins with a line of its own.
func parseMessages(content string) (*messageFile, error) {
	f := &messageFile{map[string]func() map[string]message{}, map[string]func() map[string]string{}}
	sections, err := cutBlocks(block{text: content}, 0)
	if err != nil {
		return nil, err
	}
	for _, section := range sections {
		parts, err := cutBlocks(section, len("  "))
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			switch section.key {
			case "texts":
				f.Texts[part.key] = readOnce[message](part)
			case "labels":
				f.Labels[part.key] = readOnce[string](part)
			}
		}
		if section.key != "texts" && section.key != "labels" {
			return nil, fmt.Errorf("line %d: there is no section %s", section.line, section.key)
		}
	}
	return f, nil
}

// block is a key of a file and the lines that belong to it.
type block struct {
	key  string
	line int // of the key, in the file; 0: the whole file
	text string
}

// cutBlocks cuts the lines of a block at its keys, which stand so far from the margin.
func cutBlocks(b block, margin int) (parts []block, err error) {
	begins, at, line, known := 0, 0, b.line, map[string]bool{}
	end := func() {
		if len(parts) > 0 {
			parts[len(parts)-1].text = b.text[begins:at]
		}
	}
	for text := range strings.Lines(b.text) {
		line++
		from := len(text) - len(strings.TrimLeft(text, " "))
		written := strings.TrimSpace(text)
		switch key, isKey := strings.CutSuffix(written, ":"); {
		case written == "" || written[0] == '#' || from > margin && len(parts) > 0:
		case from != margin || !isKey || known[key]:
			return nil, fmt.Errorf("line %d: wants a new key with nothing behind it, and has %q", line, written)
		default:
			end()
			parts, begins, known[key] = append(parts, block{key: key, line: line}), at+len(text), true
		}
		at += len(text)
	}
	end()
	return parts, nil
}

// readOnce reads a block when it is asked for.
func readOnce[T any](b block) func() map[string]T {
	return sync.OnceValue(func() map[string]T {
		values, err := parseBlock[T](b)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", b.key, err))
		}
		return values
	})
}

// parseBlock reads the values of a block by their names.
func parseBlock[T any](b block) (map[string]T, error) {
	values, err := parseValues[T](b.text)
	if err != nil {
		// Read where it stands in the file, so that the fault names its line.
		_, err = parseValues[T](strings.Repeat("\n", b.line) + b.text)
	}
	return values, err
}

func parseValues[T any](text string) (values map[string]T, err error) {
	d := yaml.NewDecoder(strings.NewReader(text))
	if err = d.Decode(&values); err != nil {
		return nil, err
	}
	// What is indented less than the first name is no more of the values.
	if err = d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, cmp.Or(err, errors.New("wants all names under each other"))
	}
	return values, nil
}
