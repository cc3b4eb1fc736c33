package main

import (
	"context"
	"fmt"
	"log"
	"net/netip"
	"sort"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var loadBalancerAddresses = netip.MustParsePrefix("10.245.0.0/16")

// giveAddresses gives each Service of type LoadBalancer the address that it asks for, or else an unused one. A Service
// whose wish cannot be met has none.
func (s *services) giveAddresses(ctx context.Context, all []*corev1.Service) {
	used := map[string]*corev1.Service{}
	for _, service := range all {
		for _, ingress := range service.Status.LoadBalancer.Ingress {
			used[ingress.IP] = service
		}
	}
	// The older one keeps an address that two want.
	sort.SliceStable(all, func(i, j int) bool {
		return all[i].CreationTimestamp.Before(&all[j].CreationTimestamp)
	})
	for _, service := range all {
		if service.Spec.Type != corev1.ServiceTypeLoadBalancer {
			if len(service.Status.LoadBalancer.Ingress) > 0 {
				s.writeAddress(ctx, service, "")
			}
			continue
		}
		has := ""
		if len(service.Status.LoadBalancer.Ingress) > 0 {
			has = service.Status.LoadBalancer.Ingress[0].IP
		}
		wants := service.Spec.LoadBalancerIP
		if has != "" && (wants == "" || wants == has) {
			continue
		}
		address := s.choose(wants, service, used)
		if address != has {
			if address != "" {
				used[address] = service
			}
			s.writeAddress(ctx, service, address)
		}
	}
}

func (s *services) choose(wants string, service *corev1.Service, used map[string]*corev1.Service) string {
	if wants == "" {
		for address := loadBalancerAddresses.Addr().Next(); ; address = address.Next() {
			if used[address.String()] == nil && address.String() != s.node.reserved {
				return address.String()
			}
		}
	}
	address, err := netip.ParseAddr(wants)
	owner := used[wants]
	if err != nil || !loadBalancerAddresses.Contains(address) || wants == s.node.reserved || owner != nil && owner != service {
		if s.refused[service.UID] != wants {
			log.Printf("%s/%s: address %s is not available", service.Namespace, service.Name, wants)
			s.refused[service.UID] = wants
		}
		return ""
	}
	return wants
}

func (s *services) writeAddress(ctx context.Context, service *corev1.Service, address string) {
	ingress := "[]"
	if address != "" {
		ingress = fmt.Sprintf(`[{"ip":%q}]`, address)
	}
	patch := fmt.Sprintf(`{"status":{"loadBalancer":{"ingress":%s}}}`, ingress)
	_, err := s.node.client.CoreV1().Services(service.Namespace).Patch(ctx, service.Name,
		"application/merge-patch+json", []byte(patch), metav1.PatchOptions{}, "status")
	if err != nil && !apierrors.IsNotFound(err) {
		log.Printf("address of %s/%s: %v", service.Namespace, service.Name, err)
	}
}
