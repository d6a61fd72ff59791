package sales

import "concilia/store/ledger"

// otherFiles are the files of a shop besides the one that is taken in, and say which of them tells more of a payment.
type otherFiles struct {
	in     *TakeIn
	made   ledger.LocalTime // when the file that is taken in was made
	byHash map[ledger.FileHash]*File
	reread bool // the file was taken in before, by another map
}

// isOlder reports whether the file says less of a payment than one that was taken in: that one was made later.
func (o *otherFiles) isOlder(than ledger.FileHash) bool {
	f := o.byHash[than]
	return f != nil && o.isBelieved(f) && f.Made > o.made
}

// anyIsNewer reports whether a file was taken in that was made later.
func (o *otherFiles) anyIsNewer() bool {
	for _, f := range o.byHash {
		if o.isBelieved(f) && f.Made > o.made {
			return true
		}
	}
	return false
}

// isGone reports whether a file that was made later has the whole day, and would show a payment that this one brings.
func (o *otherFiles) isGone(d ledger.Date) bool {
	if o.in.Notes {
		return false
	}
	for _, f := range o.byHash {
		if o.isBelieved(f) && f.Made > o.made && f.Whole.Contains(d) {
			return true
		}
	}
	return false
}

// isBelieved reports whether what a file says counts together with the one that is taken in. With one that is read anew, those that are to be
// read anew do not count: whatever was wrong with the other map, it read them as well.
func (o *otherFiles) isBelieved(f *File) bool {
	return !o.reread || f.Map == o.in.Map || !o.in.Together[f.Hash]
}
