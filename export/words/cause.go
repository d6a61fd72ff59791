package words

import (
	"context"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"os"
	"syscall"
)

// spoken is an error that has its text in both languages.
type spoken interface {
	error
	In(language string) string
}

// spokenParts are the errors within one that have their texts in both languages, the outer ones, in order.
func spokenParts(err error) (all []spoken) {
	if s, ok := err.(spoken); ok { //nolint:errorlint // the error itself is asked, not what it wraps
		return []spoken{s}
	}
	if id := systemCause(err); id != "" {
		return []spoken{&systemError{err, id}}
	}
	switch e := err.(type) { //nolint:errorlint // the error itself is asked, not what it wraps
	case interface{ Unwrap() error }:
		return spokenParts(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			all = append(all, spokenParts(part)...)
		}
	}
	return all
}

// systemError is an error of the operating system or the network, whose kind has a text for people, by its id.
type systemError struct {
	error
	kind string
}

// In is the kind in a language with the original behind it; in English the original says it.
func (e *systemError) In(language string) string {
	if language == "en" {
		return e.Error()
	}
	return Text(language, "cause.with_original", "cause", Text(language, e.kind), "original", e.Error())
}

// systemCauses are the kinds of errors of the system that people meet.
var systemCauses = []struct {
	is error
	id string
}{
	{syscall.ECONNREFUSED, "cause.refused"},
	{syscall.ECONNRESET, "cause.reset"},
	{syscall.EPIPE, "cause.reset"},
	{syscall.EHOSTUNREACH, "cause.no_route"},
	{syscall.ENETUNREACH, "cause.no_route"},
	{syscall.EADDRINUSE, "cause.in_use"},
	{syscall.ENOSPC, "cause.full"},
	{syscall.EDQUOT, "cause.full"},
	{syscall.EROFS, "cause.read_only"},
	{syscall.EISDIR, "cause.folder"},
	{syscall.EIO, "cause.broken_disk"},
	{fs.ErrPermission, "cause.forbidden"},
	{fs.ErrNotExist, "cause.not_there"},
	{os.ErrDeadlineExceeded, "cause.timeout"},
	{context.DeadlineExceeded, "cause.timeout"},
}

// certificateCause is the id of why a certificate was not accepted; empty: it is no error of one.
func certificateCause(err error) string {
	switch e := err.(type) { //nolint:errorlint // the error itself is asked, not what it wraps
	case x509.UnknownAuthorityError:
		return "cause.unknown_authority"
	case x509.HostnameError:
		return "cause.other_host"
	case x509.CertificateInvalidError:
		if e.Reason == x509.Expired {
			return "cause.expired"
		}
	}
	return ""
}

// systemCause is the id of the kind of an error of the system or the network; empty: it is none, or of no kind that is known.
func systemCause(err error) string {
	switch e := err.(type) { //nolint:errorlint // the error itself is asked, not what it wraps
	case *net.DNSError:
		if e.IsNotFound {
			return "cause.no_host"
		}
	case *net.OpError, *fs.PathError, *os.LinkError, *os.SyscallError, syscall.Errno:
	default:
		if err != context.DeadlineExceeded { //nolint:errorlint // the error itself is asked, not what it wraps
			return certificateCause(err)
		}
	}
	for _, c := range systemCauses {
		if errors.Is(err, c.is) {
			return c.id
		}
	}
	var host *net.DNSError
	if errors.As(err, &host) && host.IsNotFound {
		return "cause.no_host"
	}
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() {
		return "cause.timeout"
	}
	return ""
}
