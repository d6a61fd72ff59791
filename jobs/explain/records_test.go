package explain

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store/ledger"
)

// Every text of a slip is its payer's or can be paid, but for its id and list: none is shown, and a change of any is reported
// without it.
func TestHiddenMembers(t *testing.T) {
	t.Parallel()
	view := reflect.TypeFor[ledger.SlipView]()
	for i := range view.NumField() {
		field := view.Field(i)
		if field.Type.Kind() != reflect.String || field.Name == "ID" || field.Name == "List" {
			continue
		}
		before, after := ledger.SlipView{ID: "slip-1"}, ledger.SlipView{ID: "slip-1"}
		reflect.ValueOf(&before).Elem().Field(i).SetString("secret-1")
		reflect.ValueOf(&after).Elem().Field(i).SetString("secret-2")
		for _, m := range slipMembers(&after) {
			if strings.Contains(m.Value, "secret") {
				t.Errorf("%s is shown as %+v", field.Name, m)
			}
		}
		got := hiddenChanges(hiddenMembers(&before), hiddenMembers(&after))
		if len(got) != 1 || !got[0].Hidden || got[0].Before+got[0].After != "" {
			t.Errorf("a change of %s is told as %+v", field.Name, got)
		}
	}
}

// Whatever the service changes in an installment, its version tells: of a beneficiary that it changed, of every other member how.
func TestEveryChangeOfAnInstallmentIsTold(t *testing.T) {
	t.Parallel()
	for _, m := range ledger.InstallmentMembers() {
		if m.Column == "account" || m.Column == "card_clear" {
			continue // the page is of one account; a card in the clear is a case of its own
		}
		var before, after ledger.Installment
		switch v := m.At(&after).(type) {
		case *string:
			*v = "x"
		case *[]ledger.Split:
			*v = []ledger.Split{{Beneficiary: "12345678909"}}
		case *ledger.Opt[ledger.Amount]:
			*v = ledger.Some(ledger.Real)
		case *ledger.Opt[ledger.Rate]:
			*v = ledger.Some(ledger.Rate(1))
		default:
			reflect.ValueOf(v).Elem().SetInt(1_000_000_000_000)
		}
		e := &explanation{page: &CasePage{}}
		e.addVersion(RecordVersion{Pull: "p"}, cardMembers(&before), cardMembers(&after), hiddenChanges(hiddenCardMembers(&before), hiddenCardMembers(&after)))
		if changes := e.page.Versions[0].Changes; len(changes) != 1 || strings.Contains(changes[0].After, "12345678909") {
			t.Errorf("a version that changes %s tells %+v: cardMembers needs it", m.Column, changes)
		}
	}
}

// A version tells what it changed of the members before it; the first of a record tells nothing.
func TestVersionChanges(t *testing.T) {
	t.Parallel()
	hidden := []MemberChange{{Name: "payer", Hidden: true}}
	for _, c := range []struct {
		says        string
		before, now []RecordMember
		hidden      []MemberChange
		want        []MemberChange
	}{
		{"the first version changes nothing", nil, []RecordMember{{"value", "1.00"}}, nil, nil},
		{"what stays is not told", []RecordMember{{"id", "a"}, {"value", "1.00"}}, []RecordMember{{"id", "a"}, {"value", "2.00"}}, nil, []MemberChange{
			{Name: "value", Before: "1.00", After: "2.00"},
		}},
		{"a member that came", []RecordMember{}, []RecordMember{{"value", "1.00"}}, nil, []MemberChange{{Name: "value", After: "1.00"}}},
		{"a member that went", []RecordMember{{"value", "1.00"}}, nil, nil, []MemberChange{{Name: "value", Before: "1.00"}}},
		{"what is hidden comes last", []RecordMember{{"value", "1.00"}}, nil, hidden, []MemberChange{{Name: "value", Before: "1.00"}, hidden[0]}},
	} {
		e := &explanation{page: &CasePage{}}
		e.addVersion(RecordVersion{Pull: "p"}, c.before, c.now, c.hidden)
		if diff := cmp.Diff(c.want, e.page.Versions[0].Changes); diff != "" {
			t.Errorf("%s:\n%s", c.says, diff)
		}
		if len(e.pulls) != 1 || e.pulls[0] != "p" {
			t.Errorf("%s: the pulls are %v", c.says, e.pulls)
		}
	}
}

// The lists' views of a slip are shown together, and what a later list says otherwise is shown with the list.
func TestTogether(t *testing.T) {
	t.Parallel()
	due := ledger.SlipVersion{SlipView: ledger.SlipView{ID: "a", List: ledger.SlipsDue, Value: 10 * ledger.Real}}
	paid := ledger.SlipVersion{SlipView: ledger.SlipView{ID: "a", List: ledger.SlipsPayment, Value: 9 * ledger.Real}}
	want := []RecordMember{{"id", "a"}, {"value", "10.00"}, {"value (" + string(ledger.SlipsPayment) + ")", "9.00"}}
	if diff := cmp.Diff(want, mergeListViews([]ledger.SlipVersion{due, paid})); diff != "" {
		t.Error(diff)
	}
}
