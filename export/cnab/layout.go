package cnab

import "strconv"

// Width is the length of every record, without its CR LF.
const Width = 240

// Kind is how a field is filled.
type Kind uint8

const (
	// Alfa is text, on the left, filled with blanks.
	Alfa Kind = iota
	// Num is digits, on the right, filled with zeros.
	Num
)

// String is the standard's own word: alfa or num.
func (k Kind) String() string {
	if k == Num {
		return "num"
	}
	return "alfa"
}

// Field is one field of a record, columns counted from 1, both bounds included.
type Field struct {
	Number   string // in the standard: 17.3T
	ID       string // unique within its record; it names the field in code, in errors and in Inspect
	From, To int
	Kind     Kind
	Decimals int    // implied decimals: 2 in amounts, else 0
	Name     string // the standard's name, Portuguese

	meaning meaning
	codes   codeList
	fixed   string // the only content allowed
	initial string // what a new record holds, where it is not blanks or zeros
}

// meaning is how the content of a field is interpreted, beyond text and digits.
type meaning uint8

const (
	plain      meaning = iota
	blank              // a filler of the standard
	amount             // cents
	day                // DDMMAAAA, zeros for none
	timeOfDay          // HHMMSS
	taxID              // CPF or CNPJ, zeros on the left; letters are allowed
	payerID            // the same, of a payer: masked
	person             // a name of a payer or beneficiary: masked
	checkDigit         // a check digit in a numeric column, where banks nevertheless write an X
	motives            // up to five motives of two characters
	version            // the number of a layout's edition
)

// Width is the number of columns.
func (f *Field) Width() int { return f.To - f.From + 1 }

// columnRange is the field's columns as errors and Inspect print them: 82-96.
func (f *Field) columnRange() string { return strconv.Itoa(f.From) + "-" + strconv.Itoa(f.To) }

// isPersonal reports whether the content is personal data, which is never shown.
func (f *Field) isPersonal() bool { return f.meaning == payerID || f.meaning == person }

// Layout is the table of one record. Layouts are made once, below, and never change.
type Layout struct {
	name   string
	fields []Field
	byID   map[string]*Field
	empty  [Width]byte
}

// Name is what errors call the record: "segment T", "cobrança lote header".
func (l *Layout) Name() string { return l.name }

// Fields are the fields in order of columns. The slice is a copy.
func (l *Layout) Fields() []Field { return append([]Field(nil), l.fields...) }

// Field is the field of that id, and whether there is one.
func (l *Layout) Field(id string) (Field, bool) {
	f, ok := l.byID[id]
	if !ok {
		return Field{}, false
	}
	return *f, true
}

func newLayout(name string, fields []Field) *Layout {
	l := &Layout{name: name, fields: fields, byID: make(map[string]*Field, len(fields))}
	for i := range fields {
		f := &fields[i]
		l.byID[f.ID] = f
		fill := byte(' ')
		if f.Kind == Num {
			fill = '0'
		}
		columns := l.empty[f.From-1 : f.To]
		for c := range columns {
			columns[c] = fill
		}
		copy(columns, f.initial)
	}
	return l
}

// The functions from here on are the words in which layouts.go writes the tables.
func alfa(number, id string, from, to int, name string) Field {
	return Field{Number: number, ID: id, From: from, To: to, Name: name}
}

func num(number, id string, from, to int, name string) Field {
	return Field{Number: number, ID: id, From: from, To: to, Kind: Num, Name: name}
}

func cents(number, id string, from, to int, name string) Field {
	f := num(number, id, from, to, name).as(amount)
	f.Decimals = 2
	return f
}

func date(number, id string, from, to int, name string) Field {
	return num(number, id, from, to, name).as(day)
}

func clock(number, id string, from, to int, name string) Field {
	return num(number, id, from, to, name).as(timeOfDay)
}

func filler(number string, from, to int) Field {
	return alfa(number, "cnab_"+strconv.Itoa(from), from, to, "CNAB").as(blank)
}

func (f Field) as(m meaning) Field { f.meaning = m; return f }

// in sets the code table of the field. Other codes can be read; Inspect marks them as not in the standard's table.
func (f Field) in(codes codeList) Field { f.codes = codes; return f }

// only sets the one content that the field of this layout may have.
func (f Field) only(content string) Field { f.fixed, f.initial = content, content; return f }

// usually sets the content of the field in a new record.
func (f Field) usually(content string) Field { f.initial = content; return f }
