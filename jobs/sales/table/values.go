package table

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// maxText is how many bytes of a text are kept.
const maxText = 120

// row is a row of a table before its values are read.
type row struct {
	where place
	value func(member string) string // the text of a member, empty where there is none
}

// place is the line of a row.
type place struct {
	what   string // the id of a text
	number int
}

// message names the place for people.
func (p place) message() words.Message { return words.NewMessage(p.what, "n", p.number) }

// paymentOf reads the values of a row. fault says why the row is not taken in; unmapped are values that are not declared.
func (r *Reader) paymentOf(in *row) (p *ownsales.Payment, unmapped []ownsales.Unmapped, fault words.Message) {
	p = &ownsales.Payment{
		Sale: cleanID(in.value("sale_id")), Number: 1, NSU: cleanID(in.value("nsu")), Auth: cleanID(in.value("auth")),
		TID: cleanID(in.value("tid")), Reference: DropPersons(in.value("reference")), PaymentID: cleanID(in.value("payment_id")),
		Last4: lastFour(in.value("last4")), Terminal: DropPersons(in.value("terminal")), Institution: digitsOf(in.value("institution")),
		SlipID: cleanID(in.value("slip_id")), OurNumber: cleanID(in.value("our_number")), Document: DropPersons(in.value("document")),
	}
	if p.Sale == "" {
		return nil, nil, words.NewMessage("own_fault.no_member", "member", "sale_id")
	}
	if c := in.value("currency"); c != "" && !strings.EqualFold(c, "BRL") {
		return nil, nil, words.NewMessage("own_fault.currency", "value", words.Quote(c, 3))
	}
	var err error
	if p.SoldAt, p.Timed, err = r.parseTime(in.value("sold_at")); err != nil {
		return nil, nil, words.NewMessage("own_fault.date_as", "member", "sold_at", "value", QuoteShape(in.value("sold_at")), "layout", r.Date)
	}
	if p.Amount, fault = r.amountOf("amount", in.value("amount")); fault.ID != "" {
		return nil, nil, fault
	}
	if p.Amount <= 0 {
		return nil, nil, words.NewMessage("own_fault.above_zero", "member", "amount", "value", p.Amount)
	}
	if fault = r.readNumbers(in, p); fault.ID != "" {
		return nil, nil, fault
	}
	written := []struct {
		member string
		set    func(string)
		known  func(string) (string, bool)
	}{
		{"method", func(s string) { p.Method = ownsales.Method(s) }, wordIn(ownsales.Methods())},
		{"status", func(s string) { p.Status = ownsales.Status(s) }, wordIn(ownsales.Statuses())},
		{"brand", func(s string) { p.Brand = s }, r.Brand},
	}
	for _, w := range written {
		text := strings.TrimSpace(in.value(w.member))
		word, known := r.translateValue(w.member, text, w.known)
		if w.set(word); !known {
			unmapped = append(unmapped, ownsales.Unmapped{Member: w.member, Value: fmt.Sprintf("%.40s", DropPersons(text))})
		}
	}
	if in.value("status") == "" {
		p.Status = ownsales.StatusPaid
	}
	if p.CancelledAt != 0 && p.Status == ownsales.StatusPaid {
		p.Status = ownsales.StatusCancelled
	}
	return p, unmapped, fault
}

// amountOf is the amount of a member, or what is wrong with it.
func (r *Reader) amountOf(member, written string) (ledger.Amount, words.Message) {
	v, err := r.parseAmount(written)
	switch {
	case errors.Is(err, errCents):
		return 0, words.NewMessage("own_fault.no_whole_cents", "member", member, "value", QuoteShape(written))
	case err != nil:
		return 0, words.NewMessage("own_fault.unreadable", "member", member, "value", QuoteShape(written))
	}
	return v, words.Message{}
}

// readNumbers reads the members of a row that are optional and have a form.
func (r *Reader) readNumbers(in *row, p *ownsales.Payment) (fault words.Message) {
	for _, n := range []struct {
		member string
		most   int64
		set    func(int64)
	}{
		{"payment_no", 1_000_000, func(v int64) { p.Number = int(v) }},
		{"installments", 99, func(v int64) { p.Installments = int(v) }},
		{"account", 1 << 53, func(v int64) { p.Account = ledger.Account(v) }},
	} {
		text := strings.TrimSpace(in.value(n.member))
		if text == "" {
			continue
		}
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || v < 1 || v > n.most {
			return words.NewMessage("own_fault.number", "member", n.member, "value", QuoteShape(text), "most", n.most)
		}
		n.set(v)
	}
	if text := strings.TrimSpace(in.value("cancelled_at")); text != "" {
		var err error
		if p.CancelledAt, _, err = r.parseTime(text); err != nil {
			return words.NewMessage("own_fault.date_as", "member", "cancelled_at", "value", QuoteShape(text), "layout", r.Date)
		}
	}
	if text := strings.TrimSpace(in.value("interest")); text != "" {
		v, fault := r.amountOf("interest", text)
		if fault.ID != "" {
			return fault
		}
		p.Interest = ledger.Some(v)
	}
	return fault
}

