import { redactUrl } from '../../../model/trace/redact.ts'
import { OVERFLOW } from '../exposition/label-text.ts'
import type { OnLabelOverflow } from './label-values.ts'

/**
 * Decides which model names may be labels. Clients may request any name, and providers may report any: the number per
 * provider is limited, with a low limit for names that no provider has served.
 */
export class LlmNames {
  /** Labels of names, by provider. */
  readonly #confirmed = new Map<string, Map<string, string>>()
  readonly #unanswered = new Map<string, Map<string, string>>()

  readonly #onOverflow: OnLabelOverflow

  constructor(onOverflow: OnLabelOverflow) {
    this.#onOverflow = onOverflow
  }

  /** The model as a value of `label`; undefined without a name. */
  value(
    label: 'gen_ai_request_model' | 'gen_ai_response_model',
    provider: string,
    name: string | undefined,
    isConfirmed: boolean,
  ): string | undefined {
    if (name === undefined || name === '') return undefined
    const value =
      this.#confirmed.get(provider)?.get(name) ??
      (isConfirmed
        ? intern(this.#confirmed, provider, name, CONFIRMED_LIMIT)
        : intern(this.#unanswered, provider, name, UNANSWERED_LIMIT))
    if (value === undefined) this.#onOverflow(label)
    return value ?? OVERFLOW
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
  const label = redactUrl(name).slice(0, MAX_LENGTH).toWellFormed()
  labels.set(name, label)
  return label
}

/** Limits per provider. */
const CONFIRMED_LIMIT = 500
const UNANSWERED_LIMIT = 50
const MAX_LENGTH = 128
