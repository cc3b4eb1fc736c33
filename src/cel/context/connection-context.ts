import type { Connection } from '../../model/exchange/connection.ts'
import { sourceAttributesOf } from './connection-attributes.ts'
import type { CelContext, DestinationAttributes, SourceAttributes } from './context.ts'

/** The variables that rules about connections may read. */
export const connectionVariables = ['source', 'destination'] as const

/** A new connection as expressions see it, before any request. */
export class ConnectionContext implements CelContext {
  readonly #connection: Connection
  readonly #serverName: string | undefined

  /** @param serverName The SNI of the TLS handshake, whether the gateway or the upstream terminates it. */
  constructor(connection: Connection, serverName: string | undefined) {
    this.#connection = connection
    this.#serverName = serverName
  }

  get source(): SourceAttributes {
    return sourceAttributesOf(this.#connection)
  }

  get destination(): DestinationAttributes {
    const { destinationAddress, destinationPort } = this.#connection
    return { address: destinationAddress, port: destinationPort, hostname: this.#serverName }
  }
}
