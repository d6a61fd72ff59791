package world

import (
	"fmt"
	"math/rand/v2"
)

// pointOfSale is where an account's cards are taken.
type pointOfSale struct {
	serials []string // terminal serial numbers
	web     string   // the terminal e-commerce sales name
}

func drawPointOfSale(r *rand.Rand, index int) pointOfSale {
	p := pointOfSale{web: fmt.Sprintf("ECOM%08d", index+1)}
	for range 3 {
		p.serials = append(p.serials, "PB"+drawDigits(r, 10))
	}
	return p
}

// drawBrand picks a brand by its share of the market; debit cards come in three brands.
func drawBrand(r *rand.Rand, debit bool) string {
	dice := r.IntN(100)
	switch {
	case debit && dice < 45, !debit && dice < 40:
		return "visa"
	case debit && dice < 85, !debit && dice < 75:
		return "mastercard"
	case debit, dice < 87:
		return "elo"
	case dice < 94:
		return "amex"
	}
	return "hipercard"
}

// Brands are the card brands of the service, in lower case.
func Brands() []string { return []string{"visa", "mastercard", "elo", "amex", "hipercard"} }

// drawMaskedCard shows the first six digits and the last four.
func drawMaskedCard(r *rand.Rand, brand string) string {
	bins := map[string][]string{
		"visa":       {"453912", "401178", "498453"},
		"mastercard": {"545301", "516292", "522840"},
		"elo":        {"636368", "504175", "650487"},
		"amex":       {"376411", "374245"},
		"hipercard":  {"606282"},
	}[brand]
	hidden := "******"
	if brand == "amex" {
		hidden = "*****" // fifteen digits
	}
	return bins[r.IntN(len(bins))] + hidden + drawDigits(r, 4)
}

// drawAuth draws an authorization code of six letters and digits.
func drawAuth(r *rand.Rand) string {
	const letters = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
	b := make([]byte, 6)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// payer is who a slip is drawn on.
type payer struct {
	document, name, street, zip, city, state, neighborhood, phone string
}

type cityData struct{ city, state, zip, area string }

// drawPayer makes up a person, or one time in four a company. None of them exists.
func drawPayer(r *rand.Rand) payer {
	firsts := []string{"Ana", "Bruno", "Carla", "Davi", "Elisa", "Felipe", "Gabriela", "Heitor", "Isabela", "João", "Larissa", "Marcos", "Natália", "Otávio", "Patrícia", "Rafael", "Sônia", "Tiago", "Vitória", "Wagner"}
	lasts := []string{"Almeida", "Barbosa", "Cardoso", "Conceição", "Dias", "Esteves", "Ferreira", "Gonçalves", "Junqueira", "Lima", "Macêdo", "Nogueira", "Oliveira", "Pacheco", "Queirós", "Ribeiro", "Santana", "Teixeira", "Uchôa", "Vasconcelos"}
	trades := []string{"Padaria", "Mercearia", "Papelaria", "Oficina", "Farmácia", "Livraria", "Floricultura", "Serralheria"}
	streets := []string{"Rua das Acácias", "Avenida Brasil", "Rua Sete de Setembro", "Travessa do Comércio", "Rua XV de Novembro", "Alameda dos Ipês"}
	places := []cityData{
		{"São Paulo", "SP", "01310", "11"},
		{"Rio de Janeiro", "RJ", "20040", "21"},
		{"Belo Horizonte", "MG", "30130", "31"},
		{"Curitiba", "PR", "80020", "41"},
		{"Porto Alegre", "RS", "90010", "51"},
		{"Recife", "PE", "50030", "81"},
		{"Goiânia", "GO", "74015", "62"},
		{"Belém", "PA", "66010", "91"},
	}
	areas := []string{"Centro", "Jardim América", "Boa Vista", "Santa Luzia", "Vila Nova"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }

	p := payer{name: pick(firsts) + " " + pick(lasts) + " " + pick(lasts), document: newCPF(r)}
	if r.IntN(4) == 0 {
		p.name, p.document = pick(trades)+" "+pick(lasts)+" Ltda", newCNPJ(r)
	}
	at := places[r.IntN(len(places))]
	p.street = fmt.Sprintf("%s, %d", pick(streets), 1+r.IntN(2999))
	p.zip, p.city, p.state = at.zip+drawDigits(r, 3), at.city, at.state
	p.neighborhood, p.phone = pick(areas), at.area+"9"+drawDigits(r, 8)
	return p
}

// newGUID draws a version 4 GUID in lower case.
func newGUID(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", uint32(a>>32), uint16(a>>16), a&0xFFF, 0x8000|b>>48&0x3FFF, b&0xFFFFFFFFFFFF)
}
