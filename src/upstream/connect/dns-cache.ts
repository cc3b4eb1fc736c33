import { lookup as lookupHost } from 'node:dns'
import { dnsFault } from '../faults.ts'
import type { Fault } from '../../model/exchange/fault.ts'

/** Looks up the addresses of a host, in order of preference. */
export type Lookup = (
  host: string,
  callback: (error: Error | null, addresses: readonly string[]) => void,
) => void

/** Called once, with addresses or the reason why there are none. */
export type Resolved = (addresses: readonly string[] | Fault) => void

/** Age at which an entry is refreshed in the background while it stays in use. The system resolver reports no TTL. */
const REFRESH_MS = 10_000
/** How long a failure is cached, so that a broken name costs one lookup a second and not one a request. */
const FAILURE_MS = 1_000
/** Further addresses are ignored. */
const MAX_ADDRESSES = 64

/**
 * The addresses of a host name, looked up on first use and refreshed in the background while in use. A good result
 * stays in use until a newer one comes: name servers fail more often than services move.
 */
export class DnsEntry {
  readonly host: string
  /** The last good result. */
  addresses: readonly string[] | undefined = undefined
  readonly #lookup: Lookup
  readonly #changed: (addresses: readonly string[]) => void
  /** Times are those of the caller's clock, in milliseconds. */
  #lookedUpAt = 0
  #failure: Fault | undefined = undefined
  #waiting: Resolved[] | undefined = undefined

  /** @param changed Called with every result that differs from the one before. */
  constructor(
    host: string,
    lookup: Lookup,
    changed: (addresses: readonly string[]) => void = () => undefined,
  ) {
    this.host = host
    this.#lookup = lookup
    this.#changed = changed
  }

  /** The known addresses; refreshes them in the background if they are old. */
  known(now: number): readonly string[] | undefined {
    if (this.addresses && now - this.#lookedUpAt > REFRESH_MS) this.#refresh(now)
    return this.addresses
  }

  /** Calls back as soon as there is a result; never synchronously unless the lookup itself is. */
  resolve(now: number, resolved: Resolved): void {
    const result = this.addresses ?? (now - this.#lookedUpAt < FAILURE_MS ? this.#failure : undefined)
    if (result) queueMicrotask(() => resolved(result))
    else if (this.#waiting) this.#waiting.push(resolved)
    else this.#refresh(now, resolved)
  }

  /** An address did not accept connections: refresh soon. */
  doubt(now: number): void {
    this.#lookedUpAt = Math.min(this.#lookedUpAt, now - REFRESH_MS + FAILURE_MS)
  }

  #refresh(now: number, resolved?: Resolved): void {
    if (this.#waiting) return
    this.#lookedUpAt = now
    this.#waiting = resolved ? [resolved] : []
    this.#lookup(this.host, (error, addresses) => this.#notify(error, addresses))
  }

  #notify(error: Error | null, addresses: readonly string[]): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    const found = [...new Set(addresses)].slice(0, MAX_ADDRESSES)
    if (error || found.length === 0) this.#failure = dnsFault(error)
    else {
      this.#failure = undefined
      if (!isSame(this.addresses, found)) {
        this.addresses = found
        this.#changed(found)
      }
    }
    const result = this.addresses ?? this.#failure
    if (result) for (const resolved of waiting) resolved(result)
  }
}

/** Which address families are used. */
export type LookupFamily = 'All' | 'Auto' | 'V4Preferred' | 'V4Only' | 'V6Only'

/** Looks up by the system's resolver, hosts file included. */
export const systemLookup = (family: LookupFamily, ipv6Enabled: boolean): Lookup => {
  const only = family === 'V4Only' || !ipv6Enabled ? 4 : family === 'V6Only' ? 6 : 0
  return (host, callback) => {
    lookupHost(host, { all: true, family: only, order: 'verbatim' }, (error, found) => {
      if (error) {
        callback(error, [])
        return
      }
      const v4 = found.filter(({ family }) => family === 4)
      const preferred = family === 'V4Preferred' && v4.length ? v4 : found
      callback(
        null,
        preferred.map(({ address }) => address),
      )
    })
  }
}

/** Name servers often rotate their results; that is no change. */
const isSame = (before: readonly string[] | undefined, after: readonly string[]): boolean =>
  before?.length === after.length && after.every((address) => before.includes(address))
