package agreements

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// Mapping translates the service's spellings. It is safe for concurrent use. Lookups return false for an unlisted
// spelling.
type Mapping struct {
	status       spellings[ledger.Class]
	receivedType spellings[ledger.ReceivedType]
	product      spellings[ledger.Product]
	brand        spellings[string]
	text         []byte
	hash         string
}

// Status returns the class of an installmentStatus or receivedStatus. An empty one is open.
func (m *Mapping) Status(raw string) (ledger.Class, bool) { return m.status.of(raw) }

// ReceivedType returns the type of a receivedType. An empty one is normal, and so is every spelling of the class open or
// received that is not listed as anticipated.
func (m *Mapping) ReceivedType(raw string) (ledger.ReceivedType, bool) { return m.receivedType.of(raw) }

// Product returns the product of a cardType. An empty one is unknown.
func (m *Mapping) Product(raw string) (ledger.Product, bool) { return m.product.of(raw) }

// Brand returns the canonical name, such as visa, of a cardName. An empty one is unknown.
func (m *Mapping) Brand(raw string) (string, bool) { return m.brand.of(raw) }

// Text is the canonical form: every spelling, defaults included. It reads as the same mapping.
func (m *Mapping) Text() []byte { return bytes.Clone(m.text) }

// Hash is the SHA-256 of Text, in lower-case hex.
func (m *Mapping) Hash() string { return m.hash }

// DefaultMapping is used if no mapping file is configured.
func DefaultMapping() *Mapping {
	m, err := ParseMapping("", nil)
	if err != nil {
		// An empty file has nothing that could be wrong with it.
		panic(err)
	}
	return m
}

// ParseMapping reads a mapping file over the defaults. name is what its problems call it; the error is a problem.List.
func ParseMapping(name string, data []byte) (*Mapping, error) {
	m := &Mapping{}
	m.status.folded = foldAll(defaultStatus)
	m.receivedType.folded = foldAll(defaultReceivedType)
	m.product.folded = foldAll(defaultProduct)
	m.brand.folded = foldAll(defaultBrand)
	f := &form{file: name}
	if root, ok := f.open(data); ok {
		f.mapping(root,
			field{"status", words(f, m.status.folded, ledger.Open, ledger.Received, ledger.Blocked, ledger.Cancelled, ledger.Chargeback)},
			field{"received_type", words(f, m.receivedType.folded, ledger.Normal, ledger.Anticipated)},
			field{"product", words(f, m.product.folded, ledger.Credit, ledger.Debit, ledger.Voucher)},
			field{"brand", brands(f, m.brand.folded)})
	}
	if err := f.problems.Err(); err != nil {
		return nil, err
	}
	status := m.status.folded
	m.receivedType.otherwise = func(folded string) (ledger.ReceivedType, bool) {
		class, ok := status[folded]
		return ledger.Normal, ok && (class == ledger.Open || class == ledger.Received)
	}
	m.text = m.render()
	m.hash = hashOf(m.text)
	return m, nil
}

func foldAll[V ~string](defaults []word[V]) map[string]V {
	all := map[string]V{}
	for _, w := range defaults {
		for _, s := range w.spellings {
			all[fold(s)] = w.is
		}
	}
	return all
}

// words reads lists of spellings under the keys there can be.
func words[V ~string](f *form, dst map[string]V, keys ...V) func(value) {
	return func(v value) {
		named := map[string]V{}
		fields := make([]field, len(keys))
		for i, key := range keys {
			fields[i] = field{string(key), func(v value) { f.spellings(v, func(s value, text string) { name(f, named, s, text, key) }) }}
		}
		f.mapping(v, fields...)
		maps.Copy(dst, named)
	}
}

// brands reads lists of spellings under names of brands, new ones included. A brand's own name is a spelling of it.
func brands(f *form, dst map[string]string) func(value) {
	return func(v value) {
		named := map[string]string{}
		f.entries(v, func(key string, entry value) {
			brand, ok := brandName(key)
			if !ok {
				f.add(entry, "", "a brand is named by letters, digits and blanks, at most 30")
				return
			}
			if _, known := dst[brand]; !known {
				dst[brand] = brand
			}
			if !isNull(entry.node) {
				f.spellings(entry, func(s value, text string) { name(f, named, s, text, brand) })
			}
		})
		maps.Copy(dst, named)
	}
}

// spellings calls each for the elements of a list of texts.
func (f *form) spellings(v value, each func(at value, text string)) {
	f.list(v, "of spellings", func(_ int, element value) {
		if text, ok := f.text(element, "a spelling of the service"); ok {
			each(element, text)
		}
	})
}

// name records what the file says a spelling means; a file that says two things of one is wrong.
func name[V ~string](f *form, named map[string]V, at value, text string, is V) {
	folded := fold(text)
	if other, ok := named[folded]; ok && other != is {
		f.add(at, text, fmt.Sprintf("named under %s before (case and accents do not count): keep one", other))
		return
	}
	named[folded] = is
}

func (m *Mapping) render() []byte {
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
