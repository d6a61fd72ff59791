package sales

import (
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// keptColumns are the columns of a payment in the order in which readKept reads them.
const keptColumns = `
			sale_id,
			payment_no,
			version,
			sold_at,
			timed,
			amount,
			method,
			status,
			cancelled_at,
			installments,
			interest,
			brand,
			nsu,
			auth,
			tid,
			reference,
			payment_id,
			last4,
			terminal,
			of_account,
			institution,
			slip_id,
			our_number,
			document,
			first_file,
			last_file,
			CAST(CASE WHEN ended_file IS NULL THEN 0 ELSE 1 END AS BIGINT),
			vanished`

func readKept(f *sqldb.RowReader, fn func(*Kept) error) error {
	var k Kept
	k.Sale, k.Number, k.Version = f.NextText(), int(f.NextInt()), int(f.NextInt())
	k.SoldAt, k.Timed, k.Amount = ledger.LocalTime(f.NextInt()), f.NextBool(), ledger.Amount(f.NextInt())
	k.Method, k.Status = ownsales.Method(f.NextText()), ownsales.Status(f.NextText())
	k.CancelledAt, k.Installments, k.Interest = ledger.LocalTime(f.NextInt()), int(f.NextInt()), sqldb.NextOpt[ledger.Amount](f)
	for _, text := range []*string{&k.Brand, &k.NSU, &k.Auth, &k.TID, &k.Reference, &k.PaymentID, &k.Last4, &k.Terminal} {
		*text = f.NextText()
	}
	k.Account = ledger.Account(f.NextInt())
	for _, text := range []*string{&k.Institution, &k.SlipID, &k.OurNumber, &k.Document} {
		*text = f.NextText()
	}
	f.NextBytes(k.First[:])
	f.NextBytes(k.Last[:])
	k.Ended, k.Vanished = f.NextBool(), f.NextBool()
	if err := f.Err(); err != nil {
		return err
	}
	return fn(&k)
}

// writtenColumns are the columns of a payment in the order in which writeKept sets them.
var writtenColumns = []string{
	"account", "store", "sale_id", "payment_no", "version", "day", "sold_at", "timed", "amount", "method", "status", "cancelled_at",
	"installments", "interest", "brand", "nsu", "auth", "tid", "reference", "payment_id", "last4", "terminal", "of_account",
	"institution", "slip_id", "our_number", "document", "hash", "first_file", "last_file", "vanished",
}

func writeKept(r sqldb.Row, at Shop, k *Kept, hash ledger.Hash) {
	r.Int(int64(at.Home))
	r.Text(at.ID)
	r.Text(k.Sale)
	for _, n := range []int64{int64(k.Number), int64(k.Version), int64(k.Day()), int64(k.SoldAt), sqldb.BoolArg(k.Timed), int64(k.Amount)} {
		r.Int(n)
	}
	r.Text(string(k.Method))
	r.Text(string(k.Status))
	r.Int(int64(k.CancelledAt))
	r.Int(int64(k.Installments))
	sqldb.PutOpt(r, k.Interest)
	for _, text := range []string{k.Brand, k.NSU, k.Auth, k.TID, k.Reference, k.PaymentID, k.Last4, k.Terminal} {
		r.Text(text)
	}
	r.Int(int64(k.Account))
	for _, text := range []string{k.Institution, k.SlipID, k.OurNumber, k.Document} {
		r.Text(text)
	}
	r.Bytes(hash[:])
	r.Bytes(k.First[:])
	r.Bytes(k.Last[:])
	r.Int(sqldb.BoolArg(k.Vanished))
}
