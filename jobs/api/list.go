package api

import (
	"errors"
	"io"
	"mime"
	"net/url"
	"strings"

	"concilia/store/ledger"
)

// readList reads a list out of an answer with status 200, to the last byte.
//
// Spec gap: a list is a bare array. null, an object or a page of HTML with status 200 is a failure of the whole window.
func (c *Client) readList(a *reply, fast func([]byte) int, slow func([]byte) error) error {
	if media, _, err := mime.ParseMediaType(a.header.Get("Content-Type")); err == nil && strings.Contains(media, "html") {
		return errors.New("the answer is a page of HTML, not a list: something between here and the service spoke")
	}
	list := newArrayReader(a.body)
	err := list.each(fast, slow)
	if errors.Is(err, errNotList) {
		rest, _ := io.ReadAll(io.LimitReader(a.body, maxErrorBody))
		text := append(list.buf[list.pos:list.end:list.end], rest...)
		return &Error{Status: a.status, Text: c.errorText(text), Err: err}
	}
	return err
}

// window is the three parameters that every list takes.
func window(account ledger.Account, from, to ledger.Date) url.Values {
	return url.Values{"accountNumber": {account.String()}, "startDate": {from.String()}, "endDate": {to.String()}}
}

// checkWindow refuses what no list can be asked, before anything is sent.
func checkWindow(operation string, account ledger.Account, from, to ledger.Date) error {
	err := ledger.Period{From: from, To: to}.Valid()
	if account <= 0 {
		err = errors.Join(errors.New("an account number is positive"), err)
	}
	if err != nil {
		return &Error{Operation: operation, Permanent: true, Err: err}
	}
	return nil
}
