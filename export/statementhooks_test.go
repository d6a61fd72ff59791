package export

// SlipEntries are what a slip moved, as a statement has it.
var SlipEntries = slipEntriesOf

// MaxRecords lets a test part the EDI files of a set sooner.
func (j *Job) MaxRecords(n int) { j.maxRecords = n }
