package find

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/lookup"
)

const (
	// maxWords and maxWordLength bound a query; a longer one is refused.
	maxWords      = 10
	maxWordLength = 200
)

// Query is what a person looks for: what has every word.
type Query struct {
	Words []Word
	// Notes are ids of texts about words that look wrong and are searched for all the same, each with the word.
	Notes []Note
}

// Note is a remark on a word: the id of a text in group find.
type Note struct{ ID, Word string }

// Word is one word of a query, and what it may be.
type Word struct {
	Text     string                       // as typed
	As       []lookup.WordKind            // what it is looked for as, for people; case, date, title and protocol too
	keys     map[string][]lookup.WordKind // words of the table of words, and what they are
	dates    []ledger.Date
	caseID   string          // leading digits of a case
	document ledger.Document // CPF or CNPJ; empty: the word is none
	text     string          // may be the number of a title, the id of a store's sale, or the reference under which the service keeps a claim
	subject  *ledger.ParsedSubject
}

// The kinds of what is not in the table of words.
const (
	caseWord     lookup.WordKind = "case"
	dateWord     lookup.WordKind = "date"
	payerWord    lookup.WordKind = "payer"
	titleWord    lookup.WordKind = "title"
	protocolWord lookup.WordKind = "protocol"
	subjectWord  lookup.WordKind = "subject"
	ownWord      lookup.WordKind = "own"
)

// textKinds are what a text may be that has no other shape.
func textKinds() []lookup.WordKind {
	return []lookup.WordKind{
		lookup.NSUWord, lookup.AuthWord, lookup.OrderWord, lookup.WebPaymentWord, lookup.OurNumberWord, lookup.ReferenceWord,
	}
}

// QueryError lists what is wrong with a query.
type QueryError struct{ problems []problem }

// problem is the id of a text with its values.
type problem struct {
	id     string
	values []any
}

// Error is in English.
func (e *QueryError) Error() string { return e.Explain("en") }

// Explain says what is wrong in a language, pt-BR or en.
func (e *QueryError) Explain(lang string) string {
	var all []string
	for _, p := range e.problems {
		all = append(all, words.Text(lang, p.id, p.values...))
	}
	return strings.Join(all, "; ")
}

var (
	caseShape   = regexp.MustCompile(`^[0-9a-fA-F]{6,16}$`)
	amountShape = regexp.MustCompile(`^(\d{1,3}(\.\d{3})+|\d+),\d{2}$|^\d+\.\d{2}$`)
	grouped     = regexp.MustCompile(`^\d{1,3}(\.\d{3})+$`)
	uuidShape   = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	cardShape   = regexp.MustCompile(`^\*+(\d{4})$`)
	fourDigits  = regexp.MustCompile(`^\d{4}$`)
	slipPart    = regexp.MustCompile(`^[\d.\-]*\d[\d.\-]*$`)
)

// ParseQuery reads a query; a date without a year is the latest one not after today.
func ParseQuery(text string, today ledger.Date) (*Query, error) {
	p := &queryParser{today: today, fields: strings.Fields(dropControls(text))}
	for len(p.fields) > 0 {
		p.readWord()
	}
	switch {
	case len(p.query.Words) == 0 && len(p.problems) == 0:
		p.refuse("find.nothing_typed")
	case len(p.query.Words) > maxWords:
		p.refuse("find.too_many_words", "n", len(p.query.Words), "most", maxWords)
	}
	if len(p.problems) > 0 {
		return nil, &QueryError{p.problems}
	}
	return &p.query, nil
}

// dropControls makes one blank of every character that cannot be seen.
func dropControls(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text)
}

type queryParser struct {
	today    ledger.Date
	fields   []string // that are left
	query    Query
	problems []problem
}

// maxProblems bounds how many problems of a query are reported.
const maxProblems = 10

func (p *queryParser) refuse(id string, values ...any) {
	if len(p.problems) < maxProblems {
		p.problems = append(p.problems, problem{id, values})
	}
}

// take takes the next fields.
func (p *queryParser) take(n int) { p.fields = p.fields[n:] }

// readWord reads the next word, which may be several fields: a digitable line with blanks, R$ and its amount.
func (p *queryParser) readWord() {
	field := p.fields[0]
	if utf8.RuneCountInString(field) > maxWordLength {
		p.refuse("find.too_long_word", "most", maxWordLength, "word", fmt.Sprintf("%.20s", field))
		p.take(1)
		return
	}
	if prefix, rest, ok := cutPrefix(field); ok {
		p.take(1)
		if rest == "" && len(p.fields) > 0 && utf8.RuneCountInString(p.fields[0]) <= maxWordLength {
			rest = p.fields[0]
			p.take(1)
		}
		if prefix == "slip" {
			for len(p.fields) > 0 && slipPart.MatchString(p.fields[0]) && len(digitsOf(rest)) < 47 {
				rest += p.fields[0]
				p.take(1)
			}
		}
		p.addPrefixed(prefix, rest)
		return
	}
	if n := p.countSlipFields(); n > 0 {
		word := strings.Join(p.fields[:n], " ")
		p.take(n)
		p.addSlip(word)
		return
	}
	lower := strings.ToLower(field)
	switch {
	case lower == "r$" && len(p.fields) > 1 && isAmount(p.fields[1]):
		p.addAmount(p.fields[1])
		p.take(2)
	case strings.HasPrefix(lower, "r$") && isAmount(field[2:]):
		p.addAmount(field[2:])
		p.take(1)
	case lower == "final" && len(p.fields) > 1 && fourDigits.MatchString(p.fields[1]):
		p.addCard(p.fields[1])
		p.take(2)
	case p.takeLabel(lower):
	default:
		p.take(1)
		p.addByShape(field)
	}
}

