import type { Socket } from 'node:net'
import type { Keepalives } from '../../model/resources/policies.ts'

/** Configures the TCP keep-alive probes of a connected socket. */
export const setKeepalives = (socket: Socket, { enabled, timeMs, intervalMs, retries }: Keepalives): void => {
  socket.setKeepAlive(enabled, timeMs, intervalMs, retries)
}
