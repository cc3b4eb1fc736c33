import type { RawSession } from '../../model/exchange/raw-session.ts'
import { sourceAttributesOf } from './connection-attributes.ts'
import type {
  BackendAttributes,
  CelContext,
  DestinationAttributes,
  EnvAttributes,
  ProxyAttributes,
  SourceAttributes,
} from './context.ts'
import { proxyOf } from './proxy-attributes.ts'

/** A raw connection, or a session of datagrams, as expressions see it: without request and response. */
export class RawContext implements CelContext {
  readonly #session: RawSession
  readonly #env: EnvAttributes

  constructor(session: RawSession, env: EnvAttributes = {}) {
    this.#session = session
    this.#env = env
  }

  get source(): SourceAttributes {
    return sourceAttributesOf(this.#session.connection)
  }

  get destination(): DestinationAttributes {
    const { destinationAddress, destinationPort } = this.#session.connection
    return { address: destinationAddress, port: destinationPort, hostname: this.#session.serverName }
  }

  get proxy(): ProxyAttributes {
    const { labels, startedAt, upstreamStartedAt, endedAt } = this.#session
    const upstream = { startedAt: upstreamStartedAt, respondedAt: 0 }
    return proxyOf({ labels, request: { startedAt }, upstream, downstream: { endedAt } })
  }

  get backend(): BackendAttributes | undefined {
    return this.#session.backend
  }

  get env(): EnvAttributes {
    return this.#env
  }
}
