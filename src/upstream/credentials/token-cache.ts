import { CredentialFault, TokenRefused } from './credential-fault.ts'
import type { Closable } from '../draining.ts'
import { ExpiringCache } from '../expiring-cache.ts'

/** Suspends requests to an issuer that failed, longer each time, so that retries do not add to its load. */
export class Cooldown {
  #fault: Error | undefined = undefined
  #failures = 0
  #untilMs = 0

  /** The last failure, while requests are suspended. */
  during(nowMs: number): Error | undefined {
    return nowMs < this.#untilMs ? this.#fault : undefined
  }

  failed(fault: unknown, nowMs: number): void {
    const isPermanent =
      (fault instanceof CredentialFault || fault instanceof TokenRefused) && fault.isPermanent
    const [first, longest] = isPermanent ? PERMANENT_MS : PASSING_MS
    this.#fault = fault instanceof Error ? fault : new CredentialFault('failed', { cause: fault })
    this.#untilMs = nowMs + Math.min(longest, first * 2 ** Math.min(this.#failures++, 10))
  }

  succeeded(): void {
    this.#fault = undefined
    this.#failures = 0
    this.#untilMs = 0
  }
}

/** The first pause, and the longest. */
const PASSING_MS = [1_000, 30_000] as const
const PERMANENT_MS = [30_000, 600_000] as const

/** A token, fresh from its issuer. */
export interface IssuedToken {
  readonly text: string
  /** Lifetime from the time of the request for it. */
  readonly lifeMs: number
}

/** Requests a token from its issuer. Rejects with a `CredentialFault`, or a `TokenRefused`. */
export type Issue = () => Promise<IssuedToken>

/** Limits of a token cache, and its clock. */
export interface TokenCacheSettings {
  /** Tokens that are kept; the least recently used one goes first. 0 keeps none. */
  readonly maxEntries: number
  /** Monotonic milliseconds. */
  readonly clock?: () => number
  /** Called for each token that was evicted for another. */
  readonly evicted?: (() => void) | undefined
}

/**
 * Tokens for upstreams, by what they were issued for. A token is renewed before it expires, while requests still use
 * the old one; concurrent requests for a token share one request to its issuer. After a failure the issuer is not
 * called for a while, longer each time: requests fail at once meanwhile, with its error. A failure that is not about
 * one token suspends all.
 */
export class TokenCache implements Closable {
  readonly #maxEntries: number
  readonly #clock: () => number
  readonly #entries: ExpiringCache<Entry>
  #isClosed = false
  /** For failures that concern no single token. */
  readonly #issuer = new Cooldown()

  constructor({ maxEntries, clock = () => performance.now(), evicted }: TokenCacheSettings) {
    this.#maxEntries = maxEntries
    this.#clock = clock
    this.#entries = new ExpiringCache({
      name: 'backend_tokens',
      maxEntries: Math.max(1, maxEntries),
      maxBytes: MAX_BYTES,
      bytesOf,
      onEvict: evicted,
      now: clock,
    })
  }

  /** Cached tokens and failures. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * The token for `key`, at once if it is cached.
   *
   * @throws The issuer's last failure, while it is suspended.
   */
  get(key: string, issue: Issue): string | Promise<string> {
    const now = this.#clock()
    if (this.#maxEntries === 0) return this.#issueOnly(issue, now)
    const entry = this.#entry(key)
    if (entry.token !== undefined && now < entry.expiresAt) {
      if (now >= entry.renewAt && !entry.pending && !this.#pause(entry, now))
        void this.#renew(key, entry, issue, now)
      return entry.token
    }
    if (entry.pending) return entry.pending
    const fault = this.#pause(entry, now)
    if (fault !== undefined) throw fault
    return this.#renew(key, entry, issue, now)
  }

  /**
   * An upstream has refused a token that should be valid. It is dropped, so that the next request gets a new one.
   *
   * @returns False if a retry is pointless: a token was renewed after such a refusal a short while ago.
   */
  refused(key: string, token: string): boolean {
    if (this.#maxEntries === 0) return false
    const entry = this.#entry(key)
    // Another request was refused as well, and has renewed it.
    if (entry.token !== token) return entry.token !== undefined || entry.pending !== undefined
    const now = this.#clock()
    if (now < entry.refusedAt + REFUSAL_PAUSE_MS) return false
    entry.refusedAt = now
    entry.token = undefined
    return true
  }

  close(): Promise<void> {
    this.#isClosed = true
    this.#entries.clear()
    return Promise.resolve()
  }

  destroy(): Promise<void> {
    return this.close()
  }

  #pause(entry: Entry, now: number): Error | undefined {
    return entry.cooldown.during(now) ?? this.#issuer.during(now)
  }

  async #issueOnly(issue: Issue, now: number): Promise<string> {
    const fault = this.#issuer.during(now)
    if (fault) throw fault
    try {
      const { text } = await issue()
      this.#issuer.succeeded()
      return text
    } catch (failure) {
      this.#blame(failure)
      throw failure
    }
  }

  #blame(fault: unknown): void {
    if (fault instanceof CredentialFault && fault.isOfIssuer) this.#issuer.failed(fault, this.#clock())
  }

  /** The cached entry, or a new one; without a token it is kept for the longest suspension. */
  #entry(key: string): Entry {
    const known = this.#entries.get(key)
    if (known) return known
    const entry = emptyEntry()
    this.#entries.set(key, entry, NO_TOKEN_MS)
    return entry
  }

  #renew(key: string, entry: Entry, issue: Issue, now: number): Promise<string> {
    const pending = issue().then(
      ({ text, lifeMs }) => {
        entry.pending = undefined
        entry.cooldown.succeeded()
        this.#issuer.succeeded()
        entry.token = text
        // A token used just before its end would reach the upstream expired.
        entry.expiresAt = now + lifeMs - Math.min(EXPIRY_MARGIN_MS, lifeMs / 10)
        entry.renewAt = now + lifeMs - Math.min(EARLY_MS, lifeMs / 5)
        if (!this.#isClosed) this.#entries.set(key, entry, Math.max(lifeMs, NO_TOKEN_MS))
        return text
      },
      (fault: unknown) => {
        entry.pending = undefined
        if (!this.#isClosed) this.#entries.set(key, entry, NO_TOKEN_MS)
        entry.cooldown.failed(fault, this.#clock())
        this.#blame(fault)
        throw fault
      },
    )
    entry.pending = pending
    // It may have no awaiter.
    pending.catch(() => undefined)
    return pending
  }
}

/** Minimum time between two renewals after refusals by the upstream. */
const REFUSAL_PAUSE_MS = 30_000
const EXPIRY_MARGIN_MS = 5_000
const EARLY_MS = 60_000

/** Per policy. */
const MAX_BYTES = 16 * 1024 * 1024
/** Longer than any suspension, and than the pause after a refusal. */
const NO_TOKEN_MS = 600_000
const bytesOf = ({ token }: Entry, key: string): number => ((token?.length ?? 0) + key.length) * 2 + 512

interface Entry {
  token: string | undefined
  renewAt: number
  expiresAt: number
  pending: Promise<string> | undefined
  readonly cooldown: Cooldown
  refusedAt: number
}

const emptyEntry = (): Entry => ({
  token: undefined,
  renewAt: 0,
  expiresAt: 0,
  pending: undefined,
  cooldown: new Cooldown(),
  refusedAt: -Infinity,
})
