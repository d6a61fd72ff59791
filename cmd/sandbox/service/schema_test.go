package service_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

// document is an OpenAPI description, read with numbers as text, and the judge of values against its schemas.
type document map[string]any

// node is one JSON object of the description.
type node = map[string]any

func readDocument(text []byte) (document, error) {
	v, err := decodeAny(text)
	if err != nil {
		return nil, err
	}
	d, ok := v.(node)
	if !ok {
		return nil, fmt.Errorf("the description is no object")
	}
	return d, nil
}

func decodeAny(text []byte) (any, error) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	return v, d.Decode(&v)
}

// at follows a path of member names; references on the way are followed too.
func (d document) at(path ...string) node {
	n := node(d)
	for _, name := range path {
		n, _ = n[name].(node)
		n = d.resolve(n)
	}
	return n
}

func (d document) resolve(n node) node {
	ref, ok := n["$ref"].(string)
	if !ok {
		return n
	}
	target := d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	if target == nil {
		panic("the description refers to " + ref + ", which is not there")
	}
	return target
}

// keywords are all a schema of the description may use; another one would go unchecked.
var keywords = strings.Fields("$ref type required properties items enum const format pattern minLength maxLength minimum maximum " +
	"exclusiveMinimum x-decimals minItems maxItems minProperties maxProperties additionalProperties oneOf description examples")

// judge returns what is wrong with a value. It is stricter than the schema in one way: a member that is not
// described is wrong unless additionalProperties is true.
func (d document) judge(at string, schema node, v any) (wrong []string) {
	schema = d.resolve(schema)
	say := func(format string, args ...any) { wrong = append(wrong, at+": "+fmt.Sprintf(format, args...)) }
	for k := range schema {
		if !slices.Contains(keywords, k) {
			say("keyword %s is not known here", k)
		}
	}
	if one, ok := schema["oneOf"].([]any); ok {
		return d.judgeOneOf(at, one, v)
	}
	if want, ok := schema["const"]; ok && !reflect.DeepEqual(want, v) {
		say("%v, want %v", v, want)
	}
	if list, ok := schema["enum"].([]any); ok && !slices.ContainsFunc(list, func(x any) bool { return reflect.DeepEqual(x, v) }) {
		say("%v is none of %v", v, list)
	}
	if !hasType(schema["type"], v) {
		say("%v is no %v", v, schema["type"])
		return wrong
	}
	switch v := v.(type) {
	case string:
		wrong = append(wrong, judgeText(at, schema, v)...)
	case json.Number:
		wrong = append(wrong, judgeNumber(at, schema, v)...)
	case []any:
		if !within(schema, "minItems", "maxItems", len(v)) {
			say("%d items", len(v))
		}
		items, _ := schema["items"].(node)
		for i, x := range v {
			wrong = append(wrong, d.judge(fmt.Sprintf("%s[%d]", at, i), items, x)...)
		}
	case node:
		wrong = append(wrong, d.judgeObject(at, schema, v)...)
	}
	return wrong
}

func (d document) judgeOneOf(at string, alternatives []any, v any) (wrong []string) {
	fits := 0
	for i, s := range alternatives {
		w := d.judge(fmt.Sprintf("%s (form %d)", at, i+1), s.(node), v)
		if len(w) == 0 {
			fits++
		}
		wrong = append(wrong, w...)
	}
	if fits == 1 {
		return nil
	}
	return append(wrong, fmt.Sprintf("%s: fits %d forms", at, fits))
}

func (d document) judgeObject(at string, schema, v node) (wrong []string) {
	properties, _ := schema["properties"].(node)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s: %v is missing", at, name))
		}
	}
	if !within(schema, "minProperties", "maxProperties", len(v)) {
		wrong = append(wrong, fmt.Sprintf("%s: %d members", at, len(v)))
	}
	open := schema["additionalProperties"] == true || properties == nil
	for name, x := range v {
		if p, ok := properties[name].(node); ok {
			wrong = append(wrong, d.judge(at+"."+name, p, x)...)
		} else if !open {
			wrong = append(wrong, fmt.Sprintf("%s: member %s is not described in openapi.json", at, name))
		}
	}
	return wrong
}

func hasType(types, v any) bool {
	if list, ok := types.([]any); ok {
		return slices.ContainsFunc(list, func(t any) bool { return hasType(t, v) })
	}
	switch v := v.(type) {
	case nil:
		return types == nil || types == "null"
	case bool:
		return types == nil || types == "boolean"
	case string:
		return types == nil || types == "string"
	case json.Number:
		return types == nil || types == "number" || types == "integer" && decimal.RequireFromString(v.String()).IsInteger()
	case []any:
		return types == nil || types == "array"
	default:
		return types == nil || types == "object"
	}
}

// within reports whether n is within the bounds of the schema, if any.
func within(schema node, low, high string, n int) bool {
	least, hasLeast := schema[low].(json.Number)
	most, hasMost := schema[high].(json.Number)
	at := decimal.NewFromInt(int64(n))
	return (!hasLeast || at.GreaterThanOrEqual(number(least))) && (!hasMost || at.LessThanOrEqual(number(most)))
}

func number(n json.Number) decimal.Decimal { return decimal.RequireFromString(n.String()) }

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func judgeText(at string, schema node, v string) (wrong []string) {
	if !within(schema, "minLength", "maxLength", utf8.RuneCountInString(v)) {
		wrong = append(wrong, fmt.Sprintf("%s: %q has %d characters", at, v, utf8.RuneCountInString(v)))
	}
	if p, ok := schema["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(v) {
		wrong = append(wrong, fmt.Sprintf("%s: %q is not like %s", at, v, p))
	}
	var err error
	switch f := schema["format"]; f {
	case nil, "password":
	case "date":
		_, err = time.Parse(time.DateOnly, v)
	case "date-time":
		_, err = time.Parse(time.RFC3339, v)
	case "uuid":
		if !uuid.MatchString(v) {
			err = fmt.Errorf("%q is no uuid", v)
		}
	case "uri":
		var u *url.URL
		if u, err = url.Parse(v); err == nil && !u.IsAbs() {
			err = fmt.Errorf("%q is no absolute URL", v)
		}
	default:
		err = fmt.Errorf("format %v is not known here", f)
	}
	if err != nil {
		wrong = append(wrong, at+": "+err.Error())
	}
	return wrong
}

func judgeNumber(at string, schema node, v json.Number) (wrong []string) {
	got := number(v)
	for name, fits := range map[string]func(limit decimal.Decimal) bool{
		"minimum": got.GreaterThanOrEqual, "maximum": got.LessThanOrEqual, "exclusiveMinimum": got.GreaterThan,
		// Not multipleOf: a validator that reads binary fractions says 193.39 is no multiple of 0.0001.
		"x-decimals": func(n decimal.Decimal) bool { return decimalsOf(v) == n.IntPart() },
	} {
		if limit, ok := schema[name].(json.Number); ok && !fits(number(limit)) {
			wrong = append(wrong, fmt.Sprintf("%s: %s breaks %s %s", at, v, name, limit))
		}
	}
	return wrong
}

// decimalsOf counts the digits behind the point as they are printed.
func decimalsOf(v json.Number) int64 {
	_, behind, _ := strings.Cut(v.String(), ".")
	return int64(len(behind))
}
