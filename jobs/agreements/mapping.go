package agreements

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"concilia/export/words"
	"concilia/store/ledger"
)

// Mapping translates the service's values. It is safe for concurrent use. Lookups return false for an unlisted value.
type Mapping struct {
	status       spellingTable[ledger.Class]
	receivedType spellingTable[ledger.ReceivedType]
	product      spellingTable[ledger.Product]
	brand        spellingTable[string]
	text         []byte
	hash         string
}

// Status returns the class of an installmentStatus or receivedStatus. An empty one is open.
func (m *Mapping) Status(raw string) (ledger.Class, bool) { return m.status.lookUp(raw) }

// ReceivedType returns the type of a receivedType. An empty one is normal, and so is every value of the class open or
// received that is not listed as anticipated.
func (m *Mapping) ReceivedType(raw string) (ledger.ReceivedType, bool) {
	return m.receivedType.lookUp(raw)
}

// Product returns the product of a cardType. An empty one is unknown.
func (m *Mapping) Product(raw string) (ledger.Product, bool) { return m.product.lookUp(raw) }

// Brand returns the canonical name, such as visa, of a cardName. An empty one is unknown.
func (m *Mapping) Brand(raw string) (string, bool) { return m.brand.lookUp(raw) }

// Text is the canonical form: every value, defaults included. Parsing it gives the same mapping.
func (m *Mapping) Text() []byte { return bytes.Clone(m.text) }

// Hash is the SHA-256 of Text, in lower-case hex.
func (m *Mapping) Hash() string { return m.hash }

// BrandHash is the SHA-256 of what it says of brands alone, in lower-case hex.
func (m *Mapping) BrandHash() string {
	var b bytes.Buffer
	renderWords(&b, "brand", m.brand.folded)
	return hashText(b.Bytes())
}

// DefaultMapping is used if no mapping file is configured.
func DefaultMapping() *Mapping {
	m, err := ParseMapping("", nil)
	if err != nil {
		// An empty file has no problems.
		panic(err)
	}
	return m
}

// ParseMapping reads a mapping file over the defaults. name is what its problems call it; the error is a problem.List.
func ParseMapping(name string, data []byte) (*Mapping, error) {
	m := &Mapping{}
	m.status.folded = foldDefaults(defaultStatus)
	m.receivedType.folded = foldDefaults(defaultReceivedType)
	m.product.folded = foldDefaults(defaultProduct)
	m.brand.folded = foldDefaults(defaultBrand)
	r := &yamlReader{file: name}
	if root, ok := r.openDocument(data); ok {
		r.readMapping(root,
			yamlField{"status", spellingsReader(r, m.status.folded, ledger.Open, ledger.Received, ledger.Blocked, ledger.Cancelled, ledger.Chargeback)},
			yamlField{"received_type", spellingsReader(r, m.receivedType.folded, ledger.Normal, ledger.Anticipated)},
			yamlField{"product", spellingsReader(r, m.product.folded, ledger.Credit, ledger.Debit, ledger.Voucher)},
			yamlField{"brand", brandsReader(r, m.brand.folded)})
	}
	if err := r.problems.Err(); err != nil {
		return nil, err
	}
	status := m.status.folded
	m.receivedType.otherwise = func(folded string) (ledger.ReceivedType, bool) {
		class, ok := status[folded]
		return ledger.Normal, ok && (class == ledger.Open || class == ledger.Received)
	}
	m.text = m.renderText()
	m.hash = hashText(m.text)
	return m, nil
}

func foldDefaults[V ~string](defaults []wordSpellings[V]) map[string]V {
	all := map[string]V{}
	for _, w := range defaults {
		for _, s := range w.spellings {
			all[foldSpelling(s)] = w.meaning
		}
	}
	return all
}

// spellingsReader returns a function that reads lists of spellings under the given keys.
func spellingsReader[V ~string](r *yamlReader, dst map[string]V, keys ...V) func(yamlValue) {
	return func(v yamlValue) {
		named := map[string]V{}
		fields := make([]yamlField, len(keys))
		for i, key := range keys {
			fields[i] = yamlField{string(key), func(v yamlValue) {
				r.readSpellings(v, func(s yamlValue, text string) { addSpelling(r, named, s, text, key) })
			}}
		}
		r.readMapping(v, fields...)
		maps.Copy(dst, named)
	}
}

// brandsReader returns a function that reads lists of spellings under brand names, new ones included. The name of a brand
// is one of its spellings.
func brandsReader(r *yamlReader, dst map[string]string) func(yamlValue) {
	return func(v yamlValue) {
		named := map[string]string{}
		r.readEntries(v, func(key string, entry yamlValue) {
			brand, ok := canonicalBrand(key)
			if !ok {
				r.addProblem(entry, "", words.NewMessage("want.brand_name"))
				return
			}
			if _, known := dst[brand]; !known {
				dst[brand] = brand
			}
			if !isNull(entry.node) {
				r.readSpellings(entry, func(s yamlValue, text string) { addSpelling(r, named, s, text, brand) })
			}
		})
		maps.Copy(dst, named)
	}
}

// readSpellings calls each for the elements of a list of texts.
func (r *yamlReader) readSpellings(v yamlValue, each func(at yamlValue, text string)) {
	r.readList(v, words.NewMessage("want.of_spellings"), func(_ int, element yamlValue) {
		if text, ok := r.readText(element, words.NewMessage("want.spelling")); ok {
			each(element, text)
		}
	})
}

// addSpelling records the meaning of a spelling in the file; a second, different meaning of the spelling is a problem.
func addSpelling[V ~string](r *yamlReader, named map[string]V, at yamlValue, text string, is V) {
	folded := foldSpelling(text)
	if other, ok := named[folded]; ok && other != is {
		r.addProblem(at, text, words.NewMessage("want.spelling_once", "other", other))
		return
	}
	named[folded] = is
}

