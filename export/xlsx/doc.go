// Package xlsx writes and reads workbooks: typed cells in, deterministic bytes out.
//
// It is independent of settlement. The caller names sheets and columns, appends rows of cells, and adds totals and
// closing lines; the package makes the workbook convenient to work with and possible to verify:
//
//   - A number is exact. Cells carry scaled integers that are written as decimal text, and no floating point number is
//     involved on the way to the file. (A spreadsheet itself calculates in binary floating point of 64 bits, which holds
//     every amount of up to fifteen digits.)
//   - A text is a text: document numbers keep their zeros, and "=1+1" is never a formula, not even after it is edited.
//   - The same calls give the same bytes on any machine, at any time, with any number of processors: the only date inside
//     is the caller's, the parts of the ZIP package are in a fixed order with a fixed date, and their compression is that
//     of the Go release.
//   - Memory does not grow with the rows. Rows are compressed as they come, into one temporary file per sheet, and the
//     ZIP package is assembled from those at the end.
//
// The work is shared with excelize, which builds the package without rows, the skeleton (styles, panes, filters, print
// setup, conditional formats, charts), when the workbook is closed and every range is known. The rows are written by this
// package. A sheet part is three compressed pieces, one after the other: the skeleton up to the rows, the rows from the
// temporary file, the rest of the skeleton.
//
// A table sheet reads from the top: title lines, one header row (frozen, with filter), data rows without a gap, one
// blank row, the total given by the caller, the same total by SUBTOTAL, which follows the filter, and notes. The blank
// row keeps the total out of the filter. A table too long for one sheet continues in "Name (2)", with the totals over all
// sheets at the very end.
//
// The reader shares no code with the writer, so that recomputing the sums of a published workbook checks the writer too.
package xlsx
