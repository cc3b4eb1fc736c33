package main

import (
	"fmt"
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// dial connects to a port on the loopback of the pod, from inside its network namespace.
func (s *sandbox) dial(port int32) (net.Conn, error) {
	type result struct {
		connection net.Conn
		err        error
	}
	done := make(chan result)
	go func() {
		// The thread ends with this goroutine: it is in another namespace and of no more use.
		runtime.LockOSThread()
		target, err := os.Open(s.netns())
		if err != nil {
			done <- result{nil, err}
			return
		}
		defer target.Close()
		if err := unix.Setns(int(target.Fd()), unix.CLONE_NEWNET); err != nil {
			done <- result{nil, err}
			return
		}
		connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			if connection, second := net.Dial("tcp", fmt.Sprintf("[::1]:%d", port)); second == nil {
				done <- result{connection, nil}
				return
			}
		}
		done <- result{connection, err}
	}()
	r := <-done
	return r.connection, r.err
}
