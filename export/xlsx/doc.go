// Package xlsx writes and reads workbooks: typed cells in, deterministic bytes out.
//
// It knows nothing of settlement. The caller names sheets and columns, appends rows of cells, and states totals and
// closing lines; the package is responsible for what makes a workbook good to work with and safe to prove:
//
//   - A number is exact. Cells carry scaled integers that are written as decimal text, and no floating point number is
//     involved on the way to the file. (A spreadsheet itself calculates in float64, which holds every amount of up to
//     fifteen digits.)
//   - A text is a text: document numbers keep their zeros, and "=1+1" is never a formula, not even after it is edited.
//   - The same calls give the same bytes on any machine, at any time, with any number of processors: the only date inside
//     is the caller's, the parts of the ZIP package are in a fixed order with a fixed date, and their compression is that
//     of the Go release.
//   - Memory does not grow with the rows. Rows are compressed as they come, into one temporary file per sheet, and the
//     ZIP package is assembled from those at the end.
//
// The work is shared with excelize, which builds the small shell (styles, panes, filters, print setup, marks, charts) when
// the workbook is closed and every extent is known. The rows are written by this package. A sheet is three compressed
// pieces, one after the other: the shell up to the rows, the rows from the temporary file, the rest of the shell.
//
// A table sheet reads from the top: title lines, one header row (frozen, with filter), data rows without a gap, one
// blank row, the total as the caller states it, the same total by SUBTOTAL, which follows the filter, and notes. The blank
// row keeps the total out of the filter. A table too long for one sheet continues in "Name (2)", with the totals over all
// sheets at the very end.
//
// The reader shares no code with the writer: it is the second witness when the sums of a published workbook are
// recomputed.
package xlsx
