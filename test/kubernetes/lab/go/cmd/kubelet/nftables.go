package main

import (
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// A connection of a pod to itself by a Service comes back only if its source is another.
const hairpinMark = "0x4000"

const chains = `table ip services {}
delete table ip services
table ip services {
	chain prerouting {
		type nat hook prerouting priority dstnat
		jump find
	}
	chain output {
		type nat hook output priority -100
		jump find
	}
	chain postrouting {
		type nat hook postrouting priority srcnat
		meta mark ` + hairpinMark + ` masquerade
	}
	chain forward {
		type filter hook forward priority filter
		ip daddr { 10.96.0.0/16, 10.245.0.0/16 } goto refuse
	}
	chain output-filter {
		type filter hook output priority filter
		ip daddr { 10.96.0.0/16, 10.245.0.0/16 } goto refuse
	}
	chain refuse {
		meta l4proto tcp reject with tcp reset
		reject
	}
`

// ruleset translates the addresses of Services to those of their endpoints. What still has the address of a Service
// when it is filtered has no endpoint, and is refused.
func (s *services) ruleset(all []*corev1.Service) string {
	sort.Slice(all, func(i, j int) bool { return all[i].UID < all[j].UID })
	var endpoints, targets strings.Builder
	var elements []string
	count := 0
	for _, service := range all {
		for _, port := range service.Spec.Ports {
			found := s.store.endpoints(service, port.Name)
			addresses := addressesOf(service)
			if len(found) == 0 || len(addresses) == 0 || port.Protocol == corev1.ProtocolSCTP {
				continue
			}
			count++
			name := fmt.Sprintf("service-%d", count)
			protocol := strings.ToLower(string(port.Protocol))
			for _, address := range addresses {
				elements = append(elements, fmt.Sprintf("%s . %s . %d : goto %s", address, protocol, port.Port, name))
			}
			fmt.Fprintf(&targets, "\tchain %s {\n\t\t%s\n\t}\n", name, choice(service, name, len(found)))
			for i, e := range found {
				fmt.Fprintf(&endpoints, "\tchain %s-%d {\n", name, i)
				fmt.Fprintf(&endpoints, "\t\tip saddr %s meta mark set %s\n", e.address, hairpinMark)
				fmt.Fprintf(&endpoints, "\t\tmeta l4proto %s dnat to %s:%d\n\t}\n", protocol, e.address, e.port)
			}
		}
	}
	find := "\tchain find {\n\t}\n"
	if len(elements) > 0 {
		find = fmt.Sprintf("\tchain find {\n\t\tip daddr . meta l4proto . th dport vmap { %s }\n\t}\n",
			strings.Join(elements, ", "))
	}
	return chains + endpoints.String() + targets.String() + find + "}\n"
}

// choice of an endpoint: by chance, or always the same for a client if the Service wants that.
func choice(service *corev1.Service, name string, count int) string {
	if count == 1 {
		return "goto " + name + "-0"
	}
	var verdicts []string
	for i := range count {
		verdicts = append(verdicts, fmt.Sprintf("%d : goto %s-%d", i, name, i))
	}
	number := "numgen random"
	if service.Spec.SessionAffinity == corev1.ServiceAffinityClientIP {
		number = "jhash ip saddr"
	}
	return fmt.Sprintf("%s mod %d vmap { %s }", number, count, strings.Join(verdicts, ", "))
}

// addressesOf a Service that the node translates.
func addressesOf(service *corev1.Service) []string {
	var addresses []string
	if ip := service.Spec.ClusterIP; ip != "" && ip != corev1.ClusterIPNone {
		addresses = append(addresses, ip)
	}
	for _, ingress := range service.Status.LoadBalancer.Ingress {
		addresses = append(addresses, ingress.IP)
	}
	return addresses
}