// takeLabel takes what pages write around values, so that the name of a sale or slip may be pasted as it is shown there: "NSU 076700001 ·
// aut. FW947Q · parcela 1". It says whether the field was one.
func (p *queryParser) takeLabel(lower string) bool {
	if len(p.fields) < 2 || utf8.RuneCountInString(p.fields[1]) > maxWordLength {
		return false
	}
	switch lower {
	case "nsu", "aut.", "auth.":
		prefix := map[string]string{"nsu": "nsu", "aut.": "auth", "auth.": "auth"}[lower]
		p.addPrefixed(prefix, p.fields[1])
		p.take(2)
	case "boleto", "slip", "·":
		p.take(1)
	case "parcela", "installment":
		if _, err := strconv.Atoi(p.fields[1]); err != nil || len(p.query.Words) == 0 {
			return false
		}
		p.take(2) // the sale is found with all of its installments
	default:
		return false
	}
	return true
}

// cutPrefix cuts one of our prefixes off. Any other text with a colon is a text.
func cutPrefix(field string) (prefix, rest string, ok bool) {
	prefix, rest, ok = strings.Cut(field, ":")
	prefix = strings.ToLower(prefix)
	if !ok || !slices.Contains([]string{"amount", "date", "slip", "beneficiary", "card", "nsu", "auth", "order", "ref"}, prefix) {
		return "", "", false
	}
	// slip:ACCOUNT:ID is a subject.
	if _, isSubject := subjectOf(field); isSubject {
		return "", "", false
	}
	return prefix, rest, true
}

// countSlipFields is how many of the next fields are together the 44, 47 or 48 digits of a slip, 0 when they are none.
func (p *queryParser) countSlipFields() int {
	digits, best := 0, 0
	for i, field := range p.fields {
		if !slipPart.MatchString(field) || digits > 48 {
			break
		}
		digits += len(digitsOf(field))
		if digits == 44 || digits == 47 || digits == 48 {
			best = i + 1
		}
	}
	return best
}

// addByShape adds a word that is one field without a prefix.
func (p *queryParser) addByShape(field string) {
	if s, ok := subjectOf(field); ok {
		p.query.Words = append(p.query.Words, Word{Text: field, As: []lookup.WordKind{subjectWord}, subject: s})
		return
	}
	if day, ok := parseDay(field, p.today); ok {
		p.add(Word{Text: field, As: []lookup.WordKind{dateWord}, dates: []ledger.Date{day}})
		return
	}
	switch m := cardShape.FindStringSubmatch(field); {
	case isAmount(field):
		p.addAmount(field)
		return
	case m != nil:
		p.addCard(m[1])
		return
	case uuidShape.MatchString(field):
		p.addKinds(field, lookup.SlipIDWord, lookup.WebPaymentWord, lookup.OrderWord)
		return
	}
	w := Word{Text: field, text: field}
	if caseShape.MatchString(field) {
		w.caseID, w.As = strings.ToLower(field), append(w.As, caseWord)
	}
	if d, err := ledger.ParseDocument(field); err == nil {
		w.addKey(lookup.BeneficiaryWord, string(d))
		w.document = d
	}
	for _, k := range textKinds() {
		w.addKey(k, field)
	}
	if digitsOf(field) == field {
		w.As = append(w.As, titleWord)
	}
	w.As = append(w.As, ownWord, protocolWord)
	p.add(w)
}

// addPrefixed adds a word whose prefix says what it is.
func (p *queryParser) addPrefixed(prefix, text string) {
	switch prefix {
	case "amount":
		if amount, ok := parseAmount(strings.TrimPrefix(strings.ToLower(text), "r$")); ok {
			p.addAmountOf(text, amount)
			return
		}
		p.refuse("find.no_amount", "word", text)
	case "date":
		if day, ok := parseDay(text, p.today); ok {
			p.add(Word{Text: text, As: []lookup.WordKind{dateWord}, dates: []ledger.Date{day}})
			return
		}
		p.refuse("find.no_date", "word", text)
	case "slip":
		if n := len(digitsOf(text)); n == 44 || n == 47 || n == 48 {
			p.addSlip(text)
			return
		}
		p.addKinds(text, lookup.SlipIDWord, lookup.OurNumberWord, lookup.ReferenceWord)
	case "card":
		if text = strings.TrimLeft(text, "*"); fourDigits.MatchString(text) {
			p.addCard(text)
			return
		}
		p.refuse("find.no_card", "word", text)
	case "ref":
		w := Word{Text: text, text: text}
		for _, k := range []lookup.WordKind{lookup.ReferenceWord, lookup.OurNumberWord, lookup.OrderWord} {
			w.addKey(k, text)
		}
		w.As = append(w.As, ownWord, protocolWord)
		p.add(w)
	default:
		kind := lookup.WordKind(prefix)
		if kind.Word(text) == "" {
			p.refuse("find.nothing_after", "prefix", prefix)
			return
		}
		w := Word{Text: text}
		if d, err := ledger.ParseDocument(text); kind == lookup.BeneficiaryWord && err == nil {
			w.document = d
		}
		p.addKindsOf(w, kind)
	}
}

