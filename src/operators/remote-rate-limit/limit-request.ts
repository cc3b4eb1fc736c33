import type { MessageInitShape } from '@bufbuild/protobuf'
import { hash } from 'node:crypto'
import { Secret } from '../../cel/headers-view.ts'
import { toPlain, toText } from '../../cel/values.ts'
import type { Evaluate } from '../../model/evaluate.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { RateLimitRequestSchema } from '../../protocols/grpc/rate-limit.gen.ts'
import type { RateLimitDescriptorSchema } from '../../protocols/grpc/rate-limit-descriptor.gen.ts'
import { RateLimitUnit } from '../../protocols/grpc/rate-limit-unit.gen.ts'

/** What is counted together, by expressions. */
export interface Counted {
  readonly entries: readonly (readonly [key: string, value: Evaluate])[]
  /** How much a request counts: a number that is not negative. Anything else counts as 1. */
  readonly cost: Evaluate | undefined
  /** `{unit, requestsPerUnit}`; anything else leaves the limit to the service. */
  readonly limitOverride: Evaluate | undefined
}

type Descriptor = MessageInitShape<typeof RateLimitDescriptorSchema>

/**
 * Writes down what a request counts as.
 *
 * A descriptor of which an entry cannot be evaluated is left out. Of a credential its hash is written down: it tells
 * callers apart, and is of no use to whoever reads it.
 *
 * @returns Undefined if none is left: then nothing is counted.
 */
export const limitRequest = (
  x: Exchange,
  domain: string,
  counted: readonly Counted[],
): MessageInitShape<typeof RateLimitRequestSchema> | undefined => {
  const descriptors: Descriptor[] = []
  const costs = new Set<number | undefined>()
  for (const one of counted) {
    const entries = entriesOf(x, one.entries)
    if (!entries) continue
    const cost = one.cost && costOf(one.cost, x)
    const limit = one.limitOverride && limitOf(one.limitOverride, x)
    costs.add(cost)
    descriptors.push({
      entries,
      ...(limit && { limit }),
      ...(cost === undefined ? {} : { hitsAddend: BigInt(cost) }),
    })
  }
  if (descriptors.length === 0) return undefined
  const [common] = costs
  // Older services know one cost for all descriptors only.
  return { domain, descriptors, hitsAddend: costs.size === 1 ? (common ?? 0) : 0 }
}

const entriesOf = (
  x: Exchange,
  entries: Counted['entries'],
): { key: string; value: string }[] | undefined => {
  const evaluated: { key: string; value: string }[] = []
  for (const [key, expression] of entries) {
    const result = expression(x)
    const value = 'value' in result ? entryText(result.value) : undefined
    if (value === undefined) return undefined
    evaluated.push({ key, value })
  }
  return evaluated
}

/** A header that came more than once counts by all its values: whoever sends two must not pass uncounted. */
const entryText = (value: unknown): string | undefined => {
  if (value instanceof Secret) return `sha256:${hash('sha256', value.reveal())}`
  return isTexts(value) ? value.join(',') : toText(value)
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')

const MOST = 2 ** 32 - 1

const costOf = (expression: Evaluate, x: Exchange): number => {
  const result = expression(x)
  const value = 'value' in result ? toPlain(result.value) : undefined
  return typeof value === 'number' && value >= 0 ? Math.min(Math.ceil(value), MOST) : 1
}

const limitOf = (
  expression: Evaluate,
  x: Exchange,
): { unit: RateLimitUnit; requestsPerUnit: number } | undefined => {
  const result = expression(x)
  const value = 'value' in result ? toPlain(result.value) : undefined
  if (typeof value !== 'object' || value === null) return undefined
  const { unit, requestsPerUnit } = value as { unit?: unknown; requestsPerUnit?: unknown }
  const known = typeof unit === 'string' ? units.get(unit.toUpperCase()) : undefined
  if (known === undefined || typeof requestsPerUnit !== 'number' || !(requestsPerUnit >= 0)) return undefined
  return { unit: known, requestsPerUnit: Math.min(Math.floor(requestsPerUnit), MOST) }
}

const units: ReadonlyMap<string, RateLimitUnit> = new Map(
  Object.entries(RateLimitUnit).filter(([, unit]) => unit !== RateLimitUnit.UNKNOWN),
)