func (m *Mapping) renderText() []byte {
	var b bytes.Buffer
	renderWords(&b, "status", m.status.folded)
	renderWords(&b, "received_type", m.receivedType.folded)
	renderWords(&b, "product", m.product.folded)
	renderWords(&b, "brand", m.brand.folded)
	return b.Bytes()
}

func renderWords[V ~string](b *bytes.Buffer, key string, all map[string]V) {
	lists := map[V][]string{}
	for spelling, is := range all {
		lists[is] = append(lists[is], fmt.Sprintf("%q", spelling))
	}
	fmt.Fprintf(b, "%s:\n", key)
	for _, is := range slices.SortedFunc(maps.Keys(lists), cmp.Compare[V]) {
		slices.Sort(lists[is])
		fmt.Fprintf(b, "  %q: [%s]\n", string(is), strings.Join(lists[is], ", "))
	}
}

// wordSpellings is one of our words and the service's spellings of it.
type wordSpellings[V ~string] struct {
	meaning   V
	spellings []string
}

// The default spellings. The interface document leaves the value sets of installmentStatus, receivedStatus,
// receivedType, cardType and cardName open; these are assumptions that a mapping file can override.
var (
	defaultStatus = []wordSpellings[ledger.Class]{
		{ledger.Open, []string{
			"", "Authorized", "Autorizado", "Autorizada", "Approved", "Aprovado", "Aprovada",
			"Pending", "Pendente", "Previsto", "Prevista", "Scheduled", "Agendado", "Agendada", "A receber",
		}},
		{ledger.Received, []string{
			"Paid", "Pago", "Paga", "Received", "Recebido", "Recebida", "Liquidado", "Liquidada",
			"Settled", "Antecipado", "Antecipada",
		}},
		{ledger.Blocked, []string{"Blocked", "Bloqueado", "Bloqueada"}},
		{ledger.Cancelled, []string{
			"Canceled", "Cancelled", "Cancelado", "Cancelada", "Estornado", "Estornada",
			"Devolvido", "Devolvida", "Refunded", "Reversed",
		}},
		{ledger.Chargeback, []string{"Chargeback", "Contestado", "Contestada", "Disputa"}},
	}
	// Any status of the class open or received counts as normal too.
	defaultReceivedType = []wordSpellings[ledger.ReceivedType]{
		{ledger.Anticipated, []string{"Anticipated", "Antecipado", "Antecipada", "Antecipação"}},
		{ledger.Normal, []string{"", "Normal"}},
	}
	defaultProduct = []wordSpellings[ledger.Product]{
		{ledger.Credit, []string{"CREDIT", "Crédito"}},
		{ledger.Debit, []string{"DEBIT", "Débito"}},
		{ledger.Voucher, []string{"VOUCHER"}},
	}
	defaultBrand = []wordSpellings[string]{
		{"visa", []string{"visa"}},
		{"mastercard", []string{"mastercard", "master"}},
		{"elo", []string{"elo"}},
		{"amex", []string{"amex", "american express"}},
		{"hipercard", []string{"hipercard"}},
	}
)

// canonicalBrand returns the canonical name for a brand in a contract or mapping file: that of the default brand with this
// spelling, else the folded text. It returns false if the text cannot be a brand name.
func canonicalBrand(text string) (string, bool) {
	name := foldSpelling(text)
	for _, w := range defaultBrand {
		for _, s := range w.spellings {
			if s == name {
				return w.meaning, true
			}
		}
	}
	if name == "" || len(name) > 30 {
		return "", false
	}
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != ' ' && c != '-' && c != '_' {
			return "", false
		}
	}
	return name, true
}

// foldSpelling removes from a text what does not distinguish spellings: accents, case, blanks at the ends, repeated blanks.
func foldSpelling(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(s))
	return strings.Join(strings.Fields(s), " ")
}

// spellingTable looks up the meaning of a spelling. The service repeats a few spellings in every row, so results are
// cached under the raw text: a repeated spelling costs one map read and no allocation.
type spellingTable[V any] struct {
	folded map[string]V
	// otherwise looks up a folded spelling that is not listed; nil: an unlisted spelling has no meaning.
	otherwise func(folded string) (V, bool)

	cached atomic.Pointer[map[string]lookUpResult[V]] // replaced as a whole, never modified
	mu     sync.Mutex                                 // held while cached is replaced
}

type lookUpResult[V any] struct {
	value V
	found bool
}

const (
	// maxCached and maxCachedText bound the number and the length of cached spellings; any other is folded again.
	maxCached     = 1024
	maxCachedText = 128
)

func (s *spellingTable[V]) lookUp(raw string) (V, bool) {
	cached := s.cached.Load()
	if cached != nil {
		if a, ok := (*cached)[raw]; ok {
			return a.value, a.found
		}
	}
	a := s.resolveSpelling(raw)
	if len(raw) <= maxCachedText && (cached == nil || len(*cached) < maxCached) {
		s.cacheResult(strings.Clone(raw), a)
	}
	return a.value, a.found
}

func (s *spellingTable[V]) resolveSpelling(raw string) lookUpResult[V] {
	f := foldSpelling(raw)
	v, ok := s.folded[f]
	if !ok && s.otherwise != nil {
		v, ok = s.otherwise(f)
	}
	return lookUpResult[V]{v, ok}
}

func (s *spellingTable[V]) cacheResult(raw string, a lookUpResult[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := map[string]lookUpResult[V]{}
	if cached := s.cached.Load(); cached != nil {
		if len(*cached) >= maxCached {
			return
		}
		next = maps.Clone(*cached)
	}
	next[raw] = a
	s.cached.Store(&next)
}
