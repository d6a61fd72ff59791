package service

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"
)

// Client is a company the operator has onboarded, with the four items the interface document asks for
// ("What the service does", 5) and what the operator gave in return.
type Client struct {
	UserName  string `json:"userName"`  // issued by the operator
	CNPJ      string `json:"cnpj"`      // 14 characters, no punctuation
	LegalName string `json:"legalName"` // razão social
	Contact   string `json:"contact"`   // technical integration team
	// Addresses requests may come from; a single address is a prefix of its whole length.
	Addresses []netip.Prefix `json:"addresses"`
	// Accounts the client may ask for; none means every account.
	Accounts []int64 `json:"accounts,omitempty"`
	// PasswordHash is Argon2id in its usual text form; the password itself is kept nowhere.
	PasswordHash string `json:"passwordHash"`
}

// Application is a company's application to be onboarded, as text.
type Application struct {
	CNPJ, LegalName, Contact string
	Addresses                []string // IP addresses or CIDR ranges; at least one
	Accounts                 []int64  // none asks for every account
}

// maxText bounds names and contacts in characters.
const maxText = 200

// newClient makes a client of an application; the error joins everything wrong with it.
func (a Application) newClient() (Client, error) {
	var errs []error
	c := Client{LegalName: strings.TrimSpace(a.LegalName), Contact: strings.TrimSpace(a.Contact)}
	var err error
	if c.CNPJ, err = parseCNPJ(a.CNPJ); err != nil {
		errs = append(errs, err)
	}
	for _, f := range []struct{ name, value string }{{"legal name", c.LegalName}, {"contact", c.Contact}} {
		if n := utf8.RuneCountInString(f.value); n < 1 || n > maxText {
			errs = append(errs, fmt.Errorf("%s: %d characters, want 1 to %d", f.name, n, maxText))
		}
	}
	if c.Addresses, err = parseAddresses(a.Addresses); err != nil {
		errs = append(errs, err)
	}
	for _, n := range a.Accounts {
		if n <= 0 || slices.Contains(c.Accounts, n) {
			errs = append(errs, fmt.Errorf("account %d: want distinct positive numbers", n))
		}
		c.Accounts = append(c.Accounts, n)
	}
	return c, errors.Join(errs...)
}

// parseAddresses parses a client's addresses, at least one; the error joins everything wrong with them.
func parseAddresses(texts []string) ([]netip.Prefix, error) {
	if len(texts) == 0 {
		return nil, errors.New("no address: name at least one the requests will come from")
	}
	var errs []error
	addresses := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		p, err := ParseAddress(text)
		if err != nil {
			errs = append(errs, err)
		}
		addresses[i] = p
	}
	return addresses, errors.Join(errs...)
}

// ParseAddress reads an IP address or a CIDR range.
func ParseAddress(text string) (netip.Prefix, error) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Masked(), nil
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return netip.Prefix{}, fmt.Errorf("address %q: want an IP address like 203.0.113.7 or a range like 203.0.113.0/24", text)
	}
	a = a.Unmap()
	return netip.PrefixFrom(a, a.BitLen()), nil
}

// Onboard adds a client to the state and issues its credential. The password is returned here and never
// again. Choice: one client per CNPJ, and an account named by one client can't be named by another.
func (s *State) Onboard(a Application) (userName, password string, err error) {
	c, err := a.newClient()
	if err != nil {
		return "", "", err
	}
	c.UserName, password = "cliente-"+strings.ToLower(rand.Text()[:12]), rand.Text()
	c.PasswordHash = hashPassword(password)
	err = s.changeState(func(d *stateData) error {
		for _, other := range d.Clients {
			if other.CNPJ == c.CNPJ {
				return fmt.Errorf("CNPJ %s is onboarded already, as %s", c.CNPJ, other.UserName)
			}
			for _, n := range c.Accounts {
				if slices.Contains(other.Accounts, n) {
					return fmt.Errorf("account %d belongs to %s", n, other.UserName)
				}
			}
		}
		d.Clients = append(d.Clients, c)
		return nil
	})
	if err != nil {
		return "", "", err
	}
	return c.UserName, password, nil
}

// ChangeAddresses replaces the addresses the client with that CNPJ may send requests from, and returns the client as it
// is then. From its next request on only the new addresses are allowed, for tokens issued before too.
func (s *State) ChangeAddresses(cnpj string, addresses []string) (Client, error) {
	number, wrongNumber := parseCNPJ(cnpj)
	list, wrongAddress := parseAddresses(addresses)
	if err := errors.Join(wrongNumber, wrongAddress); err != nil {
		return Client{}, err
	}
	var changed Client
	err := s.changeState(func(d *stateData) error {
		i := slices.IndexFunc(d.Clients, func(c Client) bool { return c.CNPJ == number })
		if i < 0 {
			return fmt.Errorf("CNPJ %s is not onboarded; sandbox client add onboards it", number)
		}
		d.Clients[i].Addresses = list
		changed = d.Clients[i]
		return nil
	})
	return changed, err
}

// parseCNPJ checks a company's tax registration number, with or without its punctuation, and returns its
// 14 characters. Choice: the twelve before the check digits may be letters, as numbers issued from July
// 2026 on have them; a letter counts as its character code less 48, like a digit does.
func parseCNPJ(text string) (string, error) {
	s := strings.ToUpper(strings.NewReplacer(".", "", "/", "", "-", "", " ", "").Replace(text))
	if len(s) != 14 {
		return "", fmt.Errorf("CNPJ %q: want 14 characters besides punctuation", text)
	}
	for i := range len(s) {
		digit, letter := s[i] >= '0' && s[i] <= '9', s[i] >= 'A' && s[i] <= 'Z'
		if !digit && (!letter || i >= 12) {
			return "", fmt.Errorf("CNPJ %q: character %d is neither digit nor letter, or a letter among the check digits", text, i+1)
		}
	}
	if strings.Count(s, s[:1]) == len(s) {
		return "", fmt.Errorf("CNPJ %q: all characters alike", text)
	}
	if s[12] != cnpjDigit(s[:12]) || s[13] != cnpjDigit(s[:13]) {
		return "", fmt.Errorf("CNPJ %q: its check digits don't fit", text)
	}
	return s, nil
}

// cnpjDigit is the check digit after s: weights 2 to 9, from the right, over and over.
func cnpjDigit(s string) byte {
	sum := 0
	for i := range len(s) {
		sum += int(s[len(s)-1-i]-'0') * (2 + i%8)
	}
	if rest := sum % 11; rest >= 2 {
		return byte('0' + 11 - rest)
	}
	return '0'
}
