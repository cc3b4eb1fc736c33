import type { Closable } from '../draining.ts'
import type { Endpoint } from './endpoint.ts'
import type { Endpoints } from './endpoints.ts'

/**
 * The endpoints of a service in the configuration in force. Outlives configurations: a call that began under an earlier
 * one finds here what has come in the place of an endpoint that was removed.
 */
export class CurrentEndpoints implements Closable {
  #endpoints: readonly Endpoint[] = []
  #removed: readonly Endpoint[] = []
  #isClosed = false

  get endpoints(): readonly Endpoint[] {
    return this.#endpoints
  }

  /** Puts the endpoints of a new configuration in force. Those removed stay usable until `endRemoved`. */
  replace(endpoints: readonly Endpoint[]): void {
    const gone = new Set(this.#endpoints)
    for (const endpoint of new Set(endpoints)) if (!gone.delete(endpoint)) endpoint.attempts.allow()
    for (const endpoint of gone) endpoint.attempts.disallow()
    this.#removed = [...this.#removed, ...gone]
    this.#endpoints = endpoints
  }

  /** Ends the connection attempts to removed endpoints, unless another service has them. */
  endRemoved(): void {
    const removed = this.#removed
    this.#removed = []
    for (const endpoint of removed) endpoint.attempts.endIfRemoved()
  }

  /** No configuration has the service any more; that does not say that its endpoints are gone. */
  close(): Promise<void> {
    if (!this.#isClosed) for (const endpoint of new Set(this.#endpoints)) endpoint.attempts.disallow()
    this.#isClosed = true
    return Promise.resolve()
  }

  destroy(): Promise<void> {
    return this.close()
  }
}

/** The endpoints that a service has in one configuration. */
export class ServiceEndpoints implements Endpoints {
  readonly #endpoints: readonly Endpoint[]
  readonly #inForce: CurrentEndpoints

  constructor(endpoints: readonly Endpoint[], inForce: CurrentEndpoints) {
    this.#endpoints = endpoints
    this.#inForce = inForce
  }

  current(): readonly Endpoint[] {
    return this.#endpoints
  }

  latest(): readonly Endpoint[] {
    return this.#inForce.endpoints
  }

  resolve(_: number, onResolved: (endpoints: readonly Endpoint[]) => void): void {
    queueMicrotask(() => onResolved(this.#endpoints))
  }
}
