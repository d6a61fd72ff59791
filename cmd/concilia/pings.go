package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/rs/zerolog"

	"concilia/config"
	"concilia/jobs"
)

// pings tell another machine that a run began and how it ended, so that it notices the one that never did. They change
// nothing of the run: what cannot be delivered is a line of the log.
type pings struct {
	config.Pings
	log    func() *zerolog.Logger
	meters *meters
	begun  chan struct{} // closed when the first ping is over; nil: there was none
}

// begin pings start beside the run, which does not wait for it.
func (p *pings) begin(ctx context.Context) {
	if p.Start == "" {
		return
	}
	p.begun = make(chan struct{})
	go func() {
		defer close(p.begun)
		p.send(ctx, "start", p.Start, nil)
	}()
}

// end pings ok for a run that came to its end, whatever it found, and fail for another, with what is said of it. A run
// that was interrupted is told of, too.
func (p *pings) end(ctx context.Context, code int, said string) {
	ctx = context.WithoutCancel(ctx)
	if p.begun != nil {
		<-p.begun // so that the end does not overtake the beginning
	}
	switch code {
	case exitOK, jobs.ExitWarnings, exitBreaks:
		if p.OK != "" {
			p.send(ctx, "ok", p.OK, nil)
		}
	default:
		if p.Fail != "" {
			body := "exit " + strconv.Itoa(code) + "\n" + said + "\n"
			p.send(ctx, "fail", failLink(p.Fail, code), []byte(body))
		}
	}
}

// failLink puts the exit code where the address says {code}.
func failLink(link config.Link, code int) config.Link {
	return config.Link(strings.ReplaceAll(link.Reveal(), "{code}", strconv.Itoa(code)))
}

func (p *pings) send(ctx context.Context, ping string, link config.Link, body []byte) {
	d := delivery{link: link, body: body, agent: "concilia/" + readBuildFacts().Version}
	if body != nil {
		d.kind = "text/plain; charset=utf-8"
	}
	err := d.send(ctx)
	// Some receivers know GET alone, or stand behind a redirect that does: that it failed is worth more than the line.
	if answer := (*answeredError)(nil); body != nil && errors.As(err, &answer) && wantsGet(answer.status) {
		d.body, d.kind = nil, ""
		err = d.send(ctx)
	}
	p.meters.delivered("ping", ping, err)
	if err != nil {
		p.log().Warn().Str("ping", ping).Stringer("to", link).AnErr("why", err).Msg("a ping was not delivered")
	}
}

// wantsGet says whether an answer to a POST asks for a GET.
func wantsGet(status int) bool {
	switch status {
	case http.StatusMethodNotAllowed, http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		return true
	}
	return false
}
