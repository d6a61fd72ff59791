package cnab_test

import (
	"fmt"
	"strings"
	"testing"

	"concilia/export/cnab"
)

var layouts = []*cnab.Layout{
	cnab.FileHeader, cnab.FileTrailer,
	cnab.CobrancaHeader, cnab.SegmentT, cnab.SegmentU, cnab.SegmentY50, cnab.CobrancaTrailer,
	cnab.ExtratoHeader, cnab.SegmentE, cnab.ExtratoTrailer,
	cnab.OtherDetail,
}

func TestEveryTableCoversItsColumnsOnce(t *testing.T) {
	t.Parallel()
	for _, l := range layouts {
		next := 1
		ids := map[string]bool{}
		for i, f := range l.Fields() {
			where := fmt.Sprintf("%s field %s %q", l.Name(), f.Number, f.ID)
			if f.From != next || f.To < f.From {
				t.Errorf("%s: columns %d-%d, the next free one is %d", where, f.From, f.To, next)
			}
			next = f.To + 1
			if f.ID == "" || f.Name == "" || ids[f.ID] {
				t.Errorf("%s: no name, or an id that stands twice", where)
			}
			ids[f.ID] = true
			if !strings.HasPrefix(f.Number, fmt.Sprintf("%02d.", i+1)) {
				t.Errorf("%s: is field %d of its record", where, i+1)
			}
			if f.Decimals != 0 && f.Kind != cnab.Num {
				t.Errorf("%s: decimals in text", where)
			}
		}
		if next != cnab.Width+1 {
			t.Errorf("%s ends at column %d", l.Name(), next-1)
		}
	}
}

func TestRecordsOfOneServiceHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, l := range layouts {
		if seen[l.Name()] {
			t.Errorf("two records are called %q", l.Name())
		}
		seen[l.Name()] = true
	}
}

// TestColumnsThatReadersRelyOn spells columns a second time, from what independent readers of such files cut.
func TestColumnsThatReadersRelyOn(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		layout   *cnab.Layout
		id       string
		from, to int
	}{
		{cnab.FileHeader, "rem_ret", 143, 143},
		{cnab.FileHeader, "nsa", 158, 163},
		{cnab.SegmentT, "movimento", 16, 17},
		{cnab.SegmentT, "nosso_numero", 38, 57},
		{cnab.SegmentT, "numero_documento", 59, 73},
		{cnab.SegmentT, "valor_titulo", 82, 96},
		{cnab.SegmentT, "numero_inscricao_pagador", 134, 148},
		{cnab.SegmentT, "tarifa_custas", 199, 213},
		{cnab.SegmentT, "motivos", 214, 223},
		{cnab.SegmentU, "valor_pago", 78, 92},
		{cnab.SegmentU, "valor_liquido", 93, 107},
		{cnab.SegmentU, "data_credito", 146, 153},
		{cnab.SegmentY50, "valor_ou_percentual", 62, 76},
		{cnab.CobrancaTrailer, "valor_simples", 30, 46},
		{cnab.SegmentE, "valor", 151, 168},
		{cnab.SegmentE, "tipo_dc", 169, 169},
		{cnab.ExtratoTrailer, "valor_saldo_final", 151, 168},
	} {
		f, ok := tc.layout.Field(tc.id)
		if !ok || f.From != tc.from || f.To != tc.to {
			t.Errorf("%s %q: %d-%d, want %d-%d", tc.layout.Name(), tc.id, f.From, f.To, tc.from, tc.to)
		}
	}
}
