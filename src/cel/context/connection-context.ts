import type { Connection } from '../model/connection.ts'
import { sourceOf } from './connection-facts.ts'
import type { CelContext, DestinationFacts, SourceFacts } from './context.ts'

/** The variables that rules about connections may read. */
export const connectionVariables = ['source', 'destination'] as const

/** A connection as expressions see it when it has just come, and nothing was said over it. */
export class ConnectionContext implements CelContext {
  readonly #connection: Connection
  readonly #serverName: string | undefined

  /** @param serverName The name asked for in a TLS handshake, whoever does that handshake. */
  constructor(connection: Connection, serverName: string | undefined) {
    this.#connection = connection
    this.#serverName = serverName
  }

  get source(): SourceFacts {
    return sourceOf(this.#connection)
  }

  get destination(): DestinationFacts {
    const { destinationAddress, destinationPort } = this.#connection
    return { address: destinationAddress, port: destinationPort, hostname: this.#serverName }
  }
}
