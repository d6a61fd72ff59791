package api

import (
	"bytes"
	"context"
	"io"
	"time"

	"concilia/store/ledger"
)

// What the tests of the decoders reach inside for.
var (
	MaskCard  = maskCard
	MaskCards = maskCards
)

// MaskBody masks a body as it is masked on its way in, written in pieces of n bytes.
func MaskBody(body []byte, n int) []byte {
	var b bytes.Buffer
	m := newMasker(&b)
	for len(body) > 0 {
		n := min(n, len(body))
		_, _ = m.Write(body[:n])
		body = body[n:]
	}
	_ = m.Close()
	return b.Bytes()
}

// List is what a list of installments holds.
type List struct {
	Rows    []ledger.Installment
	Bad     []ledger.Quarantined
	Unknown []string
	Scanned int // rows the scanner read
}

// ReadInstallments reads a list as Installments does, with or without the scanner.
func ReadInstallments(r io.Reader, zone *time.Location, scan bool) (List, error) {
	read := installmentReader{zone: zone, scan: newScanner(zone), unknown: names{}}
	scanned := 0
	var fast func([]byte) int
	if scan {
		fast = func(b []byte) int {
			n := read.fast(b)
			if n > 0 {
				scanned++
			}
			return n
		}
	}
	err := newArrayReader(r).each(fast, read.slow)
	return List{read.rows, read.bad, read.unknown.sorted(), scanned}, err
}

// ReadInstallment reads one record through encoding/json.
func ReadInstallment(raw []byte, zone *time.Location) List {
	read := installmentReader{zone: zone, unknown: names{}}
	_ = read.slow(raw)
	return List{Rows: read.rows, Bad: read.bad, Unknown: read.unknown.sorted()}
}

// ReadSlips reads a list of slips as Slips does.
func ReadSlips(r io.Reader, list ledger.Source, zone *time.Location) ([]ledger.SlipView, []ledger.Quarantined, error) {
	read := slipReader{list: list, shape: slipShapes[list], zone: zone, unknown: names{}}
	err := newArrayReader(r).each(nil, read.read)
	return read.rows, read.bad, err
}

// Waiters is how many callers wait for the login to the integration family that is under way.
func Waiters(c *Client) int {
	t := c.tokens[Integration]
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.flight == nil {
		return 0
	}
	return t.flight.waiters
}

// ReadSimulation reads an answer of the simulator as Simulate does.
func ReadSimulation(raw []byte) ([]ledger.SimulatedOption, error) {
	w := newWatch(context.Background(), time.Hour)
	defer w.stop()
	return (&Client{}).readSimulation(&reply{status: 200, body: newBody(bytes.NewReader(raw), w, maxAnswer)})
}

// Keep keeps a body as one is kept that arrives.
func Keep(r io.Reader) (*ledger.Body, error) {
	w := newWatch(context.Background(), time.Hour)
	defer w.stop()
	b := newBody(r, w, maxBody)
	b.keep()
	if _, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{b}, make([]byte, readSize)); err != nil {
		return nil, err
	}
	return b.kept()
}
