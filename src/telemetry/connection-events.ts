import type { ModuleLog } from '../model/log/module-log.ts'
import type { Metrics } from '../sinks/metrics/metrics.ts'
import type { ConnectionEvents } from '../streams/http/port/port-hooks.ts'

/** Connection events for the metrics, and for the log those that it cannot see itself. */
export const connectionEvents = (metrics: Metrics, log: ModuleLog): ConnectionEvents => ({
  opened: (labels) => {
    metrics.opened(labels)
  },
  closed: (labels, receivedBytes, sentBytes) => {
    metrics.closed(labels, receivedBytes, sentBytes)
  },
  tlsHandshake: (labels, seconds) => {
    metrics.tlsHandshake(labels, seconds)
    log.debug?.('a TLS handshake is complete', { bind: labels.bind, listener: labels.listener, seconds })
  },
  datagramDropped: (labels, reason) => {
    metrics.datagramDropped(labels, reason)
  },
  refused: (labels, status, code) => {
    metrics.refused(labels, status)
    log.debug?.('a request is rejected', { bind: labels.bind, status, code })
  },
})
