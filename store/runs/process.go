package runs

import (
	"crypto/rand"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// process is who holds leases, units and occurrences. Host names and process numbers are not unique: containers share both.
type process struct {
	token string // random, no other process has it
	host  string // for people
	id    int
	space string // within which id names one process until a restart: boot id and PID namespace; empty where neither is known
}

// newProcess is this process under a new token.
func newProcess() process {
	host, _ := os.Hostname() // only people miss it
	return process{token: rand.Text(), host: host, id: os.Getpid(), space: processSpace()}
}

// hasEnded reports whether p is known to have ended: a process that here could see if it were alive.
func (p process) hasEnded(here process) bool {
	return p.space != "" && p.space == here.space && !isProcessAlive(p.id)
}

// String is the process as the worker of a unit. A host name and a space have no blanks.
func (p process) String() string {
	return strings.Join([]string{p.host, strconv.Itoa(p.id), p.space, p.token}, " ")
}

// parseProcess reads what String wrote. Any other text is a process that nothing is known of.
func parseProcess(text string) process {
	parts := strings.Split(text, " ")
	if len(parts) != 4 {
		return process{}
	}
	id, err := strconv.Atoi(parts[1])
	if err != nil {
		return process{}
	}
	return process{host: parts[0], id: id, space: parts[2], token: parts[3]}
}

// isProcessAlive reports whether a process of this space is running, true if that cannot be found out.
func isProcessAlive(id int) bool {
	p, err := os.FindProcess(id)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	// Signal 0 is not delivered: it only checks that the process exists.
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
