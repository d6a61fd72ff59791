package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"

	"concilia/config/problem"
)

// prefix begins the name of every variable.
const prefix = "CONCILIA_"

// maxBlocks bounds how many accounts, schedules or alerts the environment can add.
const maxBlocks = 10_000

// variable is the name of a key's variable: accounts[0].number is CONCILIA_ACCOUNTS_0_NUMBER.
func variable(key string) string {
	return prefix + strings.ToUpper(strings.NewReplacer(".", "_", "[", "_", "]", "").Replace(key))
}

// environment reads the variables over what the file said.
func (l *loader) environment() {
	l.overlay(l.cfg, "")
	counted(l, "accounts", "number", &l.cfg.Accounts)
	counted(l, "schedule", "job", &l.cfg.Schedule)
	counted(l, "alerts", "on", &l.cfg.Alerts)
	for _, code := range slices.Sorted(maps.Keys(l.cfg.Rules)) {
		rule := l.cfg.Rules[code]
		l.overlay(&rule, "rules."+code)
		l.cfg.Rules[code] = rule
	}
}

// counted reads the variables of a list of blocks, counted from 0. They may add to it: a block begins with the
// variable of its first key.
func counted[T any](l *loader, list, first string, all *[]T) {
	for i := range maxBlocks {
		key := fmt.Sprintf("%s[%d]", list, i)
		if i == len(*all) {
			if text, ok := l.lookup(variable(key + "." + first)); !ok || text == "" {
				return
			}
			*all = append(*all, *new(T))
			preset(reflect.ValueOf(*all).Index(i))
		}
		l.overlay(&(*all)[i], key)
	}
}

// overlay sets the fields of a struct, found under key, whose variables are set. Each is parsed alone, so that a
// problem names its variable and hides no other.
func (l *loader) overlay(dst any, key string) {
	under := prefix
	if key != "" {
		under = variable(key) + "_"
	}
	for name, path := range leaves(reflect.TypeOf(dst).Elem(), key) {
		text, ok := l.lookup(name)
		if !ok || text == "" {
			continue
		}
		l.variables[path] = name
		// A bad value in the file no longer counts, but it is still told.
		delete(l.bad, path)
		leaf := leafType(reflect.TypeOf(dst).Elem(), strings.TrimPrefix(strings.TrimPrefix(path, key), "."))
		if leaf.Kind() == reflect.Slice {
			text = trimWords(text)
		}
		if _, ok := problem.ParseDecimal(text); !ok && leaf == reflect.PointerTo(decimalType) {
			l.problem(path, text, wanted(leaf)) // the library takes more than a file may say
			continue
		}
		err := env.ParseWithOptions(dst, env.Options{Prefix: under, Environment: map[string]string{name: text}})
		if err != nil {
			l.problem(path, text, wanted(leaf))
		}
	}
}

// leaves yields the variable and the key of every scalar or list of words in a struct, in the order of its fields.
func leaves(t reflect.Type, key string) func(yield func(name, path string) bool) {
	return func(yield func(name, path string) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if name == "" || f.Tag.Get("env") == "-" {
				continue
			}
			path := join(key, name)
			if f.Tag.Get("envPrefix") != "" {
				for name, path := range leaves(f.Type, path) {
					if !yield(name, path) {
						return
					}
				}
				continue
			}
			if !yield(variable(path), path) {
				return
			}
		}
	}
}

// leafType is the type of the field a key of a struct leads to.
func leafType(t reflect.Type, key string) reflect.Type {
	for part := range strings.SplitSeq(key, ".") {
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name == part {
				t = t.Field(i).Type
				break
			}
		}
	}
	return t
}

// trimWords drops the blanks around words separated by commas.
func trimWords(text string) string {
	words := strings.Split(text, ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	return strings.Join(words, ",")
}
