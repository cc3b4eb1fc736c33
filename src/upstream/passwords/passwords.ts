import { hash as digest, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { hashScheme } from '../../model/password-hash.ts'
import type { Closable } from '../leaving.ts'
import { checkPassword } from './check-password.ts'
import { PasswordThreads, type ThreadLimits } from './password-threads.ts'

/** A password that somebody sent, and what it is compared with. */
export interface PasswordClaim {
  readonly user: string
  readonly password: string
  readonly hash: string
  /** Who sent it, for a fair share: an address. */
  readonly asker: string
  /** The hash belongs to somebody else, and is only there to make the answer take its time. */
  readonly isDecoy: boolean
}

/** Whether a password is right; `busy` if there is no telling now. */
export type PasswordVerdict = boolean | 'busy'

/** Right passwords that are remembered, at about 150 bytes each. */
const REMEMBERED = 10_000

/**
 * Checks passwords against hashes that are made to be slow.
 *
 * What was right once is remembered, as a keyed hash of the password and of what it was compared with, so that it is
 * answered in microseconds and without a promise from then on; another password in the file makes it another question.
 * The same question asked by several requests at a time is worked on once. Wrong answers are not remembered.
 */
export class Passwords implements Closable {
  readonly #threads: PasswordThreads
  /** Keeps what is remembered from being a list of fast hashes. It never leaves, so that a prefix is as good as HMAC. */
  readonly #key = randomBytes(32).toString('base64')
  readonly #right: LRUCache<string, true>
  readonly #asked = new Map<string, Promise<PasswordVerdict>>()

  /** @param evicted Told of each password that made room for another. */
  constructor(limits?: ThreadLimits, evicted?: () => void) {
    this.#right = new LRUCache({
      max: REMEMBERED,
      dispose: (_right, _question, reason) => {
        if (reason === 'evict') evicted?.()
      },
    })
    this.#threads = new PasswordThreads(limits)
  }

  verify(claim: PasswordClaim): PasswordVerdict | Promise<PasswordVerdict> {
    const { user, password, hash, asker, isDecoy } = claim
    if (hashScheme(hash) === 'sha1') return checkPassword(password, hash) && !isDecoy
    const question = digest('sha256', this.#key + JSON.stringify([user, password, hash]), 'base64')
    if (this.#right.get(question)) return true
    const asked = this.#asked.get(question)
    if (asked) return asked
    const checked = this.#threads.check(asker, { password, hash })
    if (!checked) return 'busy'
    const verdict = checked.then((isRight): PasswordVerdict => {
      if (isRight && !isDecoy) this.#right.set(question, true)
      return isRight && !isDecoy
    })
    this.#asked.set(question, verdict)
    const forget = () => this.#asked.delete(question)
    verdict.then(forget, forget)
    return verdict
  }

  close(): Promise<void> {
    return this.#threads.close()
  }

  destroy(): Promise<void> {
    return this.#threads.destroy()
  }
}
