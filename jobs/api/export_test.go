package api

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"concilia/store/ledger"
)

// List is what a list of installments holds.
type List struct {
	Rows    []ledger.Installment
	Bad     []ledger.Quarantined
	Unknown []string
	Scanned int // rows the scanner read
}

// ReadInstallments reads a list as Installments does, with or without the scanner.
func ReadInstallments(r io.Reader, zone *time.Location, scan bool) (List, error) {
	read := installmentReader{zone: zone, scanner: newScanner(zone), rows: rowList{spare: &sync.Pool{}}, unknown: memberNames{}}
	scanned := 0
	var fast func([]byte) int
	if scan {
		fast = func(b []byte) int {
			n := read.scanRow(b)
			if n > 0 {
				scanned++
			}
			return n
		}
	}
	err := newArrayReader(r).readRecords(fast, read.decodeRow)
	return List{read.rows.listRows(), read.bad, read.unknown.sortedNames(), scanned}, err
}

// ReadInstallment reads one record through encoding/json.
func ReadInstallment(raw []byte, zone *time.Location) List {
	read := installmentReader{zone: zone, rows: rowList{spare: &sync.Pool{}}, unknown: memberNames{}}
	_ = read.decodeRow(raw)
	return List{Rows: read.rows.listRows(), Bad: read.bad, Unknown: read.unknown.sortedNames()}
}

// ReadSlips reads a list of slips as Slips does.
func ReadSlips(r io.Reader, list ledger.Source, zone *time.Location) ([]ledger.SlipView, []ledger.Quarantined, error) {
	read := slipReader{list: list, shape: slipShapes[list], zone: zone, unknown: memberNames{}}
	err := newArrayReader(r).readRecords(nil, read.decodeRow)
	return read.rows, read.bad, err
}

// Waiters is how many callers wait for the login to the integration family that is under way.
func Waiters(c *Client) int {
	t := c.tokens[Integration]
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pending == nil {
		return 0
	}
	return t.pending.waiters
}

// ReadSimulation reads an answer of the simulator as Simulate does.
func ReadSimulation(raw []byte) ([]ledger.SimulatedOption, error) {
	w := newRequestTimer(context.Background(), time.Hour, time.Now)
	defer w.release()
	return (&Client{caller: &caller{}}).readSimulation(&reply{status: 200, body: newResponseBody(bytes.NewReader(raw), w, maxAnswer, 0)})
}

// Keep keeps a body as one is kept that arrives.
func Keep(r io.Reader) (*ledger.Body, error) {
	w := newRequestTimer(context.Background(), time.Hour, time.Now)
	defer w.release()
	b := newResponseBody(r, w, maxBody, 0)
	b.startKeeping(ledger.NewBodyPacker())
	if _, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{b}, make([]byte, readSize)); err != nil {
		return nil, err
	}
	return b.keptBody()
}