// translateValue is the word for what a column says: as the map declares, else as known reads it. An empty one is no word.
func (r *Reader) translateValue(member, written string, known func(string) (string, bool)) (string, bool) {
	if written == "" {
		return "", true
	}
	for text, word := range r.Values[member] {
		if strings.EqualFold(text, written) {
			return word, true
		}
	}
	if known != nil {
		return known(written)
	}
	return "", false
}

func wordIn[T ~string](all []T) func(string) (string, bool) {
	return func(written string) (string, bool) {
		for _, w := range all {
			if strings.EqualFold(string(w), written) {
				return string(w), true
			}
		}
		return "", false
	}
}

// parseAmount reads whole cents with the declared decimal mark. The other mark may separate thousands.
func (r *Reader) parseAmount(written string) (ledger.Amount, error) {
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(written), "R$"))
	if r.Cents {
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || v > int64(ledger.MaxAmount/ledger.Cent) || v < -int64(ledger.MaxAmount/ledger.Cent) {
			return 0, errUnreadable
		}
		return ledger.FromCents(v), nil
	}
	thousands := ","
	if r.Decimal == "," {
		thousands = "."
	}
	whole, fraction, _ := strings.Cut(text, r.Decimal)
	groups := strings.Split(whole, thousands)
	for i, g := range groups[1:] {
		if first := strings.TrimLeft(groups[0], "+-"); len(g) != 3 || i == 0 && (first == "" || len(first) > 3) {
			return 0, errUnreadable
		}
	}
	if strings.ContainsAny(text, "eE_ ") {
		return 0, errUnreadable
	}
	if strings.Trim(fraction, "0123456789") == "" && len(strings.TrimRight(fraction, "0")) > 2 {
		return 0, errCents
	}
	number := strings.Join(groups, "")
	if fraction != "" {
		number += "." + fraction
	}
	v, err := ledger.ParseAmount(strings.TrimPrefix(leadingZero(number), "+"))
	if err != nil {
		return 0, errUnreadable
	}
	return v, nil
}

// What may be wrong with an amount: it is none, or has parts of a cent.
var (
	errUnreadable = errors.New("unreadable")
	errCents      = errors.New("fractions beyond cents")
)

// leadingZero makes a number of one that begins with its mark or with zeros, as systems print them.
func leadingZero(number string) string {
	sign := ""
	if strings.HasPrefix(number, "-") {
		sign, number = "-", number[1:]
	}
	trimmed := strings.TrimLeft(number, "0")
	if trimmed == "" && number != "" || strings.HasPrefix(trimmed, ".") {
		trimmed = "0" + trimmed
	}
	return sign + trimmed
}

