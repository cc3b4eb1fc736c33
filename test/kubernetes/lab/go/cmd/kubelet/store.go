package main

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
	"k8s.io/client-go/tools/cache"
)

// store has what is watched.
type store struct {
	factory    informers.SharedInformerFactory
	pods       corelisters.PodLister
	services   corelisters.ServiceLister
	secrets    corelisters.SecretLister
	configMaps corelisters.ConfigMapLister
	slices     discoverylisters.EndpointSliceLister
}

func newStore(factory informers.SharedInformerFactory) *store {
	core := factory.Core().V1()
	return &store{
		factory:    factory,
		pods:       core.Pods().Lister(),
		services:   core.Services().Lister(),
		secrets:    core.Secrets().Lister(),
		configMaps: core.ConfigMaps().Lister(),
		slices:     factory.Discovery().V1().EndpointSlices().Lister(),
	}
}

// onChange calls a function for each change of an informer's objects.
func onChange(informer cache.SharedIndexInformer, changed func(object any)) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    changed,
		UpdateFunc: func(_, now any) { changed(now) },
		DeleteFunc: changed,
	})
}

// endpoint of a port of a Service.
type endpoint struct {
	address  string
	hostname string
	port     int32
}

// endpoints of one port of a Service, by the port's name: the ready ones, or those that still serve while they end.
func (s *store) endpoints(service *corev1.Service, portName string) []endpoint {
	selector := labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: service.Name})
	slices, _ := s.slices.EndpointSlices(service.Namespace).List(selector)
	var ready, ending []endpoint
	for _, slice := range slices {
		port, found := portOf(slice, portName)
		if !found || slice.AddressType != discoveryv1.AddressTypeIPv4 {
			continue
		}
		for _, e := range slice.Endpoints {
			found := endpoint{address: e.Addresses[0], port: port}
			if e.Hostname != nil {
				found.hostname = *e.Hostname
			}
			switch {
			case e.Conditions.Ready == nil || *e.Conditions.Ready:
				ready = append(ready, found)
			case isTrue(e.Conditions.Serving) && isTrue(e.Conditions.Terminating):
				ending = append(ending, found)
			}
		}
	}
	if len(ready) > 0 {
		return ready
	}
	return ending
}

func portOf(slice *discoveryv1.EndpointSlice, name string) (int32, bool) {
	for _, p := range slice.Ports {
		if p.Port != nil && (p.Name == nil && name == "" || p.Name != nil && *p.Name == name) {
			return *p.Port, true
		}
	}
	// A headless Service may have no ports at all.
	return 0, len(slice.Ports) == 0
}

func isTrue(value *bool) bool { return value != nil && *value }
