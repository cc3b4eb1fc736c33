import type { RawSession } from '../model/raw-session.ts'
import { sourceOf } from './connection-facts.ts'
import type {
  BackendFacts,
  CelContext,
  DestinationFacts,
  EnvFacts,
  ProxyFacts,
  SourceFacts,
} from './context.ts'
import { proxyOf } from './proxy-facts.ts'

/** A raw connection as expressions see it: there is no request, and no answer. */
export class RawContext implements CelContext {
  readonly #session: RawSession
  readonly #env: EnvFacts

  constructor(session: RawSession, env: EnvFacts = {}) {
    this.#session = session
    this.#env = env
  }

  get source(): SourceFacts {
    return sourceOf(this.#session.connection)
  }

  get destination(): DestinationFacts {
    const { destinationAddress, destinationPort } = this.#session.connection
    return { address: destinationAddress, port: destinationPort, hostname: this.#session.serverName }
  }

  get proxy(): ProxyFacts {
    const { labels, startedAt, upstreamStartedAt, endedAt } = this.#session
    return proxyOf({ labels, request: { startedAt }, upstreamStartedAt, upstreamRepliedAt: 0, endedAt })
  }

  get backend(): BackendFacts | undefined {
    return this.#session.backend
  }

  get env(): EnvFacts {
    return this.#env
  }
}
