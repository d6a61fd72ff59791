package api_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"concilia/jobs/api"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
)

const samples = "../../testdata/api"

// What becomes of one sample of every answer, member by member.
func TestGolden(t *testing.T) {
	t.Parallel()
	const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6"
	slips := func(list ledger.Source) func(*testing.T, *api.Client) (any, api.Receipt) {
		return func(t *testing.T, c *api.Client) (any, api.Receipt) {
			a, err := c.ListSlips(t.Context(), list, 1001, dayOne, dayOne, ledger.Opt[int64]{})
			if err != nil {
				t.Fatal(err)
			}
			return a.Rows, a.Receipt
		}
	}
	for name, ask := range map[string]func(*testing.T, *api.Client) (any, api.Receipt){
		"installments": func(t *testing.T, c *api.Client) (any, api.Receipt) {
			a, err := c.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil)
			if err != nil {
				t.Fatal(err)
			}
			return a.Rows, a.Receipt
		},
		"slips_due":    slips(ledger.SlipsDue),
		"slips_credit": slips(ledger.SlipsCredit),
		"slip_detail": func(t *testing.T, c *api.Client) (any, api.Receipt) {
			a, err := c.ReadSlip(t.Context(), 1001, id)
			if err != nil {
				t.Fatal(err)
			}
			return a.Rows, a.Receipt
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(filepath.Join(samples, name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			f := serve(t, say(200, string(body)))
			rows, receipt := ask(t, f.client(t))
			var b strings.Builder
			dump(&b, "rows", reflect.ValueOf(rows))
			for _, row := range receipt.Bad {
				fmt.Fprintf(&b, "bad %s %s day %s key read %v gross %v: %s\n%s\n", row.Subject(), row.Hash[:8], row.Day, row.KeyRead, row.Gross, row.Reason, row.Body)
			}
			fmt.Fprintf(&b, "unknown %q\nbytes %d sha256 %s\n", receipt.Unknown, receipt.Bytes, receipt.SHA256)
			golden(t, filepath.Join(samples, name+".golden"), b.String())
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("want (-) got (+), UPDATE_GOLDEN=1 accepts:\n%s", diff)
	}
}

// dump prints every member that is not zero on a line of its own.
func dump(b *strings.Builder, at string, v reflect.Value) {
	if s, ok := v.Interface().(fmt.Stringer); ok {
		if !v.IsZero() {
			fmt.Fprintf(b, "%s: %s\n", at, s)
		}
		return
	}
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			dump(b, fmt.Sprintf("%s[%d]", at, i), v.Index(i))
		}
	case reflect.Struct:
		if present := v.FieldByName("OK"); present.IsValid() {
			if present.Bool() {
				fmt.Fprintf(b, "%s: %v\n", at, v.FieldByName("V").Interface())
			}
			return
		}
		for i := range v.NumField() {
			dump(b, at+"."+v.Type().Field(i).Name, v.Field(i))
		}
	default:
		if !v.IsZero() {
			fmt.Fprintf(b, "%s: %v\n", at, v.Interface())
		}
	}
}
