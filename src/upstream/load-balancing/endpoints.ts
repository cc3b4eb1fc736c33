import type { Fault } from '../../model/exchange/fault.ts'
import { Endpoint, type EndpointOptions, type Supervised } from './endpoint.ts'
import { EndpointHealth } from './outlier-detection.ts'
import { type Closable, Draining } from '../draining.ts'
import { DnsEntry, type Lookup } from '../connect/dns-cache.ts'

/** The endpoints of an upstream, as far as they are known. */
export interface Endpoints {
  /** The known endpoints; undefined if they have to be resolved first. Empty if there are none. */
  current(now: number): readonly Endpoint[] | undefined
  /** Calls back once they are known, or with the fault. */
  resolve(now: number, onResolved: (endpoints: readonly Endpoint[] | Fault) => void): void
  /** Those to turn to when one of the known endpoints cannot be reached: they may have changed since. */
  latest(): readonly Endpoint[]
  /** The health of the name, while it has no addresses. */
  readonly unresolved?: Supervised
}

/** Endpoints of the configuration. */
export class FixedEndpoints implements Endpoints {
  readonly #endpoints: readonly Endpoint[]

  constructor(endpoints: readonly Endpoint[]) {
    this.#endpoints = endpoints
  }

  current(): readonly Endpoint[] {
    return this.#endpoints
  }

  latest(): readonly Endpoint[] {
    return this.#endpoints
  }

  resolve(_: number, onResolved: (endpoints: readonly Endpoint[]) => void): void {
    queueMicrotask(() => onResolved(this.#endpoints))
  }
}

/** The endpoints behind a host name: one for each address, updated with each DNS result. */
export class NamedEndpoints implements Endpoints, Closable {
  readonly #name: DnsEntry
  readonly #port: number
  readonly #options: EndpointOptions
  #endpoints: readonly Endpoint[] = []
  #closed = false
  #refreshing: NodeJS.Timeout | undefined = undefined
  /** Endpoints whose address was removed. */
  readonly #draining = new Draining()

  readonly unresolved: Supervised

  constructor(host: string, port: number, options: EndpointOptions, lookup: Lookup) {
    this.#port = port
    this.#options = options
    this.#name = new DnsEntry(host, lookup, (addresses) => this.#update(addresses))
    const { supervision } = options
    const changed = (now: number) => supervision?.changed(this.unresolved, now)
    this.unresolved = {
      name: `${host}:${port}`,
      health: new EndpointHealth({ now: performance.now(), changed }),
    }
    if (supervision?.check) this.#refresh(supervision.check.intervalMs)
  }

  current(now: number): readonly Endpoint[] | undefined {
    return this.#name.known(now) && this.#endpoints
  }

  latest(): readonly Endpoint[] {
    return this.#endpoints
  }

  resolve(now: number, onResolved: (endpoints: readonly Endpoint[] | Fault) => void): void {
    this.#name.resolve(now, (found) => onResolved('code' in found ? found : this.#endpoints))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#refreshing)
    for (const endpoint of this.#endpoints) this.#draining.add(endpoint)
    await this.#draining.ended()
  }

  async destroy(): Promise<void> {
    void this.close()
    await this.#draining.destroy()
  }

  /** Only endpoints with an address can be checked, so the name is resolved before a request comes. */
  #refresh(intervalMs: number): void {
    const now = performance.now()
    if (!this.current(now))
      this.resolve(now, (found) => {
        this.unresolved.health.checked(performance.now(), 'code' in found ? 'check: no address' : undefined)
      })
    this.#refreshing = setTimeout(() => this.#refresh(intervalMs), intervalMs)
    this.#refreshing.unref()
  }

  #update(addresses: readonly string[]): void {
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
    // Attempts to connect to them go on: many names have more addresses than one result shows.
    for (const gone of before.values()) this.#draining.add(gone)
  }
}

const addressOf = ({ address }: Endpoint): string => ('ip' in address ? address.ip : '')
