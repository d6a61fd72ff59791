package world

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
)

// StoreFile is a file that a store exported.
type StoreFile struct {
	Name string
	// From and To are the days that it has whole; zero: it has notes, whose numbers say it.
	From, To Date
	Bytes    []byte
}

// The customer of every sale. The systems of stores export customers, too, and a reader of the files has no use for them.
const (
	customerName     = "QUITERIA FALANTE"
	customerDocument = "80416395260"
	customerMail     = "quiteria@falante.example"
)

// StoreFiles are what a store has exported of some days by the morning of the business clock: tables as CSV, with the silent day
// between two of them, or notes in a ZIP. planted puts the differences of PlantedInStores in them.
func (w *World) StoreFiles(store Store, from, to Date, planted bool) []StoreFile {
	b := newStoreBook(w, &store, planted)
	to = min(to, DateOf(w.Now())-1)
	if store.Notes {
		name := fmt.Sprintf("notas-%s.zip", to)
		return []StoreFile{{Name: name, Bytes: b.exportNotes(from, to)}}
	}
	periods := [][2]Date{{from, to}}
	if b.silent >= from && b.silent <= to {
		periods = [][2]Date{{from, b.silent - 1}, {b.silent + 1, to}}
	}
	var all []StoreFile
	for _, p := range periods {
		if p[0] <= p[1] {
			all = append(all, StoreFile{Name: fmt.Sprintf("vendas-%s.csv", p[1]), From: p[0], To: p[1], Bytes: b.exportTable(p[0], p[1])})
		}
	}
	return all
}

// exportTable is the sales of some days as CSV, a payment a line.
func (b *storeBook) exportTable(from, to Date) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	write := func(fields ...string) { _ = w.Write(fields) } // into memory
	write("sale_id", "sold_at", "amount", "method", "installments", "brand", "nsu", "auth", "reference", "payment_id", "last4", "terminal",
		"interest", "slip_id", "our_number", "status", "cancelled_at", "cliente", "cpf", "email")
	for i := range b.sales {
		o := &b.sales[i]
		if o.day < from || o.day > to {
			continue
		}
		count, interest, status, cancelledAt := "", "", "paid", ""
		if o.count > 0 {
			count = strconv.Itoa(o.count)
		}
		if o.interest != 0 {
			interest = o.interest.Cents()
		}
		if o.cancelledOn != 0 {
			status, cancelledAt = "cancelled", o.cancelledOn.String()
		}
		write(o.id, o.day.At(o.second).Format("2006-01-02 15:04:05"), o.amount.Cents(), o.method, count, o.brand, o.nsu, o.auth, o.reference, o.webID,
			o.last4, o.terminal, interest, o.slipID, o.slipNo, status, cancelledAt, customerName, customerDocument, customerMail)
	}
	w.Flush()
	return out.Bytes()
}
