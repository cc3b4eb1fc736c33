package main

import (
	"context"
	"log"
	"os/exec"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// services stands in for kube-proxy, and for what gives load balancers their addresses.
type services struct {
	node  *node
	store *store
	wakes chan struct{}
	rules string
	// refused has the addresses that Services want and cannot have, so that each is logged once.
	refused map[types.UID]string
}

func (s *services) watch() {
	s.wakes = make(chan struct{}, 1)
	wake := func(any) {
		select {
		case s.wakes <- struct{}{}:
		default:
		}
	}
	onChange(s.store.factory.Core().V1().Services().Informer(), wake)
	onChange(s.store.factory.Discovery().V1().EndpointSlices().Informer(), wake)
}

// settle is how long changes are collected: many come together, and each costs a run of nft.
const settle = 20 * time.Millisecond

func (s *services) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wakes:
		}
		time.Sleep(settle)
		all, _ := s.store.services.List(labels.Everything())
		s.giveAddresses(ctx, all)
		s.program(all)
	}
}

// program replaces all rules in one transaction. Connections that exist stay where they are.
func (s *services) program(all []*corev1.Service) {
	rules := s.ruleset(all)
	if rules == s.rules {
		return
	}
	nft := exec.Command("nft", "-f", "-")
	nft.Stdin = strings.NewReader(rules)
	if out, err := nft.CombinedOutput(); err != nil {
		log.Printf("nft: %v: %s", err, out)
		return
	}
	s.rules = rules
}
