package main

import (
	"net"
	"strings"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
)

const (
	clusterDomain = "cluster.local"
	recordSeconds = 5
)

// serveNames is the DNS of the cluster: names of Services, by UDP and TCP.
func serveNames(address string, s *store) error {
	handler := dns.HandlerFunc(func(w dns.ResponseWriter, request *dns.Msg) {
		reply := new(dns.Msg)
		reply.SetReply(request)
		reply.Authoritative = true
		if len(request.Question) == 1 {
			answer(s, reply, request.Question[0])
		}
		_ = w.WriteMsg(reply)
	})
	errs := make(chan error, 2)
	for _, network := range []string{"udp", "tcp"} {
		server := &dns.Server{Addr: address, Net: network, Handler: handler}
		go func() { errs <- server.ListenAndServe() }()
	}
	return <-errs
}

func answer(s *store, reply *dns.Msg, question dns.Question) {
	name := strings.ToLower(strings.TrimSuffix(question.Name, "."))
	rest, found := strings.CutSuffix(name, ".svc."+clusterDomain)
	labels := strings.Split(rest, ".")
	if !found || len(labels) < 2 {
		reply.Rcode = dns.RcodeNameError
		return
	}
	service, err := s.services.Services(labels[len(labels)-1]).Get(labels[len(labels)-2])
	if err != nil {
		reply.Rcode = dns.RcodeNameError
		return
	}
	header := dns.RR_Header{Name: question.Name, Class: dns.ClassINET, Ttl: recordSeconds}
	if service.Spec.Type == corev1.ServiceTypeExternalName {
		header.Rrtype = dns.TypeCNAME
		reply.Answer = append(reply.Answer, &dns.CNAME{Hdr: header, Target: dns.Fqdn(service.Spec.ExternalName)})
		return
	}
	addresses := s.addressesFor(service, labels[:len(labels)-2])
	if len(addresses) == 0 {
		reply.Rcode = dns.RcodeNameError
		return
	}
	if question.Qtype != dns.TypeA {
		return
	}
	header.Rrtype = dns.TypeA
	for _, address := range addresses {
		reply.Answer = append(reply.Answer, &dns.A{Hdr: header, A: net.ParseIP(address)})
	}
}

// addressesFor the name of a Service, or of one endpoint of a headless one.
func (s *store) addressesFor(service *corev1.Service, host []string) []string {
	if service.Spec.ClusterIP != corev1.ClusterIPNone {
		if len(host) > 0 {
			return nil
		}
		return []string{service.Spec.ClusterIP}
	}
	portName := ""
	if len(service.Spec.Ports) > 0 {
		portName = service.Spec.Ports[0].Name
	}
	var addresses []string
	for _, e := range s.endpoints(service, portName) {
		if len(host) == 0 || len(host) == 1 && e.hostname == host[0] {
			addresses = append(addresses, e.address)
		}
	}
	return addresses
}

// serveAnyName is for a backend of tests of UDP: every name has an address.
func serveAnyName() {
	handler := dns.HandlerFunc(func(w dns.ResponseWriter, request *dns.Msg) {
		reply := new(dns.Msg)
		reply.SetReply(request)
		for _, question := range request.Question {
			header := dns.RR_Header{Name: question.Name, Class: dns.ClassINET, Rrtype: dns.TypeA, Ttl: recordSeconds}
			reply.Answer = append(reply.Answer, &dns.A{Hdr: header, A: net.IPv4(10, 0, 0, 1)})
		}
		_ = w.WriteMsg(reply)
	})
	fail((&dns.Server{Addr: ":53", Net: "udp", Handler: handler}).ListenAndServe())
}
