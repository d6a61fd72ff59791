package publish

// Between has fn called at the steps of Put on a folder: before the part is brought to the disk ("sync"), before it is
// read back ("read back"), before it gets its name ("name"), and before that is tried by a hard link ("link"). An error of
// fn is one of the target, or of the link.
func Between(t Target, fn func(step string) error) { t.(*Folder).beforeStep = fn }

// SweepHere is removeStaleLocally for tests.
var SweepHere = removeStaleLocally

// BetweenArchive is Between for the folder of an archive.
func BetweenArchive(a *Archive, fn func(step string) error) { Between(a.target, fn) }

// ArchiveOver is an archive in a target that a test opened.
func ArchiveOver(t Target) *Archive { return &Archive{target: t, place: "test"} }

// MarkOwner is markOwner for tests.
var MarkOwner = markOwner
