import { dial } from '../connect/dial.ts'
import { connectFault } from '../faults.ts'
import { checkFailure, type HealthProbe } from './health-probe.ts'

/**
 * Healthy is a connection that can be opened, with its TLS handshake where the endpoint has one. It is closed again.
 */
export const probeTcp: HealthProbe = ({ address, options }, timeoutMs, onResult) =>
  dial(address, { ...options, connectTimeoutMs: timeoutMs }, [], (error, socket) => {
    socket?.destroy()
    onResult(error ? checkFailure(connectFault(error)) : undefined)
  })
