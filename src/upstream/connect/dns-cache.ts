import { lookup as lookupHost } from 'node:dns'
import { dnsFault } from './fault.ts'
import type { Fault } from '../model/fault.ts'

/** Asks for the addresses of a host, in order of preference. */
export type Lookup = (host: string, told: (error: Error | null, addresses: readonly string[]) => void) => void

/** Told once, with addresses or the reason why there are none. */
export type Resolved = (addresses: readonly string[] | Fault) => void

/** Age at which an answer is asked for anew while it goes on being used. The system resolver tells no time to live. */
const REFRESH_MS = 10_000
/** How long a failure is believed, so that a broken name costs one look-up a second and not one a request. */
const FAILURE_MS = 1_000
/** More addresses than this say nothing new. */
const MAX_ADDRESSES = 64

/**
 * The addresses behind a host name, looked up when first needed and again in the background while in use. An answer that
 * was good stays good until a newer one comes: name servers fail more often than services move.
 */
export class Name {
  readonly host: string
  /** The last good answer. */
  addresses: readonly string[] | undefined = undefined
  readonly #lookup: Lookup
  readonly #changed: (addresses: readonly string[]) => void
  /** Times are those of the caller's clock, in milliseconds. */
  #askedAt = 0
  #failure: Fault | undefined = undefined
  #waiting: Resolved[] | undefined = undefined

  /** @param changed Told of every answer that differs from the one before. */
  constructor(
    host: string,
    lookup: Lookup,
    changed: (addresses: readonly string[]) => void = () => undefined,
  ) {
    this.host = host
    this.#lookup = lookup
    this.#changed = changed
  }

  /** What is known now; asks in the background if that is getting old. */
  known(now: number): readonly string[] | undefined {
    if (this.addresses && now - this.#askedAt > REFRESH_MS) this.#ask(now)
    return this.addresses
  }

  /** Tells as soon as something is known, never inside the call unless the look-up itself answers at once. */
  resolve(now: number, resolved: Resolved): void {
    const answer = this.addresses ?? (now - this.#askedAt < FAILURE_MS ? this.#failure : undefined)
    if (answer) queueMicrotask(() => resolved(answer))
    else if (this.#waiting) this.#waiting.push(resolved)
    else this.#ask(now, resolved)
  }

  /** An address did not answer: a reason to ask again soon. */
  doubt(now: number): void {
    this.#askedAt = Math.min(this.#askedAt, now - REFRESH_MS + FAILURE_MS)
  }

  #ask(now: number, resolved?: Resolved): void {
    if (this.#waiting) return
    this.#askedAt = now
    this.#waiting = resolved ? [resolved] : []
    this.#lookup(this.host, (error, addresses) => this.#tell(error, addresses))
  }

  #tell(error: Error | null, addresses: readonly string[]): void {
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
    const answer = this.addresses ?? this.#failure
    if (answer) for (const resolved of waiting) resolved(answer)
  }
}

/** Which addresses count. */
export type LookupFamily = 'All' | 'Auto' | 'V4Preferred' | 'V4Only' | 'V6Only'

/** Asks the system's resolver, hosts file included. */
export const systemLookup = (family: LookupFamily, ipv6Enabled: boolean): Lookup => {
  const only = family === 'V4Only' || !ipv6Enabled ? 4 : family === 'V6Only' ? 6 : 0
  return (host, told) => {
    lookupHost(host, { all: true, family: only, order: 'verbatim' }, (error, found) => {
      if (error) {
        told(error, [])
        return
      }
      const v4 = found.filter(({ family }) => family === 4)
      const preferred = family === 'V4Preferred' && v4.length ? v4 : found
      told(
        null,
        preferred.map(({ address }) => address),
      )
    })
  }
}

/** Balancers often turn their answers around; that is no change. */
const isSame = (before: readonly string[] | undefined, after: readonly string[]): boolean =>
  before?.length === after.length && after.every((address) => before.includes(address))
