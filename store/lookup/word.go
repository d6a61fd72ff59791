package lookup

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"concilia/store/ledger"
)

// WordKind is the member of a record by which people look for it.
type WordKind string

// The kinds of words. Nothing of a payer is a word.
const (
	NSUWord         WordKind = "nsu"
	AuthWord        WordKind = "auth"
	OrderWord       WordKind = "order"       // transactionReference
	WebPaymentWord  WordKind = "web"         // transactionPaymentIdWeb
	AmountWord      WordKind = "amount"      // of a sale, of an installment, received, of a slip, paid
	CardWord        WordKind = "card"        // last four digits
	BeneficiaryWord WordKind = "beneficiary" // of a split
	OurNumberWord   WordKind = "our_number"
	ReferenceWord   WordKind = "ref" // reference code of a slip
	SlipIDWord      WordKind = "id"
	BarCodeWord     WordKind = "slip"
)

// wordMarks are the letters that kinds have in the table of words, in which they occur millions of times.
var wordMarks = map[WordKind]string{
	NSUWord: "n", AuthWord: "a", OrderWord: "o", WebPaymentWord: "w", AmountWord: "m", CardWord: "c", BeneficiaryWord: "b",
	OurNumberWord: "u", ReferenceWord: "r", SlipIDWord: "i", BarCodeWord: "s",
}

// maxWord bounds a word: longer texts are found by their beginning.
const maxWord = 64

// barCodeDigits is how many digits a bar code has.
const barCodeDigits = 44

// Word is a text of that kind as the table of words keeps it: whatever its case, an NSU without leading zeros, a bar code and a
// digitable line as the digits of the bar code. It is empty for a text that cannot be looked for.
func (k WordKind) Word(text string) string { return string(k.appendWord(nil, text)) }

// appendWord appends what Word returns.
func (k WordKind) appendWord(b []byte, text string) []byte {
	if !isPrintableASCII(text) {
		text = strings.ReplaceAll(strings.ToLower(strings.Join(strings.Fields(text), " ")), "\x00", "")
	}
	switch k {
	case NSUWord:
		if trimmed := strings.TrimLeft(text, "0"); trimmed != "" {
			text = trimmed
		}
	case BarCodeWord:
		if text = digitsOf(text); len(text) != barCodeDigits {
			text = barCodeOfLine(text)
		}
	case BeneficiaryWord:
		text = digitsOf(text)
	case CardWord:
		if len(text) < 4 || digitsOf(text[len(text)-4:]) != text[len(text)-4:] {
			return b
		}
		text = text[len(text)-4:]
	}
	if text == "" {
		return b
	}
	if len(text) > maxWord {
		text = strings.ToValidUTF8(text[:maxWord], "")
	}
	b = append(b, wordMarks[k]...)
	for i := range len(text) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}

// isPrintableASCII reports whether a text has neither blanks nor letters beyond A to Z, as nearly every number of a record.
func isPrintableASCII(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// AmountWordOf is the word of an exact amount.
func AmountWordOf(a ledger.Amount) string { return string(appendAmountWord(nil, a)) }

func appendAmountWord(b []byte, a ledger.Amount) []byte {
	return strconv.AppendInt(append(b, wordMarks[AmountWord]...), int64(a), 10)
}

// digitsOf are the digits of a text.
func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// barCodeOfLine is the bar code that the 47 digits of a digitable line stand for, whatever their check digits; empty for
// anything else. The 48 digits of a collection slip keep their own four fields without the check digit of each.
func barCodeOfLine(line string) string {
	switch len(line) {
	case 47:
		return line[:4] + line[32:33] + line[33:47] + line[4:9] + line[10:20] + line[21:31]
	case 48:
		return line[:11] + line[12:23] + line[24:35] + line[36:47]
	}
	return ""
}

// AddInstallment adds the words of an installment, each once.
func (l *WordList) AddInstallment(i *ledger.Installment) {
	l.add(NSUWord, i.NSU)
	l.add(AuthWord, i.Auth)
	l.add(OrderWord, i.Reference)
	l.add(WebPaymentWord, i.WebPaymentID)
	l.add(CardWord, i.Card)
	l.addAmount(i.Gross)
	l.addAmount(i.SaleTotal.V)
	l.addAmount(i.Received.V)
	for n := range i.Splits {
		l.add(BeneficiaryWord, i.Splits[n].Beneficiary)
	}
}

// HasWordsOf reports whether an installment has no word that another of its sale, or another version, has not.
func HasWordsOf(i, o *ledger.Installment) bool {
	return i.NSU == o.NSU && i.Auth == o.Auth && i.Reference == o.Reference && i.WebPaymentID == o.WebPaymentID && i.Card == o.Card &&
		i.Gross == o.Gross && i.SaleTotal == o.SaleTotal && (i.Received == o.Received || i.Received.V == 0) &&
		slices.EqualFunc(i.Splits, o.Splits, func(a, b ledger.Split) bool { return a.Beneficiary == b.Beneficiary })
}

// AddSlip adds the words of a view of a slip, each once.
func (l *WordList) AddSlip(v *ledger.SlipView) {
	l.add(SlipIDWord, v.ID)
	l.add(OurNumberWord, v.OurNumber)
	l.add(ReferenceWord, v.ReferenceCode)
	l.add(BarCodeWord, v.BarCode)
	l.add(BarCodeWord, v.DigitableLine)
	l.addAmount(v.Value)
	l.addAmount(v.PaidValue.V)
}

// WordList are the words of one record, each once, one after the other in one memory that the next record's take.
type WordList struct {
	text []byte
	ends []int // of each word in the text
}

// Clear makes the list empty.
func (l *WordList) Clear() { l.text, l.ends = l.text[:0], l.ends[:0] }

// All yields the words in the order in which they came. A word holds until the list changes.
func (l *WordList) All() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		start := 0
		for _, end := range l.ends {
			if !yield(l.text[start:end]) {
				return
			}
			start = end
		}
	}
}

// Has reports whether a word is in the list.
func (l *WordList) Has(word []byte) bool {
	for known := range l.All() {
		if bytes.Equal(known, word) {
			return true
		}
	}
	return false
}

func (l *WordList) add(k WordKind, text string) { l.endWord(k.appendWord(l.text, text)) }

// addAmount adds an amount that is not 0, without its sign.
func (l *WordList) addAmount(a ledger.Amount) {
	if a != 0 {
		l.endWord(appendAmountWord(l.text, a.Abs()))
	}
}

// endWord takes the text with one more word behind it, unless that is empty or in the list.
func (l *WordList) endWord(text []byte) {
	if word := text[len(l.text):]; len(word) == 0 || l.Has(word) {
		return
	}
	l.text, l.ends = text, append(l.ends, len(text))
}
