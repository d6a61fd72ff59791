package config

import (
	"go.yaml.in/yaml/v3"
)

// ReadLanguage returns the language of the command line that the file at path, or the environment over it, sets; empty when
// neither does. A command needs it before it needs a configuration, and some need none: what is wrong with the file is not
// reported here, but by Load.
func ReadLanguage(path string, lookup func(string) (string, bool)) string {
	if v, ok := lookup(prefix + "LANGUAGE"); ok {
		return v
	}
	data, err := readFile(path, maxFile)
	if err != nil {
		return ""
	}
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) != nil || len(doc.Content) != 1 {
		return ""
	}
	for keys := doc.Content[0].Content; len(keys) >= 2; keys = keys[2:] {
		if keys[0].Value == "language" && keys[1].Kind == yaml.ScalarNode {
			return keys[1].Value
		}
	}
	return ""
}
