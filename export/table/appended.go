package table

// hashPosition is where row_hash is in a line of csv or jsonl: before the columns that are appended.
func (t *Table) hashPosition() int {
	at := t.Width()
	for at > 0 && t.Columns[at-1].Appended {
		at--
	}
	return at
}

// columnAt is the column at a position of a line, as an index of Columns, where the hash is the last.
func (t *Table) columnAt(position int) int {
	switch at := t.hashPosition(); {
	case position == at:
		return t.Width()
	case position > at:
		return position - 1
	}
	return position
}

// appendLine appends the line of a row with appended columns: its text, with the hash before their cells.
func appendLine(b []byte, t *Table, row Row, text []byte) []byte {
	var appended []byte
	for i := t.hashPosition(); i < t.Width(); i++ {
		if appended = append(appended, ','); row[i].OK {
			appended = appendCell(appended, &t.Columns[i], &row[i])
		}
	}
	b = append(append(b, text[:len(text)-len(appended)]...), ',')
	return append(append(appendHash(b, text), appended...), '\n')
}
