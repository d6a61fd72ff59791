package cnab_test

import (
	"path/filepath"
	"testing"

	"concilia/export/cnab/cnabtest"
)

// TestForeignReader: a reader that others wrote reads our files as we do: those of a day's events, of a month's installments and slips.
func TestForeignReader(t *testing.T) {
	t.Parallel()
	var paths []string
	for _, name := range []string{
		"movement/card-events.ret", "cnab/installments.ret",
		"export/installments_1001_operation_20261101_20261130_r0.ret", "export/slips_1001_operation_20261101_20261130_r0.ret",
	} {
		paths = append(paths, filepath.Join("..", "..", "testdata", name))
	}
	cnabtest.CheckRead(t, paths...)
}
