// Command concilia reconciles card installments and bank slips of a payment service: see doc.go.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
	_ "time/tzdata" // America/Sao_Paulo works on a bare image

	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
)

// collectAt is how much a heap grows before it is collected, in percent: what is alive is small, and collecting it at each
// doubling is a tenth of a night. The limit holds all the same. GOGC overrides it.
const collectAt = 300

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(wire.HeapLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it on purpose
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	env := environment{
		args: os.Args[1:], stdout: os.Stdout, stderr: os.Stderr, lookup: os.LookupEnv, environ: os.Environ, wall: time.Now,
	}
	if program, err := os.Executable(); err == nil {
		env.buildID = view.ReadBuildID(program)
	}
	os.Exit(run(ctx, env))
}
