import type { Closable } from '../leaving.ts'
import { Recent } from '../recent.ts'
import { CredentialFault } from './credential-fault.ts'
import { Cooldown } from './cooldown.ts'

/** A token, fresh from its issuer. */
export interface IssuedToken {
  readonly text: string
  /** How long it is valid from when it was asked for. */
  readonly lifeMs: number
}

/** Has a token issued. Rejects with a `CredentialFault`, or a `TokenRefused`. */
export type Issue = () => Promise<IssuedToken>

/** What is remembered, and by which clock. */
export interface TokenMemoryOptions {
  /** Tokens that are kept, those that were not asked for longest going first; with 0 none is. */
  readonly maxEntries: number
  /** Milliseconds that never go back. */
  readonly clock?: () => number
  /** Told of each token that made room for another. */
  readonly evicted?: (() => void) | undefined
}

/**
 * Tokens for upstreams, by what they were issued for. A token is renewed before it expires, while requests still use the
 * old one; however many requests wait for one, its issuer is asked once. An issuer that fails is left alone for a while,
 * longer each time: requests fail at once meanwhile, with what it said. If it is not about one token, that holds for all.
 */
export class TokenMemory implements Closable {
  readonly #maxEntries: number
  readonly #clock: () => number
  readonly #entries: Recent<Entry>
  #isClosed = false
  /** For failures that are no matter of one token. */
  readonly #issuer = new Cooldown()

  constructor({ maxEntries, clock = () => performance.now(), evicted }: TokenMemoryOptions) {
    this.#maxEntries = maxEntries
    this.#clock = clock
    this.#entries = new Recent(Math.max(1, maxEntries), () => {
      if (!this.#isClosed) evicted?.()
    })
  }

  /** Tokens, and failures, that are remembered. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * The token for `key`, at once if it is at hand.
   *
   * @throws What the issuer failed with not long ago.
   */
  get(key: string, issue: Issue): string | Promise<string> {
    const now = this.#clock()
    if (this.#maxEntries === 0) return this.#issueOnly(issue, now)
    const entry = this.#entries.get(key, emptyEntry)
    if (entry.token !== undefined && now < entry.expiresAt) {
      if (now >= entry.renewAt && !entry.pending && !this.#pause(entry, now))
        void this.#renew(entry, issue, now)
      return entry.token
    }
    if (entry.pending) return entry.pending
    const fault = this.#pause(entry, now)
    if (fault !== undefined) throw fault
    return this.#renew(entry, issue, now)
  }

  /**
   * An upstream has refused a token that should be valid. It is forgotten, so that the next request has another one.
   *
   * @returns False if that is not worth it: another one was had after such a refusal a short while ago.
   */
  refused(key: string, token: string): boolean {
    if (this.#maxEntries === 0) return false
    const entry = this.#entries.get(key, emptyEntry)
    // Somebody else was refused as well, and has seen to it.
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

  #renew(entry: Entry, issue: Issue, now: number): Promise<string> {
    const pending = issue().then(
      ({ text, lifeMs }) => {
        entry.pending = undefined
        entry.cooldown.succeeded()
        this.#issuer.succeeded()
        entry.token = text
        // What is sent just before the end would arrive after it.
        entry.expiresAt = now + lifeMs - Math.min(EXPIRY_MARGIN_MS, lifeMs / 10)
        entry.renewAt = now + lifeMs - Math.min(EARLY_MS, lifeMs / 5)
        return text
      },
      (fault: unknown) => {
        entry.pending = undefined
        entry.cooldown.failed(fault, this.#clock())
        this.#blame(fault)
        throw fault
      },
    )
    entry.pending = pending
    // Nobody may be waiting for it.
    pending.catch(() => undefined)
    return pending
  }
}

/** Between two tokens that were asked for because an upstream refused the one before. */
const REFUSAL_PAUSE_MS = 30_000
const EXPIRY_MARGIN_MS = 5_000
const EARLY_MS = 60_000

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
