package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"concilia/export/words"
	"concilia/jobs/textfile"
	"concilia/store/ledger/ownsales"
)

// readJSON reads objects one after another, or a list of them: the document's, or the one that the path leads to.
func (t *reading) readJSON() error {
	d := json.NewDecoder(&t.source)
	d.UseNumber()
	list, err := t.enterList(d)
	if err != nil {
		return err
	}
	for n := 1; !list || d.More(); n++ {
		var object map[string]any
		err := d.Decode(&object)
		t.source.EndRow()
		switch {
		case errors.Is(err, io.EOF) && !list:
			return nil
		case errors.Is(err, textfile.ErrLongRow):
			return refuseLong()
		case err != nil:
			return cutJSON(n)
		}
		if err := t.addObject(n, object); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return cutJSON(0)
	}
	return nil
}

func cutJSON(n int) error {
	if n > 0 {
		return words.NewRefusal("cut", "refused.cut_object", "remedy.export", "n", n)
	}
	return words.NewRefusal("cut", "refused.cut_list", "remedy.export")
}

// enterList moves to the first object of the list that the path leads to. Without a path it may be no list but one object after
// another.
func (t *reading) enterList(d *json.Decoder) (list bool, err error) {
	if t.Path == "" {
		// The first byte is known to be { or [; objects are decoded whole, so only a bracket is taken here.
		return t.enterBracket(d)
	}
	missing := words.NewRefusal("columns", "refused.no_list", "remedy.map_path", "path", strconv.Quote(t.Path))
	for name := range strings.SplitSeq(t.Path, ".") {
		if open, err := d.Token(); err != nil || open != json.Delim('{') {
			return false, missing
		}
		for found := false; !found; {
			key, err := d.Token()
			if err != nil || key == json.Delim('}') {
				return false, missing
			}
			if found = key == name; !found {
				var skipped json.RawMessage
				if d.Decode(&skipped) != nil {
					return false, cutJSON(0)
				}
			}
		}
	}
	if open, err := d.Token(); err != nil || open != json.Delim('[') {
		return false, missing
	}
	return true, nil
}

func (t *reading) enterBracket(d *json.Decoder) (bool, error) {
	// A decoder cannot be asked what comes without taking it; More buffers the next byte.
	if !d.More() {
		return false, nil
	}
	var first [1]byte
	if n, _ := d.Buffered().Read(first[:]); n == 0 || first[0] != '[' {
		return false, nil
	}
	if _, err := d.Token(); err != nil {
		return false, cutJSON(0)
	}
	return true, nil
}

func (t *reading) addObject(n int, object map[string]any) error {
	where := place{"own_fault.object", n}
	if t.vtex {
		return t.addOrder(where, object)
	}
	if n == 1 {
		for _, name := range t.neededColumns() {
			if _, found := memberAt(object, name); !found {
				return words.NewRefusal("columns", "refused.no_member", "remedy.export_for_map", "n", n, "member", strconv.Quote(name))
			}
		}
	}
	return t.add(where, func(column string) string { return memberText(object, column) })
}

// addOrder reads an order of VTEX, whose payments are rows of their own. Times and status are the order's.
func (t *reading) addOrder(where place, order map[string]any) error {
	status := memberText(order, "status")
	if status == "payment-pending" {
		return nil // nothing was paid
	}
	number := 0
	for _, tx := range listAt(order, "paymentData.transactions") {
		if active, known := memberAt(tx, "isActive"); known && active == false {
			continue
		}
		for _, pay := range listAt(tx, "payments") {
			number++
			values := map[string]string{
				"sale_id": memberText(order, "orderId"), "payment_no": fmt.Sprint(number), "sold_at": memberText(order, "creationDate"),
				"amount": memberText(pay, "value"), "method": memberText(pay, "group"), "installments": memberText(pay, "installments"),
				"brand": "", "tid": memberText(pay, "tid"), "nsu": memberText(pay, "connectorResponses.nsu"),
				"auth": memberText(pay, "connectorResponses.authId"), "payment_id": memberText(pay, "id"), "last4": memberText(pay, "lastDigits"),
				"currency": memberText(order, "storePreferencesData.currencyCode"), "status": "paid",
			}
			if status == "canceled" {
				values["status"] = string(ownsales.StatusCancelled)
			}
			if m := values["method"]; m == "creditCard" || m == "debitCard" {
				values["brand"] = memberText(pay, "paymentSystemName")
			}
			in := &row{where: where, value: func(member string) string { return values[member] }}
			if err := t.addPayment(in, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// memberAt is a member, dots leading into depth.
func memberAt(object map[string]any, path string) (any, bool) {
	var at any = object
	for name := range strings.SplitSeq(path, ".") {
		m, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = m[name]; !ok {
			return nil, false
		}
	}
	return at, true
}

// memberText is the text of a member; empty when it is not there or no single value.
func memberText(object map[string]any, path string) string {
	at, _ := memberAt(object, path)
	switch v := at.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// listAt are the objects of a list.
func listAt(object map[string]any, path string) (out []map[string]any) {
	at, _ := memberAt(object, path)
	all, _ := at.([]any)
	for _, x := range all {
		if m, ok := x.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}
