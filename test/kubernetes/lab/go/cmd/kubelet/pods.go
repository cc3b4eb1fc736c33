package main

import (
	"context"
	"log"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// pods starts a worker for each pod of the node.
type pods struct {
	node    *node
	store   *store
	numbers *addresses

	mu      sync.Mutex
	workers map[types.UID]*worker
}

func newPods(n *node, s *store) *pods {
	return &pods{node: n, store: s, numbers: &addresses{used: map[int]bool{}}, workers: map[types.UID]*worker{}}
}

func (p *pods) watch() {
	core := p.store.factory.Core().V1()
	_, _ = core.Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { p.changed(object.(*corev1.Pod)) },
		UpdateFunc: func(_, now any) { p.changed(now.(*corev1.Pod)) },
		DeleteFunc: func(object any) {
			if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = gone.Obj
			}
			p.deleted(object.(*corev1.Pod))
		},
	})
	// Volumes follow their sources.
	for _, informer := range []cache.SharedIndexInformer{core.ConfigMaps().Informer(), core.Secrets().Informer()} {
		onChange(informer, func(object any) {
			if source, ok := object.(metav1.Object); ok {
				p.sourceChanged(source.GetNamespace())
			}
		})
	}
}

func (p *pods) changed(pod *corev1.Pod) {
	if pod.Spec.NodeName == "" {
		go p.schedule(pod)
		return
	}
	if pod.Spec.NodeName != p.node.nodeName {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.workers[pod.UID]
	if w == nil {
		w = newWorker(p, pod)
		p.workers[pod.UID] = w
		go w.run()
	}
	w.update(pod)
}

// schedule stands in for the scheduler: there is one node.
func (p *pods) schedule(pod *corev1.Pod) {
	err := p.node.client.CoreV1().Pods(pod.Namespace).Bind(context.Background(), &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: p.node.nodeName},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		log.Printf("schedule %s/%s: %v", pod.Namespace, pod.Name, err)
	}
}

func (p *pods) deleted(pod *corev1.Pod) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.workers[pod.UID]; w != nil {
		w.abandon()
	}
}

func (p *pods) sourceChanged(namespace string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.workers {
		if w.latest().Namespace == namespace {
			w.wake()
		}
	}
}

func (p *pods) forget(uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.workers, uid)
}

// find gives the worker of a pod that has this name now.
func (p *pods) find(namespace, name string) *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.workers {
		if pod := w.latest(); pod.Namespace == namespace && pod.Name == name {
			return w
		}
	}
	return nil
}

func (p *pods) killAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.workers {
		w.abandon()
	}
}
