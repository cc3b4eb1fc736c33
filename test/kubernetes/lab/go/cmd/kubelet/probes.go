package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// probes of one life of a container.
type probes struct {
	container *container
	process   *process
	started   atomic.Bool
	ready     atomic.Bool
	ctx       context.Context
	stop      context.CancelFunc
}

func startProbes(c *container, run *process) *probes {
	p := &probes{container: c, process: run}
	p.ctx, p.stop = context.WithCancel(c.worker.ctx)
	go func() {
		if !p.follow(c.spec.StartupProbe, func(ok bool) bool { return ok }, "startup") {
			return
		}
		p.started.Store(true)
		if c.spec.ReadinessProbe == nil {
			p.ready.Store(true)
		}
		c.worker.wake()
		go p.follow(c.spec.LivenessProbe, func(bool) bool { return false }, "liveness")
		if c.spec.ReadinessProbe != nil {
			p.follow(c.spec.ReadinessProbe, p.setReady, "readiness")
		}
	}()
	return p
}

func (p *probes) setReady(ok bool) bool {
	if p.ready.Swap(ok) != ok {
		p.container.worker.wake()
	}
	return false
}

// follow runs a probe in its period. `onOutcome` is called for each outcome that passed its threshold, and ends it by
// true. Failures of all but readiness probes end the container. No probe is a probe that succeeded.
func (p *probes) follow(probe *corev1.Probe, onOutcome func(ok bool) bool, kind string) bool {
	if probe == nil {
		return onOutcome(true)
	}
	period := time.Duration(max(probe.PeriodSeconds, 1)) * time.Second
	next := time.Duration(probe.InitialDelaySeconds) * time.Second
	if next == 0 {
		// The first one of a program that has just been started fails, and then a period is lost.
		next = 100 * time.Millisecond
	}
	succeeded, failed := int32(0), int32(0)
	for {
		select {
		case <-p.ctx.Done():
			return false
		case <-time.After(next):
		}
		next = period
		err := p.try(probe)
		if p.ctx.Err() != nil {
			return false
		}
		if err == nil {
			succeeded, failed = succeeded+1, 0
			if succeeded >= max(probe.SuccessThreshold, 1) && onOutcome(true) {
				return true
			}
			continue
		}
		succeeded, failed = 0, failed+1
		if failed < max(probe.FailureThreshold, 1) {
			if kind == "startup" || !p.ready.Load() {
				next = min(period, time.Second)
			}
			continue
		}
		onOutcome(false)
		if kind != "readiness" {
			log.Printf("%s of %s failed: %v", kind, p.container.logName(), err)
			p.container.stop(p.grace(probe))()
			return false
		}
	}
}

func (p *probes) grace(probe *corev1.Probe) time.Duration {
	pod := p.container.worker.latest()
	seconds := or(pod.Spec.TerminationGracePeriodSeconds, 30)
	return time.Duration(or(probe.TerminationGracePeriodSeconds, seconds)) * time.Second
}

func (p *probes) try(probe *corev1.Probe) error {
	timeout := time.Duration(max(probe.TimeoutSeconds, 1)) * time.Second
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	switch {
	case probe.HTTPGet != nil:
		return p.get(ctx, probe.HTTPGet)
	case probe.TCPSocket != nil:
		return p.connect(ctx, probe.TCPSocket.Host, probe.TCPSocket.Port)
	case probe.GRPC != nil:
		return p.connect(ctx, "", intstr.FromInt32(probe.GRPC.Port))
	case probe.Exec != nil:
		command := p.container.inside(p.process, probe.Exec.Command)
		if err := command.Start(); err != nil {
			return err
		}
		timer := time.AfterFunc(timeout, func() { _ = command.Process.Kill() })
		defer timer.Stop()
		return command.Wait()
	}
	return nil
}

// address of a port, which may be a name.
func (p *probes) address(host string, port intstr.IntOrString) string {
	if host == "" {
		host = p.container.worker.sandbox.Load().ip
	}
	number := port.IntValue()
	for _, named := range p.container.spec.Ports {
		if port.Type == intstr.String && named.Name == port.StrVal {
			number = int(named.ContainerPort)
		}
	}
	return net.JoinHostPort(host, fmt.Sprint(number))
}

func (p *probes) connect(ctx context.Context, host string, port intstr.IntOrString) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.address(host, port))
	if err != nil {
		return err
	}
	return connection.Close()
}

var probeClient = &http.Client{Transport: &http.Transport{
	DisableKeepAlives: true,
	TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
}}

func (p *probes) get(ctx context.Context, action *corev1.HTTPGetAction) error {
	scheme := "http"
	if action.Scheme == corev1.URISchemeHTTPS {
		scheme = "https"
	}
	url := scheme + "://" + p.address(action.Host, action.Port) + "/" + trimSlash(action.Path)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "kube-probe/lab")
	for _, header := range action.HTTPHeaders {
		request.Header.Add(header.Name, header.Value)
		if header.Name == "Host" {
			request.Host = header.Value
		}
	}
	response, err := probeClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode >= 400 {
		return fmt.Errorf("status %d of %s", response.StatusCode, url)
	}
	return nil
}

func trimSlash(path string) string {
	if len(path) > 0 && path[0] == '/' {
		return path[1:]
	}
	return path
}
