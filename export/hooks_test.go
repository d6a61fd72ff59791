package export

// AfterWrite lets a test at the files between writing and reading them back.
func (j *Job) AfterWrite(fn func(dir string)) { j.afterWrite = fn }

// Repeat lets a test write a row of a table more or fewer times than once.
func (j *Job) Repeat(fn func(table string, row int64) int) { j.repeat = fn }
