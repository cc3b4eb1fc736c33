package main

import (
	"encoding/json"
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sendStatus writes the pod's status if it differs from the one written last, and says whether the server has it.
func (w *worker) sendStatus() bool {
	pod := w.latest().DeepCopy()
	status := w.status(pod)
	text, _ := json.Marshal(status)
	if string(text) == w.statusSent {
		return true
	}
	pod.Status = *status
	pods := w.pods.node.client.CoreV1().Pods(pod.Namespace)
	_, err := pods.UpdateStatus(w.ctx, pod, metav1.UpdateOptions{})
	if err == nil {
		w.statusSent = string(text)
		return true
	}
	if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) && w.ctx.Err() == nil {
		log.Printf("status of %s/%s: %v", pod.Namespace, pod.Name, err)
	}
	return apierrors.IsNotFound(err)
}

func (w *worker) status(pod *corev1.Pod) *corev1.PodStatus {
	status := pod.Status.DeepCopy()
	nodeIP := w.pods.node.nodeIP
	status.HostIP, status.HostIPs = nodeIP, []corev1.HostIP{{IP: nodeIP}}
	status.ObservedGeneration = pod.Generation
	if status.StartTime == nil {
		now := metav1.Now().Rfc3339Copy()
		status.StartTime = &now
	}
	sandbox := w.sandbox.Load()
	if sandbox != nil {
		status.PodIP, status.PodIPs = sandbox.ip, []corev1.PodIP{{IP: sandbox.ip}}
	}
	status.InitContainerStatuses, status.ContainerStatuses = nil, nil
	initialized, ready := true, true
	for _, c := range w.containers {
		one := c.status(w.problem)
		if c.isInit {
			status.InitContainerStatuses = append(status.InitContainerStatuses, one)
			initialized = initialized && c.hasSucceeded()
		} else {
			status.ContainerStatuses = append(status.ContainerStatuses, one)
			ready = ready && one.Ready
		}
	}
	status.Phase = phaseOf(pod, status.ContainerStatuses)
	ready = ready && status.Phase == corev1.PodRunning
	set := func(kind corev1.PodConditionType, holds bool) {
		setCondition(status, kind, holds, pod.Generation)
	}
	set(corev1.PodScheduled, true)
	set(corev1.PodReadyToStartContainers, sandbox != nil)
	set(corev1.PodInitialized, initialized)
	set(corev1.ContainersReady, ready)
	set(corev1.PodReady, ready)
	return status
}

func setCondition(status *corev1.PodStatus, kind corev1.PodConditionType, holds bool, generation int64) {
	value := corev1.ConditionFalse
	if holds {
		value = corev1.ConditionTrue
	}
	for i := range status.Conditions {
		condition := &status.Conditions[i]
		if condition.Type != kind {
			continue
		}
		condition.ObservedGeneration = generation
		if condition.Status != value {
			condition.Status, condition.LastTransitionTime = value, metav1.Now().Rfc3339Copy()
		}
		return
	}
	status.Conditions = append(status.Conditions, corev1.PodCondition{
		Type: kind, Status: value, LastTransitionTime: metav1.Now().Rfc3339Copy(), ObservedGeneration: generation,
	})
}

// phaseOf follows from the containers: a pod ends when none of them runs, and none is started again.
func phaseOf(pod *corev1.Pod, containers []corev1.ContainerStatus) corev1.PodPhase {
	waiting, running, failed := 0, 0, 0
	for i := range containers {
		switch state := containers[i].State; {
		case state.Running != nil || containers[i].RestartCount > 0 && state.Waiting != nil:
			running++
		case state.Waiting != nil:
			waiting++
		case state.Terminated.ExitCode != 0:
			failed++
		}
	}
	switch {
	case waiting > 0:
		return corev1.PodPending
	case running > 0 || pod.Spec.RestartPolicy == corev1.RestartPolicyAlways:
		return corev1.PodRunning
	case failed == 0:
		return corev1.PodSucceeded
	case pod.Spec.RestartPolicy == corev1.RestartPolicyNever:
		return corev1.PodFailed
	default:
		return corev1.PodRunning
	}
}

func (c *container) status(problem string) corev1.ContainerStatus {
	c.mu.Lock()
	run, last, restarts := c.run, c.last, c.restarts
	c.mu.Unlock()
	status := corev1.ContainerStatus{
		Name: c.spec.Name, Image: c.spec.Image, ImageID: c.spec.Image, RestartCount: restarts,
	}
	if last != nil {
		status.LastTerminationState = last.terminated()
	}
	switch {
	case run == nil:
		waiting := &corev1.ContainerStateWaiting{Reason: "ContainerCreating", Message: problem}
		if problem != "" {
			waiting.Reason = "CreateContainerError"
		}
		status.State.Waiting = waiting
	case !run.hasEnded():
		started := run.probes.started.Load()
		status.Started, status.Ready = &started, started && run.probes.ready.Load()
		status.ContainerID = fmt.Sprintf("process://%d", run.command.Process.Pid)
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(run.startAt).Rfc3339Copy()}
	case c.worker.latest().DeletionTimestamp == nil && c.shouldRestart():
		status.LastTerminationState = run.terminated()
		status.State.Waiting = &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: problem}
	default:
		status.State = run.terminated()
		status.Ready = c.isInit && run.exitCode == 0
	}
	return status
}

func (p *process) terminated() corev1.ContainerState {
	reason := "Completed"
	if p.exitCode != 0 {
		reason = "Error"
	}
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: int32(p.exitCode), Reason: reason,
		StartedAt: metav1.NewTime(p.startAt).Rfc3339Copy(), FinishedAt: metav1.NewTime(p.endAt).Rfc3339Copy(),
	}}
}
