package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"concilia/cmd/concilia/exit"
	"concilia/jobs"
	"concilia/store/storetest"
)

// composeFile is what the tests need to know of compose.yaml.
type composeFile struct {
	Services map[string]struct {
		Image       string
		Entrypoint  []string
		Command     []string
		NetworkMode string `yaml:"network_mode"`
		Environment map[string]string
	}
	Configs map[string]struct{ Content string }
}

func readCompose(t *testing.T) *composeFile {
	t.Helper()
	text, err := os.ReadFile("deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c composeFile
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return &c
}

// isCommand reports what is wrong with the arguments of a command.
func isCommand(args []string) error {
	root := newRoot(environment{lookup: func(string) (string, bool) { return "", false }})
	cmd, rest, err := root.Find(args)
	if err != nil || cmd == root {
		return errors.Join(errors.New("no such command"), err)
	}
	return cmd.ParseFlags(rest)
}

// TestCompose lives the night of compose.yaml: its commands in its environment, with a PostgreSQL, a sandbox and a folder of the test's.
func TestCompose(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the processes are not this one")
	}
	c, built, dir := readCompose(t), build(t), t.TempDir()
	box, err := sandboxProcess(built.sandbox, []string{"--state", "", "--days", "12"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.stop)
	here := strings.NewReplacer(
		"postgres://concilia:concilia@postgres/concilia?sslmode=disable", storetest.Schema(t, storetest.Shared(t)),
		"http://127.0.0.1:8090", strings.TrimSuffix(box.gateway, "/gateway"), "/data", filepath.ToSlash(dir),
		"/etc/concilia", filepath.ToSlash(dir), "not-a-secret", demoPassword,
		", name: Loja", ", since: 2026-11-08, name: Loja") // the service of the test has sold for fewer days
	if err := os.WriteFile(filepath.Join(dir, "concilia.yaml"), []byte(here.Replace(c.Configs["concilia"].Content)), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func(name string, args ...string) *process {
		t.Helper()
		out, err := os.CreateTemp(dir, "said")
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		p := &process{cmd: exec.Command(built.concilia, args...), log: out.Name()}
		p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, out, out
		p.cmd.Env = []string{"TMPDIR=" + dir} // an image has no home and no path
		for key, value := range c.Services[name].Environment {
			p.cmd.Env = append(p.cmd.Env, key+"="+here.Replace(value))
		}
		if err := p.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.cmd.Process.Kill() })
		return p
	}
	if p := start("night", "config", "check"); p.wait(t) != exit.OK || strings.Contains(p.said(), "no setting") {
		t.Errorf("the configuration is refused:\n%s", p.said())
	}
	var workers []*process
	for _, name := range []string{"worker-1", "worker-2"} {
		workers = append(workers, start(name, c.Services[name].Command...))
	}
	night := start("night", c.Services["night"].Command...)
	if code := night.wait(t); !slices.Contains([]int{exit.OK, jobs.ExitWarnings, exit.Breaks}, code) {
		t.Fatalf("the night ended with %d:\n%s\n%s", code, night.said(), workers[0].said())
	}
	for _, w := range workers {
		if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if code := w.wait(t); code != exit.OK {
			t.Errorf("a worker ended with %d:\n%s", code, w.said())
		}
	}
	if done, err := filepath.Glob(filepath.Join(dir, "reports", "1001", "*", "*", "*.done")); err != nil || len(done) == 0 {
		t.Errorf("nothing was published: %v", err)
	}
	options := c.Services["sandbox"].Command
	usage, err := exec.Command(built.sandbox, "--help").CombinedOutput()
	for _, o := range options {
		if strings.HasPrefix(o, "--") && !strings.Contains(string(usage), o+" ") {
			t.Errorf("the sandbox has no option %s: %v", o, err)
		}
	}
}

// kubeManifest is what the tests need to know of a manifest for Kubernetes.
type kubeManifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct {
		Name   string
		Labels map[string]string
	}
	Data map[string]string
	Spec struct {
		Selector    map[string]any
		Template    podTemplate
		JobTemplate struct {
			Spec struct{ Template podTemplate }
		} `yaml:"jobTemplate"`
	}
}

type podTemplate struct {
	Metadata struct{ Labels map[string]string }
	Spec     struct {
		SecurityContext struct {
			RunAsNonRoot bool `yaml:"runAsNonRoot"`
			RunAsUser    int  `yaml:"runAsUser"`
		} `yaml:"securityContext"`
		Containers []struct {
			Args            []string
			SecurityContext struct {
				ReadOnlyRootFilesystem bool `yaml:"readOnlyRootFilesystem"`
			} `yaml:"securityContext"`
			VolumeMounts []struct{ Name, MountPath string } `yaml:"volumeMounts"`
		}
		Volumes []map[string]any
	}
}

// TestKubernetes: the containers of the manifests run commands of the program, as a user that is not root and on a file system that
// they cannot write, with the volumes they mount; selectors find their pods; the configuration is one.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("deploy/kubernetes/concilia.yaml")
	if err != nil {
		t.Fatal(err)
	}
	pods := 0
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var m kubeManifest
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if m.APIVersion == "" || m.Metadata.Name == "" {
			t.Errorf("a %s has no name or version", m.Kind)
		}
		if config, ok := m.Data["concilia.yaml"]; ok {
			path := filepath.Join(t.TempDir(), "concilia.yaml")
			if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			secrets := map[string]string{
				"CONCILIA_LEDGER_DSN": "postgres://h/d?sslmode=verify-full", "CONCILIA_SERVICE_PASSWORD": "not-a-secret", "CONCILIA_WEBHOOK_ACCESS_KEY": "0123456789abcdef0123456789abcdef",
			}
			code := run(t.Context(), environment{
				args: []string{"--config", path, "config", "check"}, stdout: &out, stderr: &out, wall: time.Now,
				lookup: func(name string) (string, bool) { v, ok := secrets[name]; return v, ok },
			})
			if code != exit.OK {
				t.Errorf("the configuration is refused:\n%s", out.String())
			}
		}
		for _, pod := range []podTemplate{m.Spec.Template, m.Spec.JobTemplate.Spec.Template} {
			for _, c := range pod.Spec.Containers {
				pods++
				if err := isCommand(c.Args); err != nil {
					t.Errorf("%s: %v: %v", m.Metadata.Name, c.Args, err)
				}
				if !pod.Spec.SecurityContext.RunAsNonRoot || pod.Spec.SecurityContext.RunAsUser != 65532 || !c.SecurityContext.ReadOnlyRootFilesystem {
					t.Errorf("%s: may be root, or write where nothing is mounted", m.Metadata.Name)
				}
				for _, mount := range c.VolumeMounts {
					if !slices.ContainsFunc(pod.Spec.Volumes, func(v map[string]any) bool { return v["name"] == mount.Name }) {
						t.Errorf("%s: mounts %s, which it does not have", m.Metadata.Name, mount.Name)
					}
				}
			}
			if labels, ok := m.Spec.Selector["matchLabels"].(map[string]any); ok && len(pod.Spec.Containers) > 0 {
				for key, value := range labels {
					if pod.Metadata.Labels[key] != value {
						t.Errorf("%s: selects %s=%v and its pods have %q", m.Metadata.Name, key, value, pod.Metadata.Labels[key])
					}
				}
			}
		}
	}
	if pods != 3 {
		t.Errorf("%d containers were looked at", pods)
	}
}
