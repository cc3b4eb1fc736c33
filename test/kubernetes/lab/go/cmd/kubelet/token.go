package main

import (
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// token of a service account, bound to the pod.
type token struct {
	text    string
	renewAt time.Time
}

// token gives a valid token for a projection, a new one when four fifths of its time are over.
func (v *volumes) token(volume string, projection *corev1.ServiceAccountTokenProjection) (string, error) {
	key := volume + "/" + projection.Path
	if known := v.tokens[key]; known != nil && time.Now().Before(known.renewAt) {
		return known.text, nil
	}
	pod := v.worker.latest()
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: projection.ExpirationSeconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID},
	}}
	if projection.Audience != "" {
		request.Spec.Audiences = []string{projection.Audience}
	}
	account := pod.Spec.ServiceAccountName
	if account == "" {
		account = "default"
	}
	accounts := v.worker.pods.node.client.CoreV1().ServiceAccounts(pod.Namespace)
	made, err := accounts.CreateToken(v.worker.ctx, account, request, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	lifetime := time.Until(made.Status.ExpirationTimestamp.Time)
	v.tokens[key] = &token{text: made.Status.Token, renewAt: time.Now().Add(lifetime * 4 / 5)}
	return made.Status.Token, nil
}
