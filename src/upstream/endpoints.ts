import type { Fault } from '../model/fault.ts'
import { Endpoint, type EndpointOptions } from './endpoint.ts'
import { type Closable, Leaving } from './leaving.ts'
import { Name, type Lookup } from './name.ts'

/** The endpoints of an upstream, as far as they are known. */
export interface Endpoints {
  /** Those known now; undefined if they have to be asked for first. Empty if there are none. */
  current(now: number): readonly Endpoint[] | undefined
  /** Tells as soon as they are known, or why they are not. */
  resolve(now: number, told: (endpoints: readonly Endpoint[] | Fault) => void): void
}

/** Endpoints that the configuration names. */
export class FixedEndpoints implements Endpoints {
  readonly #endpoints: readonly Endpoint[]

  constructor(endpoints: readonly Endpoint[]) {
    this.#endpoints = endpoints
  }

  current(): readonly Endpoint[] {
    return this.#endpoints
  }

  resolve(_: number, told: (endpoints: readonly Endpoint[]) => void): void {
    queueMicrotask(() => told(this.#endpoints))
  }
}

/** The endpoints behind a host name: one for each address, coming and going with the answers of the name service. */
export class NamedEndpoints implements Endpoints, Closable {
  readonly #name: Name
  readonly #port: number
  readonly #options: EndpointOptions
  #endpoints: readonly Endpoint[] = []
  #closed = false
  /** Those whose address has gone. */
  readonly #leaving = new Leaving()

  constructor(host: string, port: number, options: EndpointOptions, lookup: Lookup) {
    this.#port = port
    this.#options = options
    this.#name = new Name(host, lookup, (addresses) => this.#adopt(addresses))
  }

  current(now: number): readonly Endpoint[] | undefined {
    return this.#name.known(now) && this.#endpoints
  }

  resolve(now: number, told: (endpoints: readonly Endpoint[] | Fault) => void): void {
    this.#name.resolve(now, (answer) => told('code' in answer ? answer : this.#endpoints))
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const endpoint of this.#endpoints) this.#leaving.letGo(endpoint)
    await this.#leaving.ended()
  }

  async destroy(): Promise<void> {
    void this.close()
    await this.#leaving.destroy()
  }

  #adopt(addresses: readonly string[]): void {
    if (this.#closed) return
    const before = new Map(this.#endpoints.map((endpoint) => [addressOf(endpoint), endpoint]))
    this.#endpoints = addresses.map((ip) => {
      const known = before.get(ip)
      before.delete(ip)
      return (
        known ??
        new Endpoint({ ip, port: this.#port }, this.#options, () => this.#name.doubt(performance.now()))
      )
    })
    for (const gone of before.values()) this.#leaving.letGo(gone)
  }
}

const addressOf = ({ place }: Endpoint): string => ('ip' in place ? place.ip : '')
