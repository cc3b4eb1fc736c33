package main

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// environment keeps the order in which variables were set: later ones may refer to earlier ones.
type environment struct {
	names  []string
	values map[string]string
}

func (e *environment) set(name, value string) {
	if _, found := e.values[name]; !found {
		e.names = append(e.names, name)
	}
	e.values[name] = value
}

func (e *environment) list() []string {
	var list []string
	for _, name := range e.names {
		list = append(list, name+"="+e.values[name])
	}
	return list
}

// expand replaces $(NAME) where NAME is known.
func (e *environment) expand(text string) string {
	for name, value := range e.values {
		text = strings.ReplaceAll(text, "$("+name+")", value)
	}
	return text
}

func (e *environment) expandAll(texts []string) []string {
	var expanded []string
	for _, text := range texts {
		expanded = append(expanded, e.expand(text))
	}
	return expanded
}

func (c *container) environment(image *image) (*environment, error) {
	pod := c.worker.latest()
	e := &environment{values: map[string]string{}}
	e.set("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	e.set("HOSTNAME", pod.Name)
	for name, value := range image.Env {
		e.set(name, value)
	}
	if kubernetes, err := c.worker.pods.store.services.Services("default").Get("kubernetes"); err == nil {
		e.set("KUBERNETES_SERVICE_HOST", kubernetes.Spec.ClusterIP)
		e.set("KUBERNETES_SERVICE_PORT", "443")
		e.set("KUBERNETES_SERVICE_PORT_HTTPS", "443")
	}
	for _, from := range c.spec.EnvFrom {
		if err := c.setAll(e, from); err != nil {
			return nil, err
		}
	}
	for _, variable := range c.spec.Env {
		if variable.ValueFrom == nil {
			e.set(variable.Name, e.expand(variable.Value))
			continue
		}
		value, found, err := c.valueFrom(variable.ValueFrom)
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", variable.Name, err)
		}
		if found {
			e.set(variable.Name, value)
		}
	}
	return e, nil
}

func (c *container) setAll(e *environment, from corev1.EnvFromSource) error {
	var values map[string][]byte
	var err error
	volumes := c.worker.volumes
	switch {
	case from.ConfigMapRef != nil:
		values, err = volumes.configMap(from.ConfigMapRef.Name, from.ConfigMapRef.Optional)
	case from.SecretRef != nil:
		values, err = volumes.secret(from.SecretRef.Name, from.SecretRef.Optional)
	}
	for name, value := range values {
		e.set(from.Prefix+name, string(value))
	}
	return err
}

func (c *container) valueFrom(from *corev1.EnvVarSource) (value string, found bool, err error) {
	volumes := c.worker.volumes
	keyOf := func(values map[string][]byte, key string, optional *bool, err error) (string, bool, error) {
		value, found := values[key]
		if err == nil && !found && !isTrue(optional) {
			err = fmt.Errorf("no key %s", key)
		}
		return string(value), found, err
	}
	switch {
	case from.FieldRef != nil:
		value, err = c.worker.field(from.FieldRef.FieldPath)
		return value, true, err
	case from.ResourceFieldRef != nil:
		value, err = resourceField(from.ResourceFieldRef, c.spec)
		return value, true, err
	case from.SecretKeyRef != nil:
		values, err := volumes.secret(from.SecretKeyRef.Name, from.SecretKeyRef.Optional)
		return keyOf(values, from.SecretKeyRef.Key, from.SecretKeyRef.Optional, err)
	case from.ConfigMapKeyRef != nil:
		values, err := volumes.configMap(from.ConfigMapKeyRef.Name, from.ConfigMapKeyRef.Optional)
		return keyOf(values, from.ConfigMapKeyRef.Key, from.ConfigMapKeyRef.Optional, err)
	}
	return "", false, fmt.Errorf("unknown source")
}

// field of the pod, as the downward API names it.
func (w *worker) field(path string) (string, error) {
	pod := w.latest()
	ip := ""
	if s := w.sandbox.Load(); s != nil {
		ip = s.ip
	}
	plain := map[string]string{
		"metadata.name":           pod.Name,
		"metadata.namespace":      pod.Namespace,
		"metadata.uid":            string(pod.UID),
		"spec.nodeName":           pod.Spec.NodeName,
		"spec.serviceAccountName": pod.Spec.ServiceAccountName,
		"status.podIP":            ip,
		"status.podIPs":           ip,
		"status.hostIP":           w.pods.node.nodeIP,
		"status.hostIPs":          w.pods.node.nodeIP,
		"metadata.labels":         lines(pod.Labels),
		"metadata.annotations":    lines(pod.Annotations),
	}
	if value, found := plain[path]; found {
		return value, nil
	}
	for prefix, values := range map[string]map[string]string{
		"metadata.labels['": pod.Labels, "metadata.annotations['": pod.Annotations,
	} {
		if key, found := strings.CutPrefix(path, prefix); found {
			return values[strings.TrimSuffix(key, "']")], nil
		}
	}
	return "", fmt.Errorf("unknown field %s", path)
}

// resourceField gives a limit or request in units of the divisor, rounded up.
func resourceField(selector *corev1.ResourceFieldSelector, spec *corev1.Container) (string, error) {
	kind, name, _ := strings.Cut(selector.Resource, ".")
	list := spec.Resources.Requests
	if kind == "limits" {
		list = spec.Resources.Limits
	}
	value, found := list[corev1.ResourceName(name)]
	if !found && kind == "limits" {
		value, found = capacity[corev1.ResourceName(name)]
	}
	if !found {
		return "0", nil
	}
	divisor := selector.Divisor
	if divisor.IsZero() {
		divisor = resource.MustParse("1")
	}
	return fmt.Sprint((value.MilliValue() + divisor.MilliValue() - 1) / divisor.MilliValue()), nil
}
