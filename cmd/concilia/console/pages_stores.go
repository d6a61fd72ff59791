package console

import (
	"context"
	"net/http"
	"net/url"

	"concilia/cmd/concilia/view/salesview"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// StoreSource answers about stores and their own sales.
type StoreSource interface {
	// StoreIDs are the stores that a person may see and that sell in one of some accounts (none: in any), Stores how the last run left
	// those of a filter against the service, and StoreSale is one of their rows, or a payment that is in none, by its subject.
	StoreIDs(ctx context.Context, accounts []ledger.Account, of []ledger.Account) ([]string, error)
	Stores(ctx context.Context, f *StoreFilter) (*salesview.StoresPage, error)
	StoreSale(ctx context.Context, accounts []ledger.Account, name string) (*salesview.StoreSale, error)
}

func storeRoutes() []route {
	return []route{
		{pattern: "GET /own", page: "own", do: showStores, stores: true, menu: "desk.own_menu"},
		{pattern: "GET /own/{subject}", page: "ownitem", do: showStoreSale, stores: true, under: "own"},
	}
}

// storesPage is what the stores say they sold, held against the service.
type storesPage struct {
	*salesview.StoresPage
	chosen
	Query   url.Values
	Wrong   map[string]string
	IDs     []string // of the stores that the person may see
	Store   string   // the only one shown; empty: all
	Days    ledger.Period
	Bucket  string // empty: what somebody has to look at
	Buckets []string
}

// StoreFilter chooses rows of stores.
type StoreFilter struct {
	Accounts []ledger.Account // that the person may see; none: all
	SellIn   []ledger.Account // only stores that sell in one of these; none: in any
	Store    string           // the only one; empty: all
	Days     ledger.Period
	Buckets  []ownsales.Bucket // of the rows that are listed; every bucket is added up
	Limit    int               // rows at most
}

// chooseBuckets are the buckets whose rows are listed: without a choice those that somebody has to look at, which neither what matches
// is nor what waits for the other side.
func (p *storesPage) chooseBuckets() (out []ownsales.Bucket) {
	for _, b := range ownsales.Buckets() {
		if p.Bucket == "all" || p.Bucket == string(b) || p.Bucket == "" && b != ownsales.Matched && b != ownsales.Waiting {
			out = append(out, b)
		}
	}
	return out
}

const (
	// storeRowsShown is how many rows the page shows at most, storeDays how many days it shows unless it is asked for others.
	storeRowsShown = 300
	storeDays      = 30
	// mostStoreDays is how many days may be asked for at once.
	mostStoreDays = 400
)

func showStores(v *visit) error {
	query := v.r.URL.Query()
	f := newFields(query, v.lang)
	page := &storesPage{
		StoresPage: &salesview.StoresPage{}, Query: query, Wrong: f.wrong, Store: f.text("store"), Bucket: f.text("bucket"), Days: ledger.Period{From: f.day("from"), To: f.day("to")},
		Buckets: append(salesview.StoreBuckets(), "all"),
	}
	f.choice("bucket", page.Buckets)
	if page.Days.To == 0 {
		page.Days.To = v.asOf()
	}
	if page.Days.From == 0 {
		page.Days.From = max(1, page.Days.To-storeDays)
	}
	switch {
	case page.Days.To < page.Days.From:
		f.refuse("to", "desk.before_from")
	case page.Days.To-page.Days.From > mostStoreDays:
		f.refuse("from", "desk.own_too_long", "n", mostStoreDays)
	}
	var of []ledger.Account
	picked, asked, err := readChosen(v, f)
	if err != nil {
		return err // somebody else's account is no account
	}
	if page.chosen = picked; page.Account != "" {
		of = asked
	}
	if page.IDs, err = v.source.StoreIDs(v.r.Context(), v.accounts(), of); err != nil {
		return err
	}
	if len(f.wrong) > 0 {
		return v.renderAs(http.StatusBadRequest, "own", v.text("desk.own"), page)
	}
	filter := &StoreFilter{Accounts: v.accounts(), SellIn: of, Store: page.Store, Days: page.Days, Buckets: page.chooseBuckets(), Limit: storeRowsShown}
	if page.StoresPage, err = v.source.Stores(v.r.Context(), filter); err != nil {
		return err
	}
	return v.render("own", v.text("desk.own"), page)
}

func showStoreSale(v *visit) error {
	sale, err := v.source.StoreSale(v.r.Context(), v.accounts(), v.r.PathValue("subject"))
	if err != nil {
		return err
	}
	title := nameSubject(v.lang, sale.Subject, nil)
	if title == "" {
		title = v.text("desk.own_one")
	}
	return v.render("ownitem", title, sale)
}