func (p *queryParser) add(w Word) { p.query.Words = append(p.query.Words, w) }

func (p *queryParser) addKinds(text string, kinds ...lookup.WordKind) {
	p.addKindsOf(Word{Text: text}, kinds...)
}

// addKindsOf adds a word that is looked for as some kinds of the table of words.
func (p *queryParser) addKindsOf(w Word, kinds ...lookup.WordKind) {
	for _, k := range kinds {
		w.addKey(k, w.Text)
	}
	if len(w.keys) == 0 {
		p.refuse("find.nothing_in", "word", w.Text)
		return
	}
	p.add(w)
}

func (p *queryParser) addAmount(text string) {
	amount, ok := parseAmount(text)
	if !ok {
		p.refuse("find.no_amount", "word", text)
		return
	}
	p.addAmountOf(text, amount)
}

func (p *queryParser) addAmountOf(text string, amount ledger.Amount) {
	p.add(Word{Text: text, As: []lookup.WordKind{lookup.AmountWord}, keys: map[string][]lookup.WordKind{lookup.AmountWordOf(amount): {lookup.AmountWord}}})
}

func (p *queryParser) addCard(digits string) {
	w := Word{Text: "*" + digits}
	w.addKey(lookup.CardWord, digits)
	p.add(w)
}

// addSlip adds the digits of a bar code or of a digitable line. A wrong check digit is reported, and the digits are searched for all the same.
func (p *queryParser) addSlip(text string) {
	digits := digitsOf(text)
	if _, err := ledger.ParseBarCode(digits); err != nil {
		if _, err = ledger.ParseDigitableLine(digits); err != nil {
			p.query.Notes = append(p.query.Notes, Note{"check_digit", text})
		}
	}
	p.addKinds(text, lookup.BarCodeWord)
}

func (w *Word) addKey(kind lookup.WordKind, text string) {
	key := kind.Word(text)
	if key == "" {
		return
	}
	if w.keys == nil {
		w.keys = map[string][]lookup.WordKind{}
	}
	w.keys[key] = append(w.keys[key], kind)
	w.As = append(w.As, kind)
}

// subjectOf reads the subject of a sale, an installment, a split or a slip.
func subjectOf(field string) (*ledger.ParsedSubject, bool) {
	s, ok := ledger.ParseSubject(field)
	if !ok {
		return nil, false
	}
	if _, _, ofSale := s.SaleKey(); ofSale {
		return &s, true
	}
	return &s, s.Kind == "slip" && len(s.Parts) == 1
}

// itemOf is what a subject is about.
func itemOf(s *ledger.ParsedSubject) lookup.Item {
	if key, _, ok := s.SaleKey(); ok {
		return lookup.Item{Day: key.Day, NSU: key.NSU, Auth: key.Auth}
	}
	return lookup.Item{Slip: s.Parts[0]}
}

func isAmount(text string) bool { return amountShape.MatchString(text) }

// parseAmount reads an amount above zero as Brazil writes it, with or without cents, or with a point before the cents.
func parseAmount(text string) (ledger.Amount, bool) {
	text = strings.TrimSpace(text)
	if strings.Contains(text, ",") || grouped.MatchString(text) {
		text = strings.Replace(strings.ReplaceAll(text, ".", ""), ",", ".", 1)
	}
	amount, err := ledger.ParseAmount(text)
	return amount, err == nil && amount > 0
}

// parseDay reads 18/11/2026, 2026-11-18, or 18/11, which is the latest such day not after today.
func parseDay(text string, today ledger.Date) (ledger.Date, bool) {
	if d, err := ledger.ParseDate(text); err == nil {
		return d, true
	}
	parts := strings.Split(text, "/")
	switch {
	case len(parts) == 3 && len(parts[0]) == 2 && len(parts[1]) == 2 && len(parts[2]) == 4:
		d, err := ledger.ParseDate(parts[2] + "-" + parts[1] + "-" + parts[0])
		return d, err == nil
	case len(parts) == 2 && len(parts[0]) == 2 && len(parts[1]) == 2:
		const leapYears = 8 // 29 February comes within as many years
		for year := today.Time().Year(); year > today.Time().Year()-leapYears-1; year-- {
			d, err := ledger.ParseDate(fmt.Sprintf("%04d-%s-%s", year, parts[1], parts[0]))
			if err == nil && d <= today {
				return d, true
			}
		}
	}
	return 0, false
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}
