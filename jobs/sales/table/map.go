package table

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"concilia/config/problem"
	"concilia/export/words"
	"concilia/store/ledger/banking"
	"concilia/store/ledger/ownsales"
)

// Map says which column of a table is what. In JSON a column is a member; dots lead into depth.
type Map struct {
	// Preset is the map that this one adds to; empty: none.
	Preset string `yaml:"preset"`
	// Columns are the columns by member of a payment, such as sale_id.
	Columns map[string]string `yaml:"columns"`
	// Values translate what a column says, by member: {method: {"Cartão de Crédito": credit}}.
	Values map[string]map[string]string `yaml:"values"`
	// Delimiter separates the values of a CSV; Decimal is the mark before cents.
	Delimiter string `yaml:"delimiter"`
	Decimal   string `yaml:"decimal"`
	// Encoding is auto (UTF-8 if all bytes are, else Windows-1252), utf-8, latin1 or cp1252.
	Encoding string `yaml:"encoding"`
	// Date is iso, or a layout of dd, mm and yyyy or yy; a time of day may follow it.
	Date string `yaml:"date"`
	// SkipLines is how many lines come before the one that names the columns.
	SkipLines int `yaml:"skip_lines"`
	// FirstLineOf is a member: of rows in a row that agree in it only the first is read.
	FirstLineOf string `yaml:"first_line_of"`
	// Cents says that amounts are whole numbers of cents.
	Cents bool `yaml:"cents"`
	// Constant are members that no column has.
	Constant map[string]string `yaml:"constant"`
	// Only are the values of columns that a row must have to be read.
	Only map[string][]string `yaml:"only"`
	// Path leads to the list in a JSON document.
	Path string `yaml:"path"`

	hash     string
	optional bool // columns of members that are not required may be missing
	vtex     bool // rows are orders of VTEX, whose payments lie deeper
	voids    string
}

// members are what a payment may have, required ones first.
var members = []string{
	"sale_id", "sold_at", "amount", "method",
	"payment_no", "installments", "brand", "nsu", "auth", "tid", "reference", "payment_id", "last4", "terminal", "account",
	"institution", "status", "cancelled_at", "interest", "slip_id", "our_number", "document", "currency",
}

const required = 4

// Preset is a map for a known system.
func Preset(name string) (*Map, bool) {
	m, known := listPresets()[name]
	if !known {
		return nil, false
	}
	m.Preset, m.hash = name, "preset:"+name
	return m, true
}

// Hash identifies a map: the SHA-256 of the map's text, or the name of a preset.
func (m *Map) Hash() string { return m.hash }

// ParseMap reads a map. name is what its problems call it; an error is a problem.List.
func ParseMap(name string, text []byte) (*Map, error) {
	p := &mapProblems{file: name}
	var named struct {
		Preset string `yaml:"preset"`
	}
	_ = yaml.Unmarshal(text, &named) // what is wrong with the text is said below
	m := &Map{Delimiter: ";", Decimal: ",", Encoding: "auto", Date: "dd/mm/yyyy"}
	if named.Preset != "" {
		var known bool
		if m, known = Preset(named.Preset); !known {
			p.add("preset", named.Preset, words.NewMessage("want.one_of", "names", strings.Join(PresetNames(), ", ")))
			return nil, p.list.Err()
		}
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(m); err != nil && !errors.Is(err, io.EOF) {
		p.add("", "", words.NewMessage("problem.text", "cause", strings.TrimPrefix(err.Error(), "yaml: ")))
		return nil, p.list.Err()
	}
	m.checkColumns(p)
	sum := sha256.Sum256(text)
	m.hash = hex.EncodeToString(sum[:])
	return m, p.list.Err()
}

type mapProblems struct {
	file string
	list problem.List
}

func (p *mapProblems) add(key, value string, want words.Message) {
	p.list = append(p.list, problem.Problem{File: p.file, Key: key, Value: problem.Shown(value), Want: want})
}

func (m *Map) checkColumns(p *mapProblems) {
	for _, member := range members[:required] {
		if m.Columns[member] == "" && m.Constant[member] == "" && !m.vtex {
			p.add("columns."+member, "", words.NewMessage("problem.missing", "want", words.NewMessage("want.member_column")))
		}
	}
	for _, where := range []struct {
		key  string
		keys []string
	}{{"columns", slices.Sorted(maps.Keys(m.Columns))}, {"constant", slices.Sorted(maps.Keys(m.Constant))}, {"values", slices.Sorted(maps.Keys(m.Values))}} {
		for _, member := range where.keys {
			if !slices.Contains(members, member) {
				p.add(where.key, "", problem.UnknownKey(member, members))
			}
		}
	}
	for member, column := range m.Columns {
		if member != "institution" && isPersonal(column) {
			p.add("columns."+member, column, words.NewMessage("want.other_column"))
		}
	}
	for member, allowed := range map[string][]string{"method": toTexts(ownsales.Methods()), "status": toTexts(ownsales.Statuses())} {
		for written, word := range m.Values[member] {
			if !slices.Contains(allowed, word) {
				p.add("values."+member, written+": "+word, words.NewMessage("want.one_of", "names", strings.Join(allowed, ", ")))
			}
		}
		if word := m.Constant[member]; word != "" && !slices.Contains(allowed, word) {
			p.add("constant."+member, word, words.NewMessage("want.one_of", "names", strings.Join(allowed, ", ")))
		}
	}
	if utf8.RuneCountInString(m.Delimiter) != 1 || strings.ContainsAny(m.Delimiter, "\"\r\n") {
		p.add("delimiter", m.Delimiter, words.NewMessage("want.one_character"))
	}
	if m.Decimal != "," && m.Decimal != "." {
		p.add("decimal", m.Decimal, words.NewMessage("want.comma_or_point"))
	}
	if !slices.Contains([]string{"auto", "utf-8", "latin1", "cp1252"}, m.Encoding) {
		p.add("encoding", m.Encoding, words.NewMessage("want.one_of", "names", "auto, utf-8, latin1, cp1252"))
	}
	if l := strings.ToLower(m.Date); l != "iso" && (strings.Count(l, "d") != 2 || strings.Count(l, "m") != 2 || strings.Count(l, "y") != 2 && strings.Count(l, "y") != 4) {
		p.add("date", m.Date, words.NewMessage("want.map_layout"))
	}
	if m.SkipLines < 0 || m.SkipLines > 100 {
		p.add("skip_lines", fmt.Sprint(m.SkipLines), words.NewMessage("want.between", "least", "0", "most", "100"))
	}
	if m.FirstLineOf != "" && m.Columns[m.FirstLineOf] == "" {
		p.add("first_line_of", m.FirstLineOf, words.NewMessage("want.member_with_column"))
	}
}

func toTexts[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i := range all {
		out[i] = string(all[i])
	}
	return out
}

// personal are words of headers under which systems keep what is known of a customer.
var personal = []string{
	"cliente", "comprador", "consumidor", "destinatario", "pagador", "titular", "customer", "buyer", "payer", "holder", "cpf", "cnpj",
	"documento", "email", "mail", "endereco", "address", "telefone", "phone", "celular", "logradouro", "cep", "zip", "nome",
}

// isPersonal reports whether a header names something of a customer.
func isPersonal(header string) bool {
	named := strings.FieldsFunc(strings.ToLower(banking.NormalizeText(header)), func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.ContainsFunc(named, func(w string) bool { return slices.Contains(personal, w) })
}
