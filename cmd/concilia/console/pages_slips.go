package console

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"concilia/cmd/concilia/view"
	"concilia/store/ledger"
)

// SlipSource answers about slips.
type SlipSource interface {
	// Slips are a part of the slips that are not paid, or paid and not credited, with the sums of all that the filter chooses.
	Slips(ctx context.Context, f *SlipFilter) (*view.SlipList, error)
}

func slipRoutes() []route {
	return []route{{pattern: "GET /slips", page: "slips", do: showSlips, menu: "desk.slips"}}
}

// SlipFilter chooses open slips. Empty fields choose all.
type SlipFilter struct {
	Accounts  []ledger.Account
	Standings []string // of view.SlipStandings
	DueFrom   ledger.Date
	DueTo     ledger.Date
	Value     ledger.Opt[ledger.Amount]
	After     string // the subject before the part that is asked for
	Limit     int
}

// Chooses says whether a slip is one of those that the filter is about, whatever its state.
func (f *SlipFilter) Chooses(due ledger.Date, value ledger.Amount) bool {
	return (f.DueFrom == 0 || due >= f.DueFrom) && (f.DueTo == 0 || due != 0 && due <= f.DueTo) && (!f.Value.OK || value == f.Value.V)
}

// slipsPage is the slips that are not paid, or paid and not credited: those past due are the list to collect from.
type slipsPage struct {
	chosen
	*view.SlipList
	Query     url.Values
	Class     string // empty: all
	Classes   []string
	Wrong     map[string]string
	ChipLinks map[string]string // by class, "" for all
	CSVLink   string
	NextLink  string
	Filtered  bool
}

func showSlips(v *visit) error {
	query := v.r.URL.Query()
	f := newFields(query, v.lang)
	filter := &SlipFilter{
		Standings: f.choice("class", view.SlipStandings()), DueFrom: f.day("due-from"), DueTo: f.day("due-to"), Value: f.amount("value"),
		After: f.text("after"), Limit: v.c.PageRows,
	}
	if filter.DueTo != 0 && filter.DueTo < filter.DueFrom {
		f.refuse("due-to", "desk.before_from")
	}
	page := &slipsPage{SlipList: &view.SlipList{}, Query: query, Class: f.text("class"), Classes: append([]string{""}, view.SlipStandings()...), ChipLinks: map[string]string{}}
	for _, class := range page.Classes {
		page.ChipLinks[class] = slipsLink(v, query, "class", class)
	}
	page.Filtered = slices.ContainsFunc([]string{"class", "account", "due-from", "due-to", "value"}, func(name string) bool { return f.text(name) != "" })
	var err error
	if page.chosen, filter.Accounts, err = readChosen(v, f); err != nil {
		return err
	}
	if page.Wrong = f.wrong; len(f.wrong) > 0 {
		return v.renderAs(400, "slips", v.text("desk.slips"), page)
	}
	if query.Get("as") == "csv-br" {
		return sendSlips(v, filter)
	}
	if page.SlipList, err = v.source.Slips(v.r.Context(), filter); err != nil {
		return err
	}
	page.CSVLink = slipsLink(v, query, "as", "csv-br")
	if page.Next != "" {
		page.NextLink = slipsLink(v, query, "after", page.Next)
	}
	return v.render("slips", v.text("desk.slips"), page)
}

// slipsLink is the list with a word of its query changed, from its beginning.
func slipsLink(v *visit, query url.Values, name, value string) string {
	changed := filterOf(query)
	changed.Set(name, value)
	if value == "" {
		changed.Del(name)
	}
	return strings.TrimSuffix(v.c.Prefix+"/slips?"+changed.Encode(), "?")
}

// sendSlips sends all that the filter chooses as a file for a spreadsheet.
func sendSlips(v *visit, filter *SlipFilter) error {
	filter.After, filter.Limit = "", mostDownloaded
	list, err := v.source.Slips(v.r.Context(), filter)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="slips_`+v.asOf().String()+`.csv"`)
	return view.WriteSlipsCSV(v.w, list.Rows, v.lang)
}
