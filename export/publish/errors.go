package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"golang.org/x/crypto/ssh/knownhosts"
)

var (
	// ErrUnreachable is a target that does not take or give files now: full, read-only, without permission, or gone.
	ErrUnreachable = errors.New("target unreachable")
	// ErrTaken is a name that is published with other bytes.
	ErrTaken = errors.New("already published with other content")
	// ErrName is a name that no file of a target can have.
	ErrName = errors.New("not a name below the target")
)

// Error is a failure of the target. It is ErrUnreachable, and what the system said.
type Error struct {
	Op, Name string
	Err      error
}

func (e *Error) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("%s: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("%s %s: %v", e.Op, e.Name, e.Err)
}

// Unwrap makes the error both what it is for the caller and what it was for the system.
func (e *Error) Unwrap() []error { return []error{ErrUnreachable, e.Err} }

// Hint says what to do about it.
func (e *Error) Hint() string {
	switch {
	case errors.As(e.Err, new(*knownhosts.KeyError)):
		return "the known hosts file does not vouch for this server: compare its key with that of its operator, then write it there"
	case errors.Is(e.Err, syscall.ENOSPC), errors.Is(e.Err, syscall.EDQUOT):
		return "make room on the target, then publish again: nothing is computed anew"
	case errors.Is(e.Err, syscall.EROFS):
		return "the target is mounted read-only"
	case errors.Is(e.Err, fs.ErrPermission):
		return "let the user that runs this write to the target; of a bucket or a server check the keys, and what they may do there"
	case errors.Is(e.Err, fs.ErrNotExist):
		return "is the share mounted?"
	}
	return "check the target and the way to it, then publish again"
}

// wrapTargetError names an error of the target; one of the context or of the caller stays what it is.
func wrapTargetError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	for _, ours := range []error{context.Canceled, context.DeadlineExceeded, ErrTaken, ErrName, ErrUnreachable, errLocal} {
		if errors.Is(err, ours) {
			return fmt.Errorf("%s %s: %w", op, name, err)
		}
	}
	return &Error{Op: op, Name: name, Err: err}
}

// errLocal marks an error of the file to be published, which is not the target's.
var errLocal = errors.New("local file")
