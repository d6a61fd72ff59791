package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(runMain(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Exit codes: ended as asked, could not serve, wrong usage.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// drainTimeout is how long open requests may take after the signal to end.
const drainTimeout = 5 * time.Second

// runMain serves until ctx ends, or runs a subcommand, and returns the exit code.
func runMain(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "client" {
		return runClient(args[1:], stdout, stderr)
	}
	o, err := parseOptions(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return printUsageError(stderr, "sandbox", err)
	}
	if err := serveWorld(ctx, o, stdout); err != nil {
		fmt.Fprintf(stderr, "sandbox: %v\n", err)
		return exitError
	}
	return exitOK
}

// printUsageError prints every problem of a command line, one a line, and a hint to the help; it returns exitUsage.
func printUsageError(stderr io.Writer, program string, err error) int {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(stderr, "%s: %s\n", program, line)
	}
	fmt.Fprintf(stderr, "hint: %s --help lists the options\n", program)
	return exitUsage
}

// serveWorld draws the world, prints the addresses and answers until ctx ends.
func serveWorld(ctx context.Context, o options, stdout io.Writer) error {
	generated := o.password == ""
	if generated {
		o.password = rand.Text()
	}
	state, err := service.OpenState(o.state)
	if err != nil {
		return err
	}
	w, err := world.New(o.world)
	if err != nil {
		return fmt.Errorf("drawing the world: %w", err)
	}
	if err := writeStoreFiles(w, o.salesDir, o.world.Plant); err != nil {
		return fmt.Errorf("--sales-dir: %w", err)
	}
	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return fmt.Errorf("listening: %w; --addr names another address", err)
	}
	if err := o.openJournal(); err != nil {
		return errors.Join(err, listener.Close())
	}
	face := service.New(w, service.Options{
		Users:         []service.User{{Name: o.user, Password: o.password, Addresses: o.userAddresses}},
		TokenLifetime: o.tokenLifetime, SearchToken: o.searchToken, Now: time.Now,
		State: state, TrustedProxies: o.proxies, SkipURLCheck: !o.checkURLs, AccessKey: o.accessKey, ListStores: o.salesDir != "" && o.world.Plant,
		Deliveries: o.deliveries, Faults: o.faults,
	})
	s := banner{base: baseURL(listener.Addr()), options: o, world: w, onboarded: len(state.Clients())}
	if !generated {
		s.options.password = ""
	}
	fmt.Fprint(stdout, s.formatBanner())
	return serveUntilDone(ctx, listener, face)
}

// serveUntilDone serves until ctx ends; answers and deliveries under way then have a while to end.
func serveUntilDone(ctx context.Context, listener net.Listener, face *service.Service) error {
	server := &http.Server{Handler: face, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	var err error
	select {
	case err = <-failed:
		err = fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	// The context that ended can't bound the drain.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if server.Shutdown(ending) != nil {
		err = errors.Join(err, server.Close()) // someone kept a connection busy past the drain
	}
	return errors.Join(err, face.Close(ending))
}

// readPassword takes the password from a file, else from the environment, else none.
func readPassword(file string) (string, error) {
	if file == "" {
		return os.Getenv("SANDBOX_PASSWORD"), nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--password-file: %w", err)
	}
	p := strings.TrimRight(string(b), "\r\n")
	if p == "" {
		return "", fmt.Errorf("--password-file %s: empty", file)
	}
	return p, nil
}
