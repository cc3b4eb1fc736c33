package main

import (
	"context"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

type node struct {
	settings
	client kubernetes.Interface
}

var capacity = corev1.ResourceList{
	corev1.ResourceCPU:    resource.MustParse("16"),
	corev1.ResourceMemory: resource.MustParse("64Gi"),
	corev1.ResourcePods:   resource.MustParse("500"),
}

// register creates the Node, or makes what is there ready.
func (n *node) register(ctx context.Context) error {
	nodes := n.client.CoreV1().Nodes()
	object, err := nodes.Get(ctx, n.nodeName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		object, err = nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: n.nodeName,
			Labels: map[string]string{
				corev1.LabelHostname:       n.nodeName,
				corev1.LabelOSStable:       "linux",
				corev1.LabelTopologyZone:   "lab-a",
				corev1.LabelTopologyRegion: "lab",
			},
		}}, metav1.CreateOptions{})
	}
	if err != nil {
		return err
	}
	object.Status = n.status()
	if object, err = nodes.UpdateStatus(ctx, object, metav1.UpdateOptions{}); err != nil {
		return err
	}
	// Admission taints a node that is not ready when it is created, and here nobody takes that back.
	if len(object.Spec.Taints) > 0 {
		object.Spec.Taints = nil
		_, err = nodes.Update(ctx, object, metav1.UpdateOptions{})
	}
	return err
}

func (n *node) status() corev1.NodeStatus {
	now := metav1.Now()
	status := corev1.NodeStatus{
		Capacity:    capacity,
		Allocatable: capacity,
		Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: n.nodeIP},
			{Type: corev1.NodeHostName, Address: n.nodeName},
		},
		NodeInfo: corev1.NodeSystemInfo{
			KubeletVersion:          "v1.36.3-lab",
			OperatingSystem:         "linux",
			ContainerRuntimeVersion: "process://1",
		},
		Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Lab",
			LastHeartbeatTime: now, LastTransitionTime: now,
		}},
	}
	status.DaemonEndpoints.KubeletEndpoint.Port = int32(n.port)
	return status
}

// refresh keeps the heartbeat of the Node young.
func (n *node) refresh(ctx context.Context) {
	ticker := time.NewTicker(20 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := n.register(ctx); err != nil {
				log.Printf("node: %v", err)
			}
		}
	}
}
