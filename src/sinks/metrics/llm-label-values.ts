import { redactUrl } from '../../model/trace/redact.ts'

/**
 * Decides which model names may be labels. Clients may request any name, and providers may report any: the number per
 * provider is limited, with a low limit for names that no provider has served.
 */
export class LlmNames {
  /** Labels of names, by provider. */
  readonly #confirmed = new Map<string, Map<string, string>>()
  readonly #unanswered = new Map<string, Map<string, string>>()

  /** The label of a model; undefined without a name. */
  label(provider: string, name: string | undefined, isConfirmed: boolean): string | undefined {
    if (name === undefined || name === '') return undefined
    const label =
      this.#confirmed.get(provider)?.get(name) ??
      (isConfirmed
        ? intern(this.#confirmed, provider, name, CONFIRMED_LIMIT)
        : intern(this.#unanswered, provider, name, UNANSWERED_LIMIT))
    return label ?? 'other'
  }
}

/** The label of a name; undefined beyond the limit. */
const intern = (
  all: Map<string, Map<string, string>>,
  provider: string,
  name: string,
  limit: number,
): string | undefined => {
  let labels = all.get(provider)
  if (!labels) all.set(provider, (labels = new Map<string, string>()))
  const known = labels.get(name)
  if (known !== undefined || labels.size >= limit) return known
  const label = redactUrl(name).slice(0, MAX_LENGTH)
  labels.set(name, label)
  return label
}

/** Limits per provider. */
const CONFIRMED_LIMIT = 500
const UNANSWERED_LIMIT = 50
const MAX_LENGTH = 128
