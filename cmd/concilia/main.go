// Command concilia reconciles card installments and bank slips of a payment service: see doc.go.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // America/Sao_Paulo works on a bare image
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	env := environment{
		args: os.Args[1:], stdout: os.Stdout, stderr: os.Stderr, lookup: os.LookupEnv, wall: time.Now,
	}
	os.Exit(run(ctx, env))
}
