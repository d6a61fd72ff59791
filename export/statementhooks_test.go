package export

// MaxRecords lets a test part the EDI files of a set sooner.
func (j *Job) MaxRecords(n int) { j.maxRecords = n }
