package demo

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/store/ledger"
)

// mostNights is how many mornings a demo may have.
const mostNights = 60

// Options choose the data of a demo.
type Options struct {
	Dir    string // of ledger and reports
	Days   int    // of operation, ending the day before AsOf; 1 to 400
	Seed   uint64
	AsOf   ledger.Date // the first morning
	Nights int         // mornings; 1 to 60
	Desk   bool        // people sign in to a console afterwards
	Banks  bool        // statements of the bank are written and taken in, too
	Stores bool        // the stores' own sales are written and taken in, too
}

// Demo is a merchant's folder, the sandbox that it asks, and mornings that are lived one after the other.
type Demo struct {
	wire.Process // of the demo's own configuration
	Files
	World   *world.World
	Clock   *Clock
	Summary *jobs.Summary // of the last morning
	Moment  time.Time     // the last morning, at 06:00

	password string // of the worker at the sandbox
	nights   int
	out      io.Writer // what is found is printed here
	json     bool      // as one object
}

// Start draws the data of a demo, serves the sandbox and writes the files. stop ends the sandbox.
func Start(p wire.Process, o Options, out io.Writer, json bool) (d *Demo, stop func(), err error) {
	switch {
	case o.Days < 1 || o.Days > 400:
		return nil, nil, exit.NewUsageError("error.flag_value", "hint.one_to", "flag", "--days", "value", o.Days, "most", 400)
	case o.Nights < 1 || o.Nights > mostNights:
		return nil, nil, exit.NewUsageError("error.flag_value", "hint.one_to", "flag", "--nights", "value", o.Nights, "most", mostNights)
	}
	asOf, err := world.ParseDate(o.AsOf.String())
	if err != nil {
		return nil, nil, err
	}
	w, err := world.New(world.Options{Seed: o.Seed, Days: o.Days, AsOf: asOf, To: asOf + world.Date(o.Nights) - 2, Plant: true})
	if err != nil {
		return nil, nil, fmt.Errorf("drawing the sandbox's data: %w", err)
	}
	files := Files{Dir: o.Dir, Since: o.AsOf - ledger.Date(o.Days), Eve: o.AsOf - 1, desk: o.Desk}
	if o.Banks {
		files.Banks = w.Banks()
	}
	if o.Stores {
		files.Stores = w.Stores()
	}
	if d, stop, err = New(p, w, files, o.Nights); err != nil {
		return nil, nil, err
	}
	d.out, d.json = out, json
	if err := d.Write(o.describe()); err != nil {
		stop()
		return nil, nil, err
	}
	return d, stop, nil
}

// New serves a world to a worker whose files are below files.Dir. stop ends that.
func New(p wire.Process, w *world.World, files Files, nights int) (d *Demo, stop func(), err error) {
	d = &Demo{Process: p, Files: files, World: w, Clock: &Clock{wall: p.Wall}, password: rand.Text(), nights: nights, out: io.Discard}
	d.contract = ContractText(w)
	d.ConfigPath, d.Wall, d.Lookup = d.filePath("concilia.yaml"), d.Clock.now, d.lookupEnvironment
	d.base, stop, err = serveSandbox(w, d.password, d.Clock.now)
	return d, stop, err
}

// describe says what data the demo has. A folder keeps one demo.
func (o *Options) describe() string {
	what := fmt.Sprintf("seed %d, %s, as of %s", o.Seed, view.English.Count(int64(o.Days), "day"), o.AsOf)
	if o.Nights > 1 {
		what += fmt.Sprintf(", %d nights", o.Nights)
	}
	if !o.Banks {
		what += ", no banks"
	}
	if !o.Stores {
		what += ", no stores"
	}
	return what
}

// serveSandbox serves the world on a free port of the loopback until stop is called.
func serveSandbox(w *world.World, password string, wall func() time.Time) (base string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("sandbox: %w", err)
	}
	answers := service.New(w, service.Options{Users: []service.User{{Name: User, Password: password}}, Now: wall})
	server := &http.Server{
		Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Date", wall().UTC().Format(http.TimeFormat)) // workers hold their own clock against it
			answers.ServeHTTP(rw, r)
		}),
		ReadHeaderTimeout: 10 * time.Second,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() {
		_ = server.Close() // no request is left
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			panic("sandbox: " + err.Error())
		}
	}, nil
}
