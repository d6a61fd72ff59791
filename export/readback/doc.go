// Package readback reads files of a set strictly and returns their figures: tables, EDI files, the workbook and the page. A
// rendering reads back what it wrote before it publishes it, and package verify reads what was published.
package readback
