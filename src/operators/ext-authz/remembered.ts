import { identifyingText } from '../../cel/identifying-text.ts'
import { LRUCache } from 'lru-cache'
import type { Evaluate } from '../../model/evaluate.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { Judgement } from './judgement.ts'

/** Which judgements are remembered. */
export interface RememberedOptions {
  /** Requests for which all of these give the same are judged the same. */
  readonly key: readonly Evaluate[]
  /** A duration, or the time up to which the judgement holds; asked once the judgement is applied. */
  readonly ttl: Evaluate
  readonly maxEntries: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Told of each judgement that made room for another. */
  readonly evicted?: () => void
}

/** A judgement, as long as it holds. */
export interface RememberedJudgement {
  readonly judgement: Judgement
  readonly until: number
  /** From then on one request asks anew, while the others go by what is known. */
  readonly askAgainAt: number
  isAskedAgain: boolean
}

/** How long before its end a judgement is asked for again: a share of its time, and no more than that many milliseconds. */
const AHEAD = 0.2
const AHEAD_MS = 5_000

/** Judgements that need not be asked for again so soon. */
export class Remembered {
  readonly #options: RememberedOptions
  readonly #judgements: LRUCache<string, RememberedJudgement>

  constructor(options: RememberedOptions) {
    this.#options = options
    this.#judgements = new LRUCache({
      max: options.maxEntries,
      dispose: (_judgement, _key, reason) => {
        if (reason === 'evict') options.evicted?.()
      },
    })
  }

  /** Undefined if a part of it cannot be evaluated: then nothing is remembered. */
  keyOf(x: Exchange): string | undefined {
    const parts: unknown[] = []
    for (const part of this.#options.key) {
      const result = part(x)
      if ('error' in result) return undefined
      parts.push(result.value)
    }
    return identifyingText(parts)
  }

  /** What is known and holds. */
  find(key: string): RememberedJudgement | undefined {
    const known = this.#judgements.get(key)
    if (!known || known.until > this.#options.now()) return known
    this.#judgements.delete(key)
    return undefined
  }

  /** Whether this request is the one that asks again. If it is, it has to say when it is done. */
  isDue(known: RememberedJudgement): boolean {
    return !known.isAskedAgain && known.askAgainAt <= this.#options.now()
  }

  /** Keeps a judgement that has just been applied to an exchange. What was known before holds no longer. */
  keep(key: string, judgement: Judgement, x: Exchange): void {
    if (!judgement.mayBeRemembered) return
    const now = this.#options.now()
    const until = endOf(this.#options.ttl(x), now)
    if (until === undefined || until <= now) {
      this.#judgements.delete(key)
      return
    }
    const askAgainAt = until - Math.min((until - now) * AHEAD, AHEAD_MS)
    this.#judgements.set(key, { judgement, until, askAgainAt, isAskedAgain: false })
  }
}

/** CEL durations have a primitive value in milliseconds, timestamps are dates. Nothing else is a time. */
const endOf = (result: ReturnType<Evaluate>, now: number): number | undefined => {
  const value: unknown = 'value' in result ? result.value : undefined
  if (typeof value !== 'object' || value === null) return undefined
  const ms: unknown = value.valueOf()
  if (typeof ms !== 'number' || Number.isNaN(ms)) return undefined
  return value instanceof Date ? ms : now + ms
}
