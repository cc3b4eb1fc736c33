package main

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// worker runs one pod. Everything about the pod happens in its goroutine, except for probes and copying logs.
type worker struct {
	pods   *pods
	pod    atomic.Pointer[corev1.Pod]
	signal chan struct{}
	ctx    context.Context
	// abandon ends the pod at once: its object has gone.
	abandon context.CancelFunc

	sandbox    atomic.Pointer[sandbox]
	volumes    *volumes
	containers []*container
	problem    string
	statusSent string
}

const (
	retryAfter   = 500 * time.Millisecond
	refreshEvery = 10 * time.Second
)

func newWorker(p *pods, pod *corev1.Pod) *worker {
	w := &worker{pods: p, signal: make(chan struct{}, 1)}
	w.ctx, w.abandon = context.WithCancel(context.Background())
	w.pod.Store(pod)
	w.volumes = &volumes{worker: w, folder: filepath.Join(w.folder(), "volumes"), tokens: map[string]*token{}}
	for i := range pod.Spec.InitContainers {
		w.containers = append(w.containers, &container{worker: w, spec: &pod.Spec.InitContainers[i], isInit: true})
	}
	for i := range pod.Spec.Containers {
		w.containers = append(w.containers, &container{worker: w, spec: &pod.Spec.Containers[i]})
	}
	return w
}

func (w *worker) latest() *corev1.Pod { return w.pod.Load() }

func (w *worker) folder() string {
	return filepath.Join(w.pods.node.folder, "pods", string(w.latest().UID))
}

func (w *worker) update(pod *corev1.Pod) {
	w.pod.Store(pod)
	w.wake()
}

func (w *worker) wake() {
	select {
	case w.signal <- struct{}{}:
	default:
	}
}

func (w *worker) run() {
	defer w.end()
	timer := time.NewTimer(0)
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-w.signal:
		case <-timer.C:
		}
		if w.latest().DeletionTimestamp != nil {
			w.terminate()
			return
		}
		again := refreshEvery
		if err := w.advance(); err != nil {
			w.problem, again = err.Error(), retryAfter
		} else {
			w.problem = ""
		}
		for _, c := range w.containers {
			if wait, due := c.restartIn(); due {
				again = min(again, max(wait, time.Millisecond))
			}
		}
		if !w.sendStatus() {
			again = min(again, retryAfter)
		}
		timer.Reset(again)
	}
}

// advance brings the pod a step nearer to what is wanted.
func (w *worker) advance() error {
	if err := w.volumes.refresh(); err != nil {
		return err
	}
	if w.sandbox.Load() == nil {
		s, err := w.pods.node.openSandbox(w.latest(), w.pods.numbers)
		if err != nil {
			return err
		}
		w.sandbox.Store(s)
	}
	for _, c := range w.containers {
		if err := c.startIfDue(); err != nil {
			return err
		}
		if c.isInit && !c.hasSucceeded() {
			return nil
		}
	}
	return nil
}

// terminate ends the containers within the grace period, and then removes the object.
func (w *worker) terminate() {
	pod := w.latest()
	grace := int64(30)
	if pod.DeletionGracePeriodSeconds != nil {
		grace = *pod.DeletionGracePeriodSeconds
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, c := range w.containers {
			// All get the signal now; what is deferred waits for the end of each.
			defer c.stop(time.Duration(grace) * time.Second)()
		}
	}()
	select {
	case <-done:
	case <-w.ctx.Done():
		return
	}
	w.sendStatus()
	now := int64(0)
	err := w.pods.node.client.CoreV1().Pods(pod.Namespace).Delete(w.ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &pod.UID},
	})
	if err != nil && !apierrors.IsNotFound(err) && w.ctx.Err() == nil {
		log.Printf("delete %s/%s: %v", pod.Namespace, pod.Name, err)
	}
}

func (w *worker) end() {
	w.abandon()
	for _, c := range w.containers {
		c.kill()
	}
	if s := w.sandbox.Load(); s != nil {
		s.close(w.pods.numbers)
	}
	_ = os.RemoveAll(w.folder())
	w.pods.forget(w.latest().UID)
}
