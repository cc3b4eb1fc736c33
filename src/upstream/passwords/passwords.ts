import { hash as digest, randomBytes } from 'node:crypto'
import type { LRUCache } from 'lru-cache'
import { hashScheme } from '../../model/policies/password-hash.ts'
import type { Closable } from '../draining.ts'
import { checkPassword } from './check-password.ts'
import { PasswordThreads, type ThreadLimits } from './password-threads.ts'
import { boundedCache } from '../../model/introspection/bounded-cache.ts'

/** A password to verify, and the hash to compare it with. */
export interface PasswordClaim {
  readonly user: string
  readonly password: string
  readonly hash: string
  /** The client's address, for a fair share. */
  readonly clientAddress: string
  /** The hash is a decoy, so that an unknown user name takes as long as a wrong password. */
  readonly isDecoy: boolean
}

/** Whether a password is right; `busy` if the queue is full. */
export type PasswordVerdict = boolean | 'busy'

/** Verified passwords that are cached, at about 150 bytes each. */
const MAX_VERIFIED = 10_000

/**
 * Checks passwords against hashes that are slow by design.
 *
 * A verified password is cached, as a keyed hash of the password and of the hash it matched, so that it is verified in
 * microseconds and without a promise from then on; a changed hash in the file misses the cache. Concurrent equal checks
 * are done once. Failures are not cached.
 */
export class Passwords implements Closable {
  readonly #threads: PasswordThreads
  /**
   * Keeps the cache from being a list of fast hashes. It never leaves the process, so that a prefix is as good as HMAC.
   */
  readonly #key = randomBytes(32).toString('base64')
  readonly #right: LRUCache<string, true>
  readonly #pending = new Map<string, Promise<PasswordVerdict>>()

  /** @param evicted Called for each password that was evicted for another. */
  constructor(limits?: ThreadLimits, evicted?: () => void) {
    this.#right = boundedCache<string, true>('passwords', {
      max: MAX_VERIFIED,
      dispose: (_right, _key, reason) => {
        if (reason === 'evict') evicted?.()
      },
    })
    this.#threads = new PasswordThreads(limits)
  }

  verify(claim: PasswordClaim): PasswordVerdict | Promise<PasswordVerdict> {
    const { user, password, hash, clientAddress, isDecoy } = claim
    if (hashScheme(hash) === 'sha1') return checkPassword(password, hash) && !isDecoy
    const key = digest('sha256', this.#key + JSON.stringify([user, password, hash]), 'base64')
    if (this.#right.get(key)) return true
    const pending = this.#pending.get(key)
    if (pending) return pending
    const checked = this.#threads.check(clientAddress, { password, hash })
    if (!checked) return 'busy'
    const verdict = checked.then((isRight): PasswordVerdict => {
      if (isRight && !isDecoy) this.#right.set(key, true)
      return isRight && !isDecoy
    })
    this.#pending.set(key, verdict)
    const remove = () => this.#pending.delete(key)
    verdict.then(remove, remove)
    return verdict
  }

  close(): Promise<void> {
    return this.#threads.close()
  }

  destroy(): Promise<void> {
    return this.#threads.destroy()
  }
}
