import { connectForm } from '../../streams/http/frontend/kubernetes/connect.ts'
import {
  frontendTcpForm,
  frontendTlsForm,
  networkAuthorizationForm,
  proxyProtocolForm,
} from '../../streams/http/frontend/kubernetes/connection.ts'
import { frontendHttpForm } from '../../streams/http/frontend/kubernetes/http.ts'
import {
  accessLogForm,
  frontendMetricsForm,
  tracingForm,
} from '../../streams/http/frontend/kubernetes/telemetry.ts'
import { frontendUdpForm } from '../../streams/http/frontend/kubernetes/udp.ts'

/** The fields of `frontend` of a ProxyPolicy. */
export const frontendForms = {
  tcp: frontendTcpForm,
  udp: frontendUdpForm,
  networkAuthorization: networkAuthorizationForm,
  tls: frontendTlsForm,
  http: frontendHttpForm,
  proxyProtocol: proxyProtocolForm,
  connect: connectForm,
  accessLog: accessLogForm,
  tracing: tracingForm,
  metrics: frontendMetricsForm,
} as const
