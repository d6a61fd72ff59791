package config

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"

	"concilia/config/problem"
	"concilia/export/words"
)

// prefix is the beginning of the name of every variable.
const prefix = "CONCILIA_"

// maxBlocks bounds how many accounts, bank accounts, schedules or alerts the environment can add.
const maxBlocks = 10_000

// underscores are what a variable's name has instead of the signs between the parts of a key.
var underscores = strings.NewReplacer(".", "_", "[", "_", "]", "")

// variableName returns the name of a key's variable: accounts[0].number is CONCILIA_ACCOUNTS_0_NUMBER.
func variableName(key string) string { return prefix + strings.ToUpper(underscores.Replace(key)) }

// readEnvironment reads the environment variables over the values of the file.
func (l *loader) readEnvironment() {
	l.readVariables(l.cfg, "")
	readCounted(l, "accounts", "number", &l.cfg.Accounts)
	readCounted(l, "banks", "id", &l.cfg.Banks)
	l.readPayers()
	readCounted(l, "schedule", "job", &l.cfg.Schedule)
	readCounted(l, "alerts", "on", &l.cfg.Alerts)
	readCounted(l, "mail.digest", "to", &l.cfg.Mail.Digest)
	for _, code := range slices.Sorted(maps.Keys(l.cfg.Rules)) {
		rule := l.cfg.Rules[code]
		l.readVariables(&rule, "rules."+code)
		l.cfg.Rules[code] = rule
	}
}

// readCounted reads the variables of a list of blocks, counted from 0. They may add blocks; the variable of the first key is
// required for each.
func readCounted[T any](l *loader, list, first string, all *[]T) {
	for i := range maxBlocks {
		key := fmt.Sprintf("%s[%d]", list, i)
		if i == len(*all) {
			if text, ok := l.lookup(variableName(key + "." + first)); !ok || text == "" {
				return
			}
			*all = append(*all, *new(T))
			presetElement(reflect.ValueOf(*all).Index(i))
		}
		l.readVariables(&(*all)[i], key)
	}
}

// readVariables sets those fields of the struct at key whose variables are set. Each is parsed by itself, so that a problem
// names its variable and hides no other.
func (l *loader) readVariables(dst any, key string) {
	under := prefix
	if key != "" {
		under = variableName(key) + "_"
	}
	for name, path := range listLeaves(reflect.TypeOf(dst).Elem(), key) {
		text, ok := l.lookup(name)
		if !ok {
			continue
		}
		l.variables[path] = name
		// A bad value in the file is overridden, but its problem is still reported.
		delete(l.hasProblem, path)
		field := leafValue(reflect.ValueOf(dst).Elem(), strings.TrimPrefix(strings.TrimPrefix(path, key), "."))
		leaf := field.Type()
		if text == "" && mayBeEmpty(leaf) {
			field.SetZero() // the library would leave what the file says
			continue
		}
		if leaf.Kind() == reflect.Slice {
			text = trimWords(text)
		}
		if _, ok := problem.ParseDecimal(text); !ok && leaf == reflect.PointerTo(decimalType) {
			l.addProblem(path, text, describeType(leaf)) // the library accepts more than a file may contain
			continue
		}
		if text == "" {
			l.addProblem(path, text, describeType(leaf))
			continue
		}
		err := env.ParseWithOptions(dst, env.Options{Prefix: under, Environment: map[string]string{name: text}})
		if err != nil {
			l.addProblem(path, text, describeType(leaf))
		}
	}
}

// listLeaves yields the variable and the key of every scalar and list of words in a struct, in the order of its fields.
func listLeaves(t reflect.Type, key string) func(yield func(name, path string) bool) {
	return func(yield func(name, path string) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if name == "" || f.Tag.Get("env") == "-" {
				continue
			}
			path := joinKey(key, name)
			if f.Tag.Get("envPrefix") != "" {
				for name, path := range listLeaves(f.Type, path) {
					if !yield(name, path) {
						return
					}
				}
				continue
			}
			if !yield(variableName(path), path) {
				return
			}
		}
	}
}

// leafValue is the field a key of a struct leads to.
func leafValue(v reflect.Value, key string) reflect.Value {
	for part := range strings.SplitSeq(key, ".") {
		for i := range v.NumField() {
			if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ","); name == part {
				v = v.Field(i)
				break
			}
		}
	}
	return v
}

// mayBeEmpty reports whether a key of this type can be without a value, as text, lists and dates can, and numbers and switches
// cannot.
func mayBeEmpty(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Slice, reflect.Pointer, reflect.Struct:
		return true
	}
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// trimWords removes the blanks around words separated by commas.
func trimWords(text string) string {
	words := strings.Split(text, ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	return strings.Join(words, ",")
}

// maxTypos is one more than the wrong letters with which a variable still resembles a known one.
const maxTypos = 3

// FindUnknownVariables returns warnings about variables in environ (NAME=value) that begin with CONCILIA_ and set no key: one
// that is mistyped, or belongs to an account that does not exist. They show no value. The known variables are those that
// loading the file at path looks up, whether or not the file is valid.
func FindUnknownVariables(path string, lookup func(string) (string, bool), environ []string) []words.Message {
	asked := map[string]bool{}
	_, _ = LoadOffline(path, func(name string) (string, bool) {
		asked[name] = true
		return lookup(name)
	})
	known := slices.Sorted(maps.Keys(asked))
	var out []words.Message
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, prefix) || asked[name] {
			continue
		}
		if near := problem.Nearest(name, known, maxTypos); near != "" {
			out = append(out, words.NewMessage("warning.unknown_near", "name", name, "near", near))
		} else if slices.ContainsFunc(known, func(k string) bool { return variableSection(k) == variableSection(name) }) {
			out = append(out, words.NewMessage("warning.unknown_variable", "name", name))
		}
	}
	slices.SortFunc(out, func(a, b words.Message) int { return strings.Compare(a.In("en"), b.In("en")) })
	return out
}

// variableSection returns the first word of a variable after the prefix: LEDGER of CONCILIA_LEDGER_DSN.
func variableSection(name string) string {
	word, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "_")
	return word
}
