// Package xlsx writes and reads workbooks: typed cells in, deterministic bytes out.
//
// It knows nothing of settlement. Who uses it names sheets and columns, appends rows of cells, and states totals and
// closing lines; the package answers for what makes a workbook good to work with and safe to prove:
//
//   - A number is exact. Cells carry scaled integers, and their decimal text is written as it stands: nothing passes
//     through a floating point number on the way to the file. (A spreadsheet itself calculates in float64; it holds
//     every amount of up to fifteen digits.)
//   - A text is a text: document numbers keep their zeros, and "=1+1" is never a formula, not even after it is edited.
//   - The same calls give the same bytes on any machine, at any hour, with any number of processors: the only date inside
//     is the one handed in, the parts of the package stand in a fixed order with a fixed date, and their compression is
//     that of the Go release.
//   - Memory does not grow with the rows. Rows are compressed as they come, into one temporary file a sheet; the
//     package is put together from those at the end.
//
// Work is divided with excelize: it builds the shell (styles, panes, filters, print setup, marks, charts), which is small,
// when the workbook is closed and every extent is known. The rows are ours. A sheet in the package is three
// compressed pieces one after the other: the shell up to the rows, the rows from the temporary file, the rest
// of the shell.
//
// A table sheet reads from the top: title lines, one header row (frozen, with filter), data rows without a gap, one
// blank row, the total as the caller states it, the same by SUBTOTAL, which follows the filter, and notes. The
// blank row keeps a filter from swallowing the total. A table too long for one sheet goes on in "Name (2)", with the totals at the
// very end, over all of them.
//
// The reader shares nothing with the writer but the meaning of the format: it is the second witness when sums of
// a published workbook are taken again.
package xlsx
