package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os/exec"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

const (
	idleTimeout   = 4 * time.Hour
	streamTimeout = 30 * time.Second
)

// serveAPI is what the API server calls: logs, port-forward and exec.
func serveAPI(n *node, p *pods) error {
	certificate, err := selfSigned(n.nodeName)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/containerLogs/{namespace}/{pod}/{container}", p.withContainer(serveLogs))
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", p.withContainer(serveExec))
	mux.HandleFunc("/portForward/{namespace}/{pod}", p.servePortForward)
	mux.HandleFunc("/portForward/{namespace}/{pod}/{uid}", p.servePortForward)
	server := &http.Server{
		Addr: fmt.Sprintf("%s:%d", n.nodeIP, n.port), Handler: mux, ReadHeaderTimeout: 5 * time.Second,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
		// Streams are upgrades of HTTP/1.1.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	return server.ListenAndServeTLS("", "")
}

func selfSigned(name string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

func (p *pods) withContainer(serve func(http.ResponseWriter, *http.Request, *container)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if worker := p.find(r.PathValue("namespace"), r.PathValue("pod")); worker != nil {
			for _, c := range worker.containers {
				if c.spec.Name == r.PathValue("container") {
					serve(w, r, c)
					return
				}
			}
		}
		http.Error(w, "no such container", http.StatusNotFound)
	}
}

func (p *pods) servePortForward(w http.ResponseWriter, r *http.Request) {
	worker := p.find(r.PathValue("namespace"), r.PathValue("pod"))
	if worker == nil || worker.sandbox.Load() == nil {
		http.Error(w, "no such pod", http.StatusNotFound)
		return
	}
	options, err := portforward.NewV4Options(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	uid := string(worker.latest().UID)
	portforward.ServePortForward(w, r, forwarder{worker.sandbox.Load()}, worker.latest().Name, uid, options,
		idleTimeout, streamTimeout, portforward.SupportedProtocols)
}

type forwarder struct{ sandbox *sandbox }

// PortForward connects a stream with a port on the pod's loopback.
func (f forwarder) PortForward(_ context.Context, _, _ string, port int32, stream io.ReadWriteCloser) error {
	connection, err := f.sandbox.dial(port)
	if err != nil {
		return err
	}
	defer connection.Close()
	go func() {
		_, _ = io.Copy(connection, stream)
		if half, ok := connection.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	}()
	_, err = io.Copy(stream, connection)
	return err
}

func serveExec(w http.ResponseWriter, r *http.Request, c *container) {
	options, err := remotecommand.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	pod := c.worker.latest()
	remotecommand.ServeExec(w, r, executor{c}, pod.Name, string(pod.UID), c.spec.Name, r.URL.Query()["command"],
		options, idleTimeout, streamTimeout, remotecommand.SupportedStreamingProtocols)
}

type executor struct{ container *container }

// ExecInContainer runs a command beside the container's program. There are no terminals.
func (e executor) ExecInContainer(_ context.Context, _, _, _ string, argv []string, in io.Reader, out, errs io.WriteCloser,
	_ bool, _ <-chan remotecommand.TerminalSize, _ time.Duration) error {
	run := e.container.current()
	if run == nil || run.hasEnded() {
		return fmt.Errorf("the container does not run")
	}
	command := e.container.inside(run, argv)
	command.Stdin, command.Stdout, command.Stderr = in, out, errs
	// An input that stays open must not keep a command that has ended.
	command.WaitDelay = time.Second
	err := command.Run()
	if exit, ok := err.(*exec.ExitError); ok {
		return utilexec.ExitErrorWrapper{ExitError: exit}
	}
	return err
}
