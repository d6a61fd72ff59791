package nfe

import (
	"strconv"
	"strings"
)

// key is a note's key of access: 44 characters, of which those of the CNPJ may be letters.
type key string

// Offsets in a key.
const (
	keyLength = 44
	atEmitter = 6
	atModel   = 20
	atSeries  = 22
	atNumber  = 25
	atForm    = 34
)

// keyOf is the key in the Id of a note, which begins with a mark of three letters.
func keyOf(id string) key { return key(strings.TrimPrefix(strings.TrimSpace(id), "NFe")) }

// isValid reports whether a key has the form of one and its check digit: the characters less 48, times weights 2 to 9 from the right,
// modulo 11.
func (k key) isValid() bool {
	if len(k) != keyLength {
		return false
	}
	sum, weight := 0, 2
	for i := keyLength - 2; i >= 0; i-- {
		c := k[i]
		letter := c >= 'A' && c <= 'Z' && i >= atEmitter && i < atModel
		if !letter && (c < '0' || c > '9') {
			return false
		}
		sum += int(c-'0') * weight
		if weight++; weight > 9 {
			weight = 2
		}
	}
	digit := 0
	if r := sum % 11; r >= 2 {
		digit = 11 - r
	}
	return int(k[keyLength-1]-'0') == digit
}

func (k key) emitter() string { return string(k[atEmitter:atModel]) }
func (k key) model() string   { return string(k[atModel:atSeries]) }
func (k key) series() string  { return string(k[atSeries:atNumber]) }

func (k key) number() int64 {
	n, _ := strconv.ParseInt(string(k[atNumber:atForm]), 10, 64) // digits, by isValid
	return n
}
