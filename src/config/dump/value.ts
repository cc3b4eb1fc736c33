import { createHash } from 'node:crypto'
import { Redaction, hideSecrets, redactText, redacted } from '../../model/trace/redact.ts'
import { isSecretText } from '../../model/policies/secret-text.ts'
import { XDS_ORIGIN } from '../xds/xds-resource.ts'
import type { Origin } from '../../model/resources/origin.ts'
import { formatDuration } from '../format/duration.ts'

/** What must be hidden in dumps. */
export interface Hiding {
  /** Detects names of headers that carry credentials. */
  readonly redaction: Redaction
  /** Values of variables that are named like credentials: hidden wherever they occur. */
  readonly secrets: readonly string[]
}

/** Plain data, ready to be written as JSON. */
export type Printed = Readonly<Record<string, unknown>>

/**
 * A value of the resource model in the notation of the file: milliseconds become durations, lists of pairs
 * become objects, empty lists and file locations are left out, credentials are hidden.
 */
export function printed(value: unknown, hiding: Hiding): unknown {
  if (typeof value === 'string') return hideSecrets(shortened(value), hiding.secrets)
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value
    return arePairs(list) ? fromPairs(list, hiding) : list.map((item) => printed(item, hiding))
  }
  if (typeof value !== 'object' || value === null) return value
  if (isSecretText(value)) return redacted
  if (isSpan(value)) return formatDuration(value.ms)
  if (value instanceof Set) return printed([...value], hiding)
  return printedFields(value, hiding)
}

/** The same for an object. */
export function printedFields(value: object, hiding: Hiding): Printed {
  const result: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    if (name === 'origin' || (Array.isArray(field) && field.length === 0)) continue
    if (name.endsWith('Ms') && typeof field === 'number') result[name.slice(0, -2)] = formatDuration(field)
    else result[name] = printed(field, hiding)
  }
  return result
}

/** Which resource of a control plane it is. Where something is in a file is for messages, and not printed. */
export function printedOrigin({ origin }: { readonly origin?: Origin | undefined }): {
  readonly origin?: string
} {
  return origin?.path.startsWith(XDS_ORIGIN) === true ? { origin: origin.path } : {}
}

/** Policies as a list of objects with one field each, named after the policy. */
export function printedPolicies(policies: object, hiding: Hiding): { inlinePolicies?: readonly Printed[] } {
  const list = Object.entries(policies).map(([name, policy]) => ({ [name]: printed(policy, hiding) }))
  return list.length === 0 ? {} : { inlinePolicies: list }
}

/** Certificates are long, and begin alike: a digest shows at once which are meant. */
function shortened(text: string): string {
  const count = text.split('-----BEGIN CERTIFICATE-----').length - 1
  if (count === 0) return text
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return `<${String(count)} PEM certificate${count === 1 ? '' : 's'}, sha256 ${digest}>`
}

/** A constant duration, where an expression is possible too. */
const isSpan = (value: object): value is { readonly ms: number } =>
  'ms' in value && typeof value.ms === 'number' && Object.keys(value).length === 1

type Pair = readonly [string, string]

function arePairs(list: readonly unknown[]): list is readonly Pair[] {
  return list.every(
    (item) => Array.isArray(item) && item.length === 2 && item.every((one) => typeof one === 'string'),
  )
}

function fromPairs(pairs: readonly Pair[], { redaction, secrets }: Hiding): Printed {
  return Object.fromEntries(
    pairs.map(([name, value]) => [
      name,
      hideSecrets(redactText(redaction.header(name.toLowerCase(), value)), secrets),
    ]),
  )
}
