package salesview

import (
	"fmt"
	"io"
	"strings"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	jobssales "concilia/jobs/sales"
	"concilia/jobs/sales/match"
	"concilia/store/ledger"
	"concilia/store/sales"
)

// SalesRow is a payment, a sale of the service, or a pair of both, with how it was matched.
type SalesRow struct {
	Store      string           `json:"store"`
	Day        ledger.Date      `json:"day"`
	Bucket     jobssales.Bucket `json:"bucket"`
	Level      int              `json:"level,omitempty"`
	Weak       bool             `json:"weak,omitempty"`
	Reasons    []string         `json:"reasons,omitempty"`
	Difference view.Amount      `json:"difference"`
	Own        *OwnSale         `json:"own,omitempty"`
	Service    *ServiceSale     `json:"service,omitempty"`
}

// ServiceSale is a card sale or slip as the service knows it.
type ServiceSale struct {
	Subject      string         `json:"subject"`
	NSU          string         `json:"nsu"`
	Auth         string         `json:"auth"`
	Slip         string         `json:"slip,omitempty"` // id of a slip
	SoldAt       string         `json:"sold_at"`
	Total        view.Amount    `json:"total"`
	Installments int            `json:"installments"`
	Brand        string         `json:"brand,omitempty"`
	Product      ledger.Product `json:"product,omitempty"`
	Live         bool           `json:"live"`
}

// SalesRows are rows in order of store and day.
type SalesRows []SalesRow

// SalesRowsOf describes rows.
func SalesRowsOf(rows []jobssales.Row) SalesRows {
	out := make(SalesRows, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = SalesRow{
			Store: r.Store, Day: r.Day, Bucket: r.Bucket, Level: r.Level, Weak: r.Weak(), Reasons: r.Reasons(), Difference: view.Amount(r.Difference),
			Service: serviceSaleOf(r.Sale),
		}
		if r.Own != nil {
			own := OwnSaleOf(r.Store, &sales.Kept{Payment: *r.Own})
			out[i].Own = &own
		}
	}
	return out
}

func serviceSaleOf(s *match.Sale) *ServiceSale {
	if s == nil {
		return nil
	}
	soldAt := s.SoldAt.String()
	if s.IsSlip() {
		soldAt = s.SoldAt.Date().String()
	}
	return &ServiceSale{
		Subject: s.Subject(), NSU: s.Key.NSU, Auth: s.Key.Auth, Slip: s.Slip, SoldAt: soldAt, Total: view.Amount(s.Total), Installments: s.Installments, Brand: s.Brand, Product: s.Product, Live: s.Live,
	}
}

// WriteText writes a line for each row, and what they add up to.
func (v SalesRows) WriteText(w io.Writer, l view.Language) error {
	var b strings.Builder
	var sum ledger.Amount
	for i := range v {
		r := &v[i]
		sum += ledger.Amount(r.Difference)
		fmt.Fprintf(&b, "%-10s  %s  %-15s  ", r.Store, l.FormatDay(r.Day), words.Label(l, "own_bucket", string(r.Bucket)))
		if r.Own != nil {
			fmt.Fprintf(&b, "%s/%d %s", r.Own.Sale, r.Own.Number, l.FormatReais(ledger.Amount(r.Own.Amount)))
		}
		if r.Service != nil {
			if r.Own != nil {
				b.WriteString("  ")
			}
			fmt.Fprintf(&b, "%s %s", r.Service.Subject, l.FormatReais(ledger.Amount(r.Service.Total)))
		}
		if r.Level > 0 {
			b.WriteString("  " + words.Text(l, "sales_text.level", "level", r.Level))
		}
		if r.Weak {
			b.WriteString(", " + words.Text(l, "sales_text.weak"))
		}
		if len(r.Reasons) > 0 {
			reasons := make([]string, len(r.Reasons))
			for n, reason := range r.Reasons {
				reasons[n] = words.Label(l, "own_difference", reason)
			}
			b.WriteString("  " + words.Text(l, "sales_text.differs_in", "members", strings.Join(reasons, ", ")))
		}
		b.WriteByte('\n')
	}
	b.WriteString(words.Text(l, "sales_text.sums", "rows", l.Count(int64(len(v)), "row"), "amount", l.FormatReais(sum)) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}
