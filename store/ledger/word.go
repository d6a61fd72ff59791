package ledger

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WordKind is the member of a record by which people look for it.
type WordKind string

// The kinds of words. Nothing of a payer is a word.
const (
	NSUWord         WordKind = "nsu"
	AuthWord        WordKind = "auth"
	OrderWord       WordKind = "order"       // transactionReference
	WebPaymentWord  WordKind = "web"         // webPaymentId
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

// Word is a text of that kind as the table of words keeps it: whatever its case, an NSU without leading zeros, a bar code and a
// digitable line as the digits of the bar code. It is empty for a text that cannot be looked for.
func (k WordKind) Word(text string) string {
	if !isPlainWord(text) {
		text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	}
	switch k {
	case NSUWord:
		if trimmed := strings.TrimLeft(text, "0"); trimmed != "" {
			text = trimmed
		}
	case BarCodeWord:
		if text = digitsOf(text); len(text) != barCodeLength {
			text = barCodeOfLine(text)
		}
	case BeneficiaryWord:
		text = digitsOf(text)
	case CardWord:
		if len(text) < 4 || digitsOf(text[len(text)-4:]) != text[len(text)-4:] {
			return ""
		}
		text = text[len(text)-4:]
	}
	if text == "" {
		return ""
	}
	if len(text) > maxWord {
		text = strings.ToValidUTF8(text[:maxWord], "")
	}
	return wordMarks[k] + strings.ReplaceAll(text, "\x00", "")
}

// isPlainWord reports whether a text has neither blanks nor capitals, as nearly every number of a record.
func isPlainWord(text string) bool {
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// AmountWordOf is the word of an exact amount.
func AmountWordOf(a Amount) string { return wordMarks[AmountWord] + strconv.FormatInt(int64(a), 10) }

// KindOfWord is the kind of a word as the table of words keeps it, empty for none.
func KindOfWord(word string) WordKind {
	for k, mark := range wordMarks {
		if strings.HasPrefix(word, mark) {
			return k
		}
	}
	return ""
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

// Words are those of an installment, each once.
func (i *Installment) Words() []string {
	w := make(wordList, 0, 8+len(i.Splits))
	w.add(NSUWord, i.NSU)
	w.add(AuthWord, i.Auth)
	w.add(OrderWord, i.Reference)
	w.add(WebPaymentWord, i.WebPaymentID)
	w.add(CardWord, i.Card)
	w.addAmount(Some(i.Gross))
	w.addAmount(i.SaleTotal)
	w.addAmount(i.Received)
	for n := range i.Splits {
		w.add(BeneficiaryWord, i.Splits[n].Beneficiary)
	}
	return w
}

// HasWordsOf reports whether the installment has no word that another of its sale, or another version, has not.
func (i *Installment) HasWordsOf(o *Installment) bool {
	return i.NSU == o.NSU && i.Auth == o.Auth && i.Reference == o.Reference && i.WebPaymentID == o.WebPaymentID && i.Card == o.Card &&
		i.Gross == o.Gross && i.SaleTotal == o.SaleTotal && (i.Received == o.Received || i.Received.V == 0) &&
		slices.EqualFunc(i.Splits, o.Splits, func(a, b Split) bool { return a.Beneficiary == b.Beneficiary })
}

// Words are those of a view of a slip, each once.
func (v *SlipView) Words() []string {
	w := wordList{}
	w.add(SlipIDWord, v.ID)
	w.add(OurNumberWord, v.OurNumber)
	w.add(ReferenceWord, v.ReferenceCode)
	w.add(BarCodeWord, v.BarCode)
	w.add(BarCodeWord, v.DigitableLine)
	w.addAmount(Some(v.Value))
	w.addAmount(v.PaidValue)
	return w
}

// wordList are words, each once.
type wordList []string

func (w *wordList) add(k WordKind, text string) { w.addWord(k.Word(text)) }

// addAmount adds an amount that is there and is not 0, without its sign.
func (w *wordList) addAmount(a Opt[Amount]) {
	if a.V != 0 {
		w.addWord(AmountWordOf(a.V.Abs()))
	}
}

func (w *wordList) addWord(word string) {
	if word == "" {
		return
	}
	for _, known := range *w {
		if known == word {
			return
		}
	}
	*w = append(*w, word)
}
