package main

import (
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// container is one of a pod's, through all of its restarts.
type container struct {
	worker *worker
	spec   *corev1.Container
	isInit bool

	mu       sync.Mutex
	run      *process
	last     *process // the one before
	restarts int32
	nextAt   time.Time
}

// process is one life of a container.
type process struct {
	command  *exec.Cmd
	file     string // of its program
	startAt  time.Time
	log      *processLog
	ended    chan struct{}
	endAt    time.Time // after ended is closed
	exitCode int       // after ended is closed
	probes   *probes
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

const (
	firstBackoff = time.Second
	maxBackoff   = 5 * time.Minute
	// A container that ran for so long begins with the first backoff again.
	steadyAfter = 10 * time.Minute
)

func (c *container) current() *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run
}

func (c *container) hasSucceeded() bool {
	run := c.current()
	return run != nil && run.hasEnded() && run.exitCode == 0
}

// shouldRestart says whether a container that has ended is started again.
func (c *container) shouldRestart() bool {
	switch policy := c.worker.latest().Spec.RestartPolicy; {
	case policy == corev1.RestartPolicyNever:
		return false
	case c.isInit || policy == corev1.RestartPolicyOnFailure:
		return !c.hasSucceeded()
	default:
		return true
	}
}

// restartIn gives the time until the next start, if there is to be one.
func (c *container) restartIn() (time.Duration, bool) {
	run := c.current()
	if run == nil || !run.hasEnded() || !c.shouldRestart() {
		return 0, false
	}
	return time.Until(c.nextAt), true
}

func (c *container) startIfDue() error {
	run := c.current()
	if run == nil {
		return c.start()
	}
	if wait, due := c.restartIn(); !due || wait > 0 {
		return nil
	}
	return c.start()
}

func (c *container) start() error {
	program, err := c.program()
	if err != nil {
		return err
	}
	file, err := program.write(c.worker.folder())
	if err != nil {
		return err
	}
	log, err := c.openLog()
	if err != nil {
		return err
	}
	netns := "--net=" + c.worker.sandbox.Load().netns()
	command := exec.Command("nsenter", netns, "--", selfPath, "container", file)
	command.Stdout, command.Stderr = log, log
	// No Pdeathsig: it would come when the thread ends that started the process, and dial ends threads.
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC,
		Setpgid:    true,
	}
	if err := command.Start(); err != nil {
		return err
	}
	run := &process{command: command, file: file, startAt: time.Now(), log: log, ended: make(chan struct{})}
	run.probes = startProbes(c, run)
	c.mu.Lock()
	if c.run != nil {
		c.restarts++
	}
	c.run, c.last = run, c.run
	c.mu.Unlock()
	go c.wait(run)
	return nil
}

func (c *container) wait(run *process) {
	_ = run.command.Wait()
	run.endAt = time.Now()
	run.exitCode = run.command.ProcessState.ExitCode()
	if status, ok := run.command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		run.exitCode = 128 + int(status.Signal())
	}
	_ = run.log.Close()
	backoff := firstBackoff << min(c.restarts, 10)
	if time.Since(run.startAt) > steadyAfter {
		backoff = firstBackoff
	}
	c.nextAt = time.Now().Add(min(backoff, maxBackoff))
	close(run.ended)
	run.probes.stop()
	c.worker.wake()
}

// stop sends SIGTERM, after the container's own preparation for it, and gives back what waits for the end.
func (c *container) stop(grace time.Duration) (wait func()) {
	run := c.current()
	if run == nil || run.hasEnded() {
		return func() {}
	}
	timer := time.AfterFunc(grace, c.kill)
	go func() {
		c.beforeStop(run)
		_ = run.command.Process.Signal(syscall.SIGTERM)
	}()
	return func() {
		<-run.ended
		timer.Stop()
	}
}

func (c *container) beforeStop(run *process) {
	lifecycle := c.spec.Lifecycle
	if lifecycle == nil || lifecycle.PreStop == nil {
		return
	}
	switch hook := lifecycle.PreStop; {
	case hook.Sleep != nil:
		select {
		case <-time.After(time.Duration(hook.Sleep.Seconds) * time.Second):
		case <-run.ended:
		}
	case hook.Exec != nil:
		_ = c.inside(run, hook.Exec.Command).Run()
	}
}

// kill ends the first process of the container's namespace, and with it all others in there.
func (c *container) kill() {
	if run := c.current(); run != nil && !run.hasEnded() {
		_ = run.command.Process.Kill()
	}
}

// inside makes a command that runs in the container.
func (c *container) inside(run *process, argv []string) *exec.Cmd {
	target := fmt.Sprintf("--target=%d", run.command.Process.Pid)
	args := []string{target, "--mount", "--net", "--pid", "--uts", "--ipc", "--", selfPath, "beside", run.file}
	return exec.Command("nsenter", append(args, argv...)...)
}
