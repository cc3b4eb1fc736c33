package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"

	corev1 "k8s.io/api/core/v1"
)

// sandbox is the network namespace of a pod, owned by a process that does nothing else.
type sandbox struct {
	ip     string
	number int
	pause  *exec.Cmd
}

// addresses gives numbers to pods: 10.244.1.1 is the first.
type addresses struct {
	mu   sync.Mutex
	used map[int]bool
	next int
}

const podsPerBlock = 254

// take gives the longest unused number, so that an address of a pod that has gone is not soon another's.
func (a *addresses) take() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		a.next = a.next%(podsPerBlock*200) + 1
		if !a.used[a.next] {
			a.used[a.next] = true
			return a.next
		}
	}
}

func (a *addresses) release(number int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.used, number)
}

func (n *node) openSandbox(pod *corev1.Pod, numbers *addresses) (*sandbox, error) {
	number := numbers.take()
	s := &sandbox{
		number: number,
		ip:     fmt.Sprintf("10.244.%d.%d", 1+(number-1)/podsPerBlock, 1+(number-1)%podsPerBlock),
		pause:  exec.Command("/proc/self/exe", "pause"),
	}
	s.pause.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Setpgid: true}
	if err := s.pause.Start(); err != nil {
		numbers.release(number)
		return nil, err
	}
	if err := n.connect(s, pod); err != nil {
		s.close(numbers)
		return nil, err
	}
	return s, nil
}

// connect gives the pod an address of its own that routes everything by the node, as the NAT for Services needs it:
// packets between two pods on one bridge would pass it by.
func (n *node) connect(s *sandbox, pod *corev1.Pod) error {
	pid := strconv.Itoa(s.pause.Process.Pid)
	host := fmt.Sprintf("veth%d", s.number)
	inside := []string{"nsenter", "--net=/proc/" + pid + "/ns/net", "--"}
	commands := [][]string{
		{"ip", "link", "add", host, "type", "veth", "peer", "name", "eth0", "netns", pid},
		{"ip", "link", "set", host, "master", n.bridge, "up"},
		append(inside[:3:3], "ip", "link", "set", "lo", "up"),
		append(inside[:3:3], "ip", "addr", "add", s.ip+"/32", "dev", "eth0"),
		append(inside[:3:3], "ip", "link", "set", "eth0", "up"),
		append(inside[:3:3], "ip", "route", "add", n.nodeIP, "dev", "eth0"),
		append(inside[:3:3], "ip", "route", "add", "default", "via", n.nodeIP),
	}
	if security := pod.Spec.SecurityContext; security != nil {
		for _, sysctl := range security.Sysctls {
			commands = append(commands, append(inside[:3:3], "sysctl", "-qw", sysctl.Name+"="+sysctl.Value))
		}
	}
	for _, command := range commands {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, out)
		}
	}
	return nil
}

// netns is the file of the pod's network namespace.
func (s *sandbox) netns() string { return fmt.Sprintf("/proc/%d/ns/net", s.pause.Process.Pid) }

// close ends the namespace; its end of the cable goes with it.
func (s *sandbox) close(numbers *addresses) {
	_ = s.pause.Process.Kill()
	_ = s.pause.Wait()
	numbers.release(s.number)
}
