package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"concilia/store/storetest"
)

func TestMain(m *testing.M) {
	testscript.Main(suite{m}, map[string]func(){"concilia": main})
}

// suite runs the tests in memory, as those of jobs, and removes the built programs when they are done. What measures keeps the
// disk.
type suite struct{ *testing.M }

// Run runs the tests.
func (s suite) Run() int {
	flag.Parse()
	back := func() {}
	if !measures() {
		storetest.CollectRarely(2 << 30) // the desks of four tests at once use half a gigabyte
		// Of the processes that tests start, which are many at once.
		_ = os.Setenv("GOGC", "1600")
		_ = os.Setenv("GOMEMLIMIT", "256MiB")
		back = storetest.InMemory(4 << 30)
		waitBesideEachOther()
	}
	defer back()
	code := s.M.Run()
	if programs.dir != "" {
		_ = os.RemoveAll(programs.dir)
	}
	return code
}

// waitBesideEachOther lets at least four tests run at once, unless the command line says how many: most of the time they wait for
// programs that they started.
func waitBesideEachOther() {
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked {
		_ = flag.Set("test.parallel", strconv.Itoa(max(4, runtime.GOMAXPROCS(0))))
	}
}

// measures reports whether the process was started to measure something.
func measures() bool {
	for _, name := range []string{"CONCILIA_BIG_ROWS", "CONCILIA_BIG_LEDGER"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return flag.Lookup("test.bench").Value.String() != ""
}

// TestScripts runs the command scripts: each is a user's evening, commands and what they print.
func TestScripts(t *testing.T) {
	t.Parallel()
	built := build(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		UpdateScripts:       os.Getenv("UPDATE_GOLDEN") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(name string) (bool, error) {
			if name != "race" {
				return false, fmt.Errorf("no condition %q", name)
			}
			return raced, nil
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GOGC", os.Getenv("GOGC"))
			env.Setenv("GOMEMLIMIT", os.Getenv("GOMEMLIMIT"))
			env.Setenv("SANDBOX", built.sandbox)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"service": startService,
			"demo":    copiesDemo(t),
			"cutting": cutAnswers,
			"exits":   exits,
			"advance": advance,
			"capture": capture,
			"planted": comparesPlanted,
			"flip":    flipByte,
			"sql":     execSQL,
		},
	})
}

// binaries are the two programs, built as a user builds them.
type binaries struct{ concilia, sandbox string }

// programs are built once for all tests.
var programs struct {
	once sync.Once
	dir  string
	err  error
}

func build(t testing.TB) binaries {
	t.Helper()
	programs.once.Do(func() {
		if programs.dir, programs.err = os.MkdirTemp("", "concilia-test-"); programs.err != nil {
			return
		}
		// A test's own process knows no commit and no id of its build: a night that one of the two began, the other takes up only if both are alike.
		// Without what a debugger reads, linking takes half the time.
		out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-buildid= -s -w", "-o", programs.dir, "concilia/cmd/concilia", "concilia/cmd/sandbox").CombinedOutput()
		if err != nil {
			programs.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if programs.err != nil {
		t.Fatal(programs.err)
	}
	return binaries{concilia: filepath.Join(programs.dir, "concilia"), sandbox: filepath.Join(programs.dir, "sandbox")}
}

// startService starts the sandbox as another process with the flags given, and sets GATEWAY, INTEGRATION and CONTROL to
// its addresses. The process ends with the script.
func startService(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("service cannot be negated")
	}
	s, err := sandboxProcess(ts.Getenv("SANDBOX"), args)
	ts.Check(err)
	ts.Defer(s.stop)
	ts.Setenv("GATEWAY", s.gateway)
	ts.Setenv("INTEGRATION", s.integration)
	ts.Setenv("CONTROL", s.control)
}

// sandbox is a running sandbox process and its addresses.
type sandbox struct {
	gateway, integration, control string
	since                         string // the first day that its merchants answer for; empty: as testConfig has it
	stop                          func()
}

// demoPassword is the password the sandbox is started with; it guards nothing.
const demoPassword = "not-a-secret"

func sandboxProcess(binary string, args []string) (*sandbox, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary, append([]string{"--addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), "SANDBOX_PASSWORD="+demoPassword)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	s := &sandbox{stop: func() { cancel(); _ = cmd.Wait() }}
	deadline := time.AfterFunc(2*time.Minute, cancel)
	defer deadline.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		for key, dst := range map[string]*string{
			"listening on": &s.control, "gateway_url": &s.gateway, "integration_url": &s.integration,
		} {
			if strings.Contains(lines.Text(), key) {
				*dst = address.FindString(lines.Text())
			}
		}
		if s.control != "" && s.gateway != "" && s.integration != "" {
			go func() {
				for lines.Scan() { //nolint:revive // keeps the pipe empty so that the process never waits for us
				}
			}()
			return s, nil
		}
	}
	s.stop()
	return nil, fmt.Errorf("the sandbox did not say where it listens")
}

var address = regexp.MustCompile(`https?://[^\s"]+`)

// flipByte changes one bit in the middle of a file.
func flipByte(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: flip FILE")
	}
	matches, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(matches) != 1 {
		ts.Fatalf("flip %s: %d files match", args[0], len(matches))
	}
	data, err := os.ReadFile(matches[0])
	ts.Check(err)
	data[len(data)/2] ^= 1
	ts.Check(os.WriteFile(matches[0], data, 0o600))
}
