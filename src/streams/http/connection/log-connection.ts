import { connectionNumber } from '../../../model/exchange/connection-number.ts'
import type { ModuleLog } from '../../../model/log/module-log.ts'
import type { ClientConnection } from './client-connection.ts'
import type { ConnectionLabels } from '../port/port-hooks.ts'

/** Logs, at `debug`, that the protocol of a connection is known. */
export const logOpened = (
  log: ModuleLog | undefined,
  connection: ClientConnection,
  { bind, listener, protocol }: ConnectionLabels,
): void => {
  log?.debug?.('a connection opened', {
    connection: connectionNumber(connection),
    bind,
    listener,
    protocol,
    source: `${connection.sourceAddress} ${connection.sourcePort}`,
  })
}

/** Logs that a connection closed. Without labels, its protocol was never known. */
export const logClosed = (
  log: ModuleLog | undefined,
  connection: ClientConnection,
  { bytesRead, bytesWritten }: { readonly bytesRead: number; readonly bytesWritten: number },
): void => {
  log?.debug?.('a connection closed', {
    connection: connectionNumber(connection),
    protocol: connection.labels?.protocol,
    receivedBytes: bytesRead,
    sentBytes: bytesWritten,
    because: connection.cutBecause,
  })
}

/** Logs that a connection is closed before it serves anything, and why. */
export const logRefused = (log: ModuleLog | undefined, connection: ClientConnection, why: string): void => {
  log?.debug?.('a connection is refused', {
    connection: connectionNumber(connection),
    source: `${connection.sourceAddress} ${connection.sourcePort}`,
    why,
  })
}
