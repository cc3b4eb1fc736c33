import { Redaction, hideSecrets, redactText, redacted } from '../../model/redact.ts'
import { isSecretText } from '../../model/secret-text.ts'
import { formatDuration } from '../format/duration.ts'

/** What may not be shown. */
export interface Hiding {
  /** Knows names of headers that carry credentials. */
  readonly redaction: Redaction
  /** Values of variables with the names of credentials: hidden wherever they turn up. */
  readonly secrets: readonly string[]
}

/** Plain data, ready to be written as JSON. */
export type Shown = Readonly<Record<string, unknown>>

/**
 * A value of the resource model as people write it: milliseconds become durations, lists of pairs become objects, empty
 * lists and places in the file are left out, credentials are hidden.
 */
export function shown(value: unknown, hiding: Hiding): unknown {
  if (typeof value === 'string') return hideSecrets(value, hiding.secrets)
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value
    return arePairs(list) ? fromPairs(list, hiding) : list.map((item) => shown(item, hiding))
  }
  if (typeof value !== 'object' || value === null) return value
  if (isSecretText(value)) return redacted
  if (isSpan(value)) return formatDuration(value.ms)
  if (value instanceof Set) return shown([...value], hiding)
  return shownFields(value, hiding)
}

/** The same for an object. */
export function shownFields(value: object, hiding: Hiding): Shown {
  const result: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    if (name === 'origin' || (Array.isArray(field) && field.length === 0)) continue
    if (name.endsWith('Ms') && typeof field === 'number') result[name.slice(0, -2)] = formatDuration(field)
    else result[name] = shown(field, hiding)
  }
  return result
}

/** Policies as a list of objects with one field each, named after the policy. */
export function shownPolicies(policies: object, hiding: Hiding): { inlinePolicies?: readonly Shown[] } {
  const list = Object.entries(policies).map(([name, policy]) => ({ [name]: shown(policy, hiding) }))
  return list.length === 0 ? {} : { inlinePolicies: list }
}

/** A time that might have been an expression. */
const isSpan = (value: object): value is { readonly ms: number } =>
  'ms' in value && typeof value.ms === 'number' && Object.keys(value).length === 1

type Pair = readonly [string, string]

function arePairs(list: readonly unknown[]): list is readonly Pair[] {
  return list.every(
    (item) => Array.isArray(item) && item.length === 2 && item.every((one) => typeof one === 'string'),
  )
}

function fromPairs(pairs: readonly Pair[], { redaction, secrets }: Hiding): Shown {
  return Object.fromEntries(
    pairs.map(([name, value]) => [
      name,
      hideSecrets(redactText(redaction.header(name.toLowerCase(), value)), secrets),
    ]),
  )
}
