package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// startProgram is the first process of a container: it builds the root file system in the mount namespace that it was
// started with, where it ends with the container, and becomes the program.
func startProgram(file string) {
	p := readProgram(file)
	p.become(p.Argv, p.mountRoot, p.mountAll, p.protectRoot, p.enterRoot, p.restrict)
}

// startBeside becomes another program in the namespaces of a container, with the rights of the container's program.
func startBeside(file string, argv []string) {
	p := readProgram(file)
	p.become(argv, p.enterRoot, p.restrict)
}

func readProgram(file string) *program {
	text, err := os.ReadFile(file)
	if err != nil {
		fail(err)
	}
	p := &program{}
	if err := json.Unmarshal(text, p); err != nil {
		fail(err)
	}
	return p
}

// become takes steps and then executes a program in place of this one.
func (p *program) become(argv []string, steps ...func() error) {
	// Some of what is set belongs to a thread, and the thread that executes the program has to be the one.
	runtime.LockOSThread()
	for _, step := range steps {
		if err := step(); err != nil {
			fail(err)
		}
	}
	for _, variable := range p.Env {
		if path, found := strings.CutPrefix(variable, "PATH="); found {
			_ = os.Setenv("PATH", path)
		}
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		fail(err)
	}
	fail(syscall.Exec(path, argv, p.Env))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "cannot start:", err)
	os.Exit(127)
}

func (p *program) inRoot(path string) string { return filepath.Join(p.Root, path) }

func (p *program) mountRoot() error {
	if err := unix.Sethostname([]byte(p.Hostname)); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", p.Root, "tmpfs", unix.MS_NOSUID, "mode=0755"); err != nil {
		return err
	}
	for _, folder := range p.Folders {
		if err := os.MkdirAll(p.inRoot(folder), 0o755); err != nil {
			return err
		}
		if err := os.Chmod(p.inRoot(folder), 0o1777); err != nil {
			return err
		}
	}
	for path, text := range p.Files {
		if err := os.MkdirAll(filepath.Dir(p.inRoot(path)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(p.inRoot(path), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) mountAll() error {
	proc := p.inRoot("/proc")
	if err := os.MkdirAll(proc, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("proc", proc, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return err
	}
	for _, device := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		if err := p.bind(mount{Source: "/dev/" + device, Target: "/dev/" + device}); err != nil {
			return err
		}
	}
	for _, m := range p.Mounts {
		if err := p.bind(m); err != nil {
			return err
		}
	}
	links := map[string]string{"/dev/fd": "/proc/self/fd", "/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2"}
	for path, target := range p.Links {
		links[path] = target
	}
	for path, target := range links {
		if err := os.MkdirAll(filepath.Dir(p.inRoot(path)), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(target, p.inRoot(path)); err != nil {
			return err
		}
	}
	return nil
}

// bind mounts a file or a folder, onto a target that is made for it.
func (p *program) bind(m mount) error {
	info, err := os.Stat(m.Source)
	if err != nil {
		return err
	}
	target := p.inRoot(m.Target)
	folder := target
	if !info.IsDir() {
		folder = filepath.Dir(target)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if !info.IsDir() {
		file, err := os.OpenFile(target, os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		_ = file.Close()
	}
	if err := unix.Mount(m.Source, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mount %s: %w", m.Target, err)
	}
	if !m.ReadOnly {
		return nil
	}
	return unix.Mount("", target, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
}

func (p *program) protectRoot() error {
	if !p.ReadOnly {
		return nil
	}
	return unix.Mount("", p.Root, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
}

func (p *program) enterRoot() error {
	if err := unix.Chroot(p.Root); err != nil {
		return err
	}
	if p.Folder == "" {
		p.Folder = "/"
	}
	return unix.Chdir(p.Folder)
}

// restrict takes privileges away, the user last.
func (p *program) restrict() error {
	if p.NoNewRight {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
	}
	groups := []int{}
	for _, group := range p.Groups {
		groups = append(groups, int(group))
	}
	if err := syscall.Setgroups(groups); err != nil {
		return err
	}
	if err := syscall.Setresgid(int(p.Group), int(p.Group), int(p.Group)); err != nil {
		return err
	}
	return syscall.Setresuid(int(p.User), int(p.User), int(p.User))
}
