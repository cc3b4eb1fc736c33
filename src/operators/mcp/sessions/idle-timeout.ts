import { emptyBody } from '../../../model/exchange/body.ts'
import { Exchange } from '../../../model/exchange/exchange.ts'
import { Request } from '../../../model/exchange/request.ts'
import type { Snapshot } from '../../../model/resources/snapshot.ts'
import type { Federation } from '../federation/federation.ts'
import type { LastActivity, McpSession } from './session.ts'

/**
 * Ends idle sessions. Servers over HTTP keep a session until it is deleted, so they get a DELETE, with the client's
 * identity and through the current policies.
 */
export class IdleTimeout {
  readonly #federation: Federation
  readonly #areShared: boolean
  /** The current configuration, known from the first request. */
  #snapshot: Snapshot | undefined = undefined

  /** @param areShared Whether other replicas may continue sessions that are idle here. */
  constructor(federation: Federation, areShared: boolean) {
    this.#federation = federation
    this.#areShared = areShared
  }

  /** Records a request of the client. */
  record(
    session: McpSession,
    { identity, labels, snapshot, request: { headers, connection } }: Exchange,
  ): void {
    session.lastActivity = { identity, labels, headers, connection }
    this.#snapshot = snapshot
  }

  end(session: McpSession): void {
    const { lastActivity } = session
    const x = !this.#areShared && lastActivity && this.#snapshot && exchangeFor(lastActivity, this.#snapshot)
    session.close(x ? (name) => this.#federation.target(name)?.requestContext(x) : undefined)
  }
}

/**
 * An exchange of the same caller with the same rights, for work that outlives the request: it is neither traced nor
 * logged.
 */
export const detachedFrom = (x: Exchange): Exchange => {
  const { identity, labels, snapshot, request, policy } = x
  const detached = exchangeFor(
    { identity, labels, headers: request.headers, connection: request.connection },
    snapshot,
  )
  detached.policy.metadata = policy.metadata
  detached.policy.extAuthz = policy.extAuthz
  detached.policy.extProc = policy.extProc
  return detached
}

const exchangeFor = (
  { identity, labels, headers, connection }: LastActivity,
  snapshot: Snapshot,
): Exchange => {
  const request = new Request({
    method: 'DELETE',
    path: '/',
    query: '',
    scheme: 'http',
    authority: 'localhost',
    httpVersion: '1.1',
    headers,
    body: emptyBody,
    connection,
  })
  const x = new Exchange(request, snapshot, { probe: () => undefined }, labels)
  x.identity = identity
  return x
}
