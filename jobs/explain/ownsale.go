package explain

import (
	"context"
	"encoding/hex"
	"slices"
	"strconv"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sales"
)

// addOwnPayment adds the payment of a store that the case is about: what the store says, the file that said it last, and the sale
// of the service that it is taken for.
func (e *explanation) addOwnPayment(ctx context.Context, s *ledger.ParsedSubject) error {
	at := sales.Shop{Home: s.Account, ID: s.Parts[0]}
	versions, err := e.Ledger.OwnSaleVersions(ctx, at, s.Parts[1])
	if err != nil {
		return err
	}
	versions = slices.DeleteFunc(versions, func(k sales.Kept) bool { return strconv.Itoa(k.Number) != s.Parts[2] })
	if len(versions) == 0 {
		return nil
	}
	files, err := e.Ledger.OwnFiles(ctx, at)
	if err != nil {
		return err
	}
	k := &versions[len(versions)-1]
	soldAt := k.SoldAt.String()
	if !k.Timed {
		soldAt = k.Day().String()
	}
	e.page.Record = listTold(
		RecordMember{"sale_id", k.Sale}, RecordMember{"payment_no", strconv.Itoa(k.Number)}, RecordMember{"sold_at", soldAt},
		RecordMember{"amount", k.Amount.String()}, RecordMember{"method", string(k.Method)}, RecordMember{"status", string(k.Status)},
		RecordMember{"installments", numberText(k.Installments)}, RecordMember{"brand", k.Brand}, RecordMember{"nsu", k.NSU}, RecordMember{"auth", k.Auth},
		RecordMember{"reference", k.Reference}, RecordMember{"slip_id", k.SlipID}, RecordMember{"our_number", k.OurNumber}, RecordMember{"terminal", k.Terminal}, RecordMember{"version", strconv.Itoa(k.Version)},
	)
	for i := range files {
		if f := &files[i]; f.Hash == k.Last {
			e.page.Record = append(e.page.Record, RecordMember{"file", f.Name}, RecordMember{"sha256", hex.EncodeToString(f.Hash[:])})
		}
	}
	e.page.Record = append(e.page.Record, listTold(
		RecordMember{"service_sale", e.finding.Number("service_sale")}, RecordMember{"level", e.finding.Number("level")},
	)...)
	return nil
}

// listTold leaves out members without a value.
func listTold(all ...RecordMember) []RecordMember {
	return slices.DeleteFunc(all, func(m RecordMember) bool { return m.Value == "" })
}

// numberText is a number, empty for 0.
func numberText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// addStores adds what stores say of the sale or slip of a subject.
func (e *itemExplanation) addStores(ctx context.Context, subject string) error {
	homes := []ledger.Account{e.item.Account}
	for a := range e.Names {
		homes = append(homes, a)
	}
	slices.Sort(homes)
	for _, home := range slices.Compact(homes) {
		all, err := e.Ledger.MatchesOfSale(ctx, home, subject)
		if err != nil {
			return err
		}
		e.addMatches(all)
	}
	return nil
}

func (e *itemExplanation) addMatches(all []ownsales.Match) {
	for i := range all {
		m := &all[i]
		one := ItemStore{Store: m.Store, Service: m.Service, Bucket: string(m.Bucket), Level: m.Level, Amount: amountText(m.OwnAmount), Difference: m.Difference.String()}
		if m.Sale != "" {
			one.Subject = (&ownsales.Payment{Sale: m.Sale, Number: m.Number}).Subject(m.Account, m.Store)
		}
		e.item.Stores = append(e.item.Stores, one)
	}
}

// addPayment adds a payment of a store. known: there is one.
func (e *itemExplanation) addPayment(ctx context.Context, s *ledger.ParsedSubject) (known bool, err error) {
	if err := e.addOwnPayment(ctx, s); err != nil || len(e.page.Record) == 0 {
		return false, err
	}
	e.item.Header = e.page.Record
	at := sales.Shop{Home: s.Account, ID: s.Parts[0]}
	e.item.Subject = ledger.Subject("own", s.Account, s.Parts...)
	return true, e.Ledger.PaymentsOfSale(ctx, s.Account, s.Parts[1], func(store string, k *sales.Kept) error {
		if store != at.ID || strconv.Itoa(k.Number) != s.Parts[2] {
			return nil
		}
		all, err := e.Ledger.MatchOfPayment(ctx, at, k)
		e.addMatches(all)
		return err
	})
}
