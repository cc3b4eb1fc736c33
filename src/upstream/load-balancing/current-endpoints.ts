import type { Closable } from '../draining.ts'
import type { Endpoint } from './endpoint.ts'
import type { Endpoints } from './endpoints.ts'

/**
 * The endpoints of a service in the configuration in force. Outlives configurations: a call that began under an earlier
 * one finds here what has come in the place of an endpoint that was removed.
 */
export class CurrentEndpoints implements Closable {
  #endpoints: readonly Endpoint[] | undefined = undefined
  #isClosed = false

  /** Undefined before they are in force for the first time. */
  get endpoints(): readonly Endpoint[] | undefined {
    return this.#endpoints
  }

  /** Puts the endpoints of a new configuration in force. */
  replace(endpoints: readonly Endpoint[]): void {
    const before = this.#endpoints ?? []
    // Every part of a configuration that leads to the service replaces them, nearly always by the same ones.
    const start = sameAtStart(before, endpoints)
    const end = sameAtEnd(before.slice(start), endpoints.slice(start))
    for (const endpoint of endpoints.slice(start, endpoints.length - end)) endpoint.listed()
    for (const endpoint of before.slice(start, before.length - end)) endpoint.removed()
    this.#endpoints = endpoints
  }

  /** No configuration has the service any more; that does not say that its endpoints are gone. */
  close(): Promise<void> {
    if (!this.#isClosed) for (const endpoint of this.#endpoints ?? []) endpoint.unlisted()
    this.#isClosed = true
    return Promise.resolve()
  }

  destroy(): Promise<void> {
    return this.close()
  }
}

const sameAtStart = (before: readonly Endpoint[], after: readonly Endpoint[]): number => {
  let count = 0
  while (count < before.length && before[count] === after[count]) count++
  return count
}

const sameAtEnd = (before: readonly Endpoint[], after: readonly Endpoint[]): number => {
  const shorter = Math.min(before.length, after.length)
  let count = 0
  while (count < shorter && before[before.length - 1 - count] === after[after.length - 1 - count]) count++
  return count
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
    const all = this.#inForce.endpoints ?? this.#endpoints
    // The configuration that had them may have ended before the one of this call.
    return all.some(isClosing) ? all.filter((one) => !isClosing(one)) : all
  }

  resolve(_: number, onResolved: (endpoints: readonly Endpoint[]) => void): void {
    queueMicrotask(() => onResolved(this.#endpoints))
  }
}

const isClosing = (endpoint: Endpoint): boolean => endpoint.isClosing
