package suite

// The endpoint picker of the suite is a program of the same module.
import _ "sigs.k8s.io/gateway-api-inference-extension/cmd/epp/runner"
