import { redactUrl } from '../../model/redact.ts'

/**
 * Which names of models may be labels. Clients may ask for anything, and providers may call themselves anything: of each
 * provider there are only so many names, and few of those that nobody has ever answered for.
 */
export class LlmNames {
  readonly #answered = new Map<string, Set<string>>()
  readonly #unanswered = new Map<string, Set<string>>()

  /** The label for a model; undefined if it has no name. */
  label(provider: string, name: string | undefined, isAnswered: boolean): string | undefined {
    if (name === undefined || name === '') return undefined
    if (this.#answered.get(provider)?.has(name)) return shown(name)
    const isKnown = isAnswered
      ? remember(this.#answered, provider, name, ANSWERED_LIMIT)
      : remember(this.#unanswered, provider, name, UNANSWERED_LIMIT)
    return isKnown ? shown(name) : 'other'
  }
}

const remember = (all: Map<string, Set<string>>, provider: string, name: string, limit: number): boolean => {
  let names = all.get(provider)
  if (!names) all.set(provider, (names = new Set()))
  if (names.has(name)) return true
  if (names.size >= limit) return false
  names.add(name)
  return true
}

/** Of one provider. */
const ANSWERED_LIMIT = 500
const UNANSWERED_LIMIT = 50
const MAX_LENGTH = 128

const shown = (name: string): string => redactUrl(name).slice(0, MAX_LENGTH)
