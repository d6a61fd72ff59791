package export

// HoldRoots lets a test put root cases to staging sooner.
func (j *Job) HoldRoots(n int) { j.rootsHeld = n }
