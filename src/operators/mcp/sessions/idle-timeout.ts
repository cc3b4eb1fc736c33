import { emptyBody } from '../../../../model/body.ts'
import { Exchange } from '../../../../model/exchange.ts'
import { Request } from '../../../../model/request.ts'
import type { Snapshot } from '../../../../model/snapshot.ts'
import type { Federation } from '../federation/federation.ts'
import type { McpSession } from './session.ts'

/** What is kept of the last request of a client: enough to speak for it when it is not there, and nothing of a configuration. */
export type LastHeard = Pick<Exchange, 'identity' | 'labels'> & Pick<Request, 'headers' | 'connection'>

/**
 * Ends sessions whose clients say nothing any more. Servers over HTTP keep a session until they are told that it is over, so
 * they are told, in the client's name and through the policies in force.
 */
export class IdleEnd {
  readonly #federation: Federation
  readonly #areShared: boolean
  /** The one that all this is part of, as soon as a request has shown it. */
  #snapshot: Snapshot | undefined = undefined

  /** @param areShared Whether other replicas may go on with sessions that nothing was heard of here. */
  constructor(federation: Federation, areShared: boolean) {
    this.#federation = federation
    this.#areShared = areShared
  }

  /** A client was heard. */
  hear(
    session: McpSession,
    { identity, labels, snapshot, request: { headers, connection } }: Exchange,
  ): void {
    session.lastHeard = { identity, labels, headers, connection }
    this.#snapshot = snapshot
  }

  end(session: McpSession): void {
    const { lastHeard } = session
    const x = !this.#areShared && lastHeard && this.#snapshot && inItsName(lastHeard, this.#snapshot)
    session.close(x ? (name) => this.#federation.target(name)?.behalf(x) : undefined)
  }
}

const inItsName = ({ identity, labels, headers, connection }: LastHeard, snapshot: Snapshot): Exchange => {
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