// isoTime is a day with a time of day and an offset that may be missing.
var isoTime = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,]\d+)?)? ?(Z|[+-]\d\d:?\d\d| UTC)?$`)

// parseTime reads a day from 2000 to 2100 and the time of day that may follow it. One with an offset is brought to the zone.
func (r *Reader) parseTime(written string) (at ledger.LocalTime, timed bool, err error) {
	text := strings.TrimSpace(written)
	if layout := strings.ToLower(r.Date); layout != "iso" {
		if text, err = isoDay(text, layout); err != nil {
			return 0, false, err
		}
	}
	return ParseTime(text, r.Zone)
}

// ParseTime reads YYYY-MM-DD with a time of day and an offset that may follow it, from 2000 to 2100.
func ParseTime(text string, zone *time.Location) (at ledger.LocalTime, timed bool, err error) {
	if len(text) == 10 || len(text) == 19 { // as most systems write it
		if at, err = ledger.ParseLocalTime(text, zone); err == nil {
			return at, len(text) == 19, checkYear(at, text)
		}
	}
	m := isoTime.FindStringSubmatch(text)
	if m == nil {
		return 0, false, fmt.Errorf("%.40q: no date", text)
	}
	whole := m[1]
	if m[2] != "" {
		seconds := m[3]
		if seconds == "" {
			seconds = ":00"
		}
		offset := strings.TrimSpace(strings.Replace(m[4], "UTC", "Z", 1))
		if len(offset) == 5 {
			offset = offset[:3] + ":" + offset[3:]
		}
		whole += "T" + m[2] + seconds + offset
	}
	if at, err = ledger.ParseLocalTime(whole, zone); err != nil {
		return 0, false, err
	}
	return at, m[2] != "", checkYear(at, text)
}

// firstDay and lastDay are the days that a date of a sale may be.
var firstDay, lastDay = ledger.NewDate(2000, 1, 1), ledger.NewDate(2100, 12, 31)

func checkYear(at ledger.LocalTime, text string) error {
	if d := at.Date(); d < firstDay || d > lastDay {
		return fmt.Errorf("%.40q: no date from 2000 to 2100", text)
	}
	return nil
}

// isoDay writes a day that is laid out otherwise as YYYY-MM-DD, and leaves what follows it.
func isoDay(text, layout string) (string, error) {
	if len(text) < len(layout) {
		return "", fmt.Errorf("no date as %s", layout)
	}
	var year, month, day string
	for i := range len(layout) {
		switch layout[i] {
		case 'y':
			year += text[i : i+1]
		case 'm':
			month += text[i : i+1]
		case 'd':
			day += text[i : i+1]
		default:
			if text[i] != layout[i] {
				return "", fmt.Errorf("no date as %s", layout)
			}
		}
	}
	if len(year) == 2 {
		year = "20" + year
	}
	return year + "-" + month + "-" + day + text[len(layout):], nil
}

// cleanText is a text without control characters and blanks around it, cut at a length.
func cleanText(s string) string {
	if len(s) <= maxText && isPlain(s) {
		return strings.TrimSpace(s)
	}
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s))
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}

// isPlain reports whether a text has nothing but printable ASCII.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

var cardNumber = regexp.MustCompile(`\b[3-6](?:[ -]?\d){12,18}\b`)

// DropPersons cleans a text of the shop's: documents of persons and firms and addresses of e-mail are dropped, of card numbers four
// digits stay.
func DropPersons(s string) string {
	s = dropDocuments(s)
	if !strings.Contains(s, "@") {
		return s
	}
	return strings.TrimSpace(mail.ReplaceAllString(s, ""))
}

func dropDocuments(s string) string {
	if len(s) < 11 {
		return cleanText(s) // shorter than a CPF
	}
	s = cardNumber.ReplaceAllStringFunc(cleanText(s), func(n string) string { return "****" + lastFour(n) })
	if ledger.MaskPersonDocuments(s) != s {
		s = cleanText(ledger.DropPersonDocuments(s))
	}
	if !strings.ContainsAny(s, " .-") {
		return s
	}
	return strings.TrimSpace(written.ReplaceAllString(s, ""))
}

// written is what no number of a sale looks like: a document of a person or firm with its marks, or a card number in groups. mail is an address
// of e-mail.
var (
	written = regexp.MustCompile(`\d{3}\.\d{3}\.\d{3}-\d{2}|\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}|\b[3-6]\d{3}(?:[ -]\d{2,6}){2,3}\b`)
	mail    = regexp.MustCompile(`\S+@\S+`)
)

// cleanID cleans a number or name of a sale, as systems give them: what was written there of a customer is dropped, and digits in a row are left
// as they are, since any may be a document.
func cleanID(s string) string {
	s = cleanText(s)
	if mayMatchWritten(s) {
		s = strings.TrimSpace(written.ReplaceAllString(s, ""))
	}
	if strings.Contains(s, "@") {
		s = strings.TrimSpace(mail.ReplaceAllString(s, ""))
	}
	return s
}

// mayMatchWritten reports whether a text has digits and marks in a row as many as the shortest match of written has: 8 digits and 2 marks. Most
// ids have not, among them UUIDs of digits almost alone, and need no look by the expression.
func mayMatchWritten(s string) bool {
	digits, marks := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			digits++
		case '.', '-', '/', ' ':
			marks++
		default:
			digits, marks = 0, 0
		}
		if digits >= 8 && marks >= 2 {
			return true
		}
	}
	return false
}

var word = regexp.MustCompile(`\pL{2,}`)

// QuoteShape quotes what should be a number or a date and is none. Columns that have slipped may put a customer there: of words only
// the lengths are shown, and documents of persons and card numbers not at all.
func QuoteShape(s string) string {
	return fmt.Sprintf("%.40q", word.ReplaceAllStringFunc(dropDocuments(s), func(w string) string {
		return strings.Repeat("x", utf8.RuneCountInString(w))
	}))
}

func lastFour(s string) string {
	d := digitsOf(s)
	if len(d) < 4 {
		return ""
	}
	return d[len(d)-4:]
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}
