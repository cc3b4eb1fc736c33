package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// program is what the first process of a container needs to become the container's program.
type program struct {
	Hostname string
	Argv     []string
	Env      []string
	Folder   string
	// Root is an empty folder; the file system is mounted over it.
	Root       string
	ReadOnly   bool
	Mounts     []mount
	Links      map[string]string
	Folders    []string
	Files      map[string]string
	User       int64
	Group      int64
	Groups     []int64
	NoNewRight bool
}

type mount struct {
	Source, Target string
	ReadOnly       bool
}

var selfPath = func() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}()

func (p *program) write(folder string) (string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(p.Root, 0o755); err != nil {
		return "", err
	}
	file := p.Root + ".json"
	return file, os.WriteFile(file, text, 0o600)
}

// program of a container as it would start now.
func (c *container) program() (*program, error) {
	pod := c.worker.latest()
	image, err := findImage(c.worker.pods.node.imagesFile, c.spec.Image)
	if err != nil {
		return nil, err
	}
	env, err := c.environment(image)
	if err != nil {
		return nil, err
	}
	p := &program{
		Hostname: pod.Name,
		Env:      env.list(),
		Folder:   image.Folder,
		Root:     filepath.Join(c.worker.folder(), c.spec.Name),
		Links:    image.Links,
		Folders:  append([]string{"/tmp"}, image.Folders...),
		Files:    c.files(pod),
		User:     image.User,
		Group:    image.User,
	}
	p.Argv = append(p.Argv, image.Entrypoint...)
	args := image.Args
	if len(c.spec.Command) > 0 {
		p.Argv, args = env.expandAll(c.spec.Command), nil
	}
	if len(c.spec.Args) > 0 {
		args = env.expandAll(c.spec.Args)
	}
	p.Argv = append(p.Argv, args...)
	if c.spec.WorkingDir != "" {
		p.Folder = c.spec.WorkingDir
	}
	for target, source := range image.Mounts {
		p.Mounts = append(p.Mounts, mount{Source: source, Target: target, ReadOnly: true})
	}
	for _, m := range c.spec.VolumeMounts {
		source, readOnly, err := c.worker.volumes.source(m.Name)
		if err != nil {
			return nil, err
		}
		source = filepath.Join(source, m.SubPath)
		p.Mounts = append(p.Mounts, mount{Source: source, Target: m.MountPath, ReadOnly: m.ReadOnly || readOnly})
	}
	c.secure(p, pod)
	return p, nil
}

func (c *container) files(pod *corev1.Pod) map[string]string {
	domain := "svc." + clusterDomain
	ip := c.worker.sandbox.Load().ip
	return map[string]string{
		"/etc/resolv.conf": fmt.Sprintf("nameserver %s\nsearch %s.%s %s %s\noptions ndots:5\n",
			c.worker.pods.node.nodeIP, pod.Namespace, domain, domain, clusterDomain),
		"/etc/hosts":    fmt.Sprintf("127.0.0.1 localhost\n%s %s\n", ip, pod.Name),
		"/etc/hostname": pod.Name + "\n",
		"/etc/passwd":   "root:x:0:0:root:/root:/bin/sh\nnonroot:x:65532:65532:nonroot:/tmp:/bin/sh\n",
		"/etc/group":    "root:x:0:\nnonroot:x:65532:\n",
	}
}

// secure takes over what the security contexts say about users, the root file system and new privileges.
func (c *container) secure(p *program, pod *corev1.Pod) {
	if s := pod.Spec.SecurityContext; s != nil {
		p.User, p.Group = or(s.RunAsUser, p.User), or(s.RunAsGroup, p.Group)
		p.Groups = append(p.Groups, s.SupplementalGroups...)
		if s.FSGroup != nil {
			p.Groups = append(p.Groups, *s.FSGroup)
		}
	}
	if s := c.spec.SecurityContext; s != nil {
		p.User, p.Group = or(s.RunAsUser, p.User), or(s.RunAsGroup, p.Group)
		p.ReadOnly = isTrue(s.ReadOnlyRootFilesystem)
		p.NoNewRight = s.AllowPrivilegeEscalation != nil && !*s.AllowPrivilegeEscalation
	}
}

func or(value *int64, otherwise int64) int64 {
	if value != nil {
		return *value
	}
	return otherwise
}

// logName is the file for the output of a container.
func (c *container) logName() string {
	pod := c.worker.latest()
	return strings.Join([]string{pod.Namespace, pod.Name, c.spec.Name}, "_") + ".log"
}
