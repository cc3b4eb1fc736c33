import type { MessageInitShape } from '@bufbuild/protobuf'
import { hash } from 'node:crypto'
import { Secret } from '../../cel/context/headers-view.ts'
import { toPlain, toText } from '../../cel/values/values.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { RateLimitRequestSchema } from '../../protocols/grpc/rate-limit.gen.ts'
import type { RateLimitDescriptorSchema } from '../../protocols/grpc/rate-limit-descriptor.gen.ts'
import { RateLimitUnit } from '../../protocols/grpc/rate-limit-unit.gen.ts'

/** Descriptors that are counted together, by expressions. */
export interface Counted {
  readonly entries: readonly (readonly [key: string, value: Evaluate])[]
  /** Counts one per request, or the tokens of language models; requests by default. */
  readonly counts?: 'requests' | 'tokens'
  /**
   * The cost of a request: a number that is not negative. Anything else counts as 1, or as the number of used tokens.
   * For tokens it is evaluated once these are known.
   */
  readonly cost: Evaluate | undefined
  /** `{unit, requestsPerUnit}`; anything else leaves the limit to the service. */
  readonly limitOverride: Evaluate | undefined
}

/** The descriptor of an exchange: the same at admission and when its usage is known. */
export interface Described {
  readonly descriptor: Pick<Descriptor, 'entries' | 'limit'>
  readonly counted: Counted
}

type Descriptor = MessageInitShape<typeof RateLimitDescriptorSchema>

/** A request to the rate limit service. */
export type LimitRequest = MessageInitShape<typeof RateLimitRequestSchema>

/**
 * Evaluates the descriptors of a request.
 *
 * A descriptor with an entry that cannot be evaluated is left out. Credentials are replaced by their hash: it
 * distinguishes callers, and cannot be used by readers.
 */
export const describeLimit = (x: Exchange, counted: readonly Counted[]): Described[] =>
  counted.flatMap((one) => {
    const entries = entriesOf(x, one.entries)
    if (!entries) return []
    const limit = one.limitOverride && limitOf(one.limitOverride, x)
    return [{ descriptor: limit ? { entries, limit } : { entries }, counted: one }]
  })

/**
 * Builds the request that decides whether a request may pass. Tokens are not counted yet, but must not be exhausted.
 *
 * @returns Undefined if nothing is to be counted.
 */
export const limitRequest = (
  x: Exchange,
  domain: string,
  described: readonly Described[],
): LimitRequest | undefined => {
  if (described.length === 0) return undefined
  const costs = new Set<number | undefined>()
  const descriptors = described.map(({ descriptor, counted }): Descriptor => {
    const cost = counted.counts === 'tokens' ? 0 : counted.cost && (costOf(counted.cost, x) ?? 1)
    costs.add(cost)
    return cost === undefined ? descriptor : { ...descriptor, hitsAddend: BigInt(cost) }
  })
  const [common] = costs
  // Older services support only one cost for all descriptors.
  return { domain, descriptors, hitsAddend: costs.size === 1 ? (common ?? 0) : 0 }
}

/** Builds the request that counts more or fewer hits of each descriptor. */
export const amendment = (
  domain: string,
  hits: readonly (readonly [Described, count: number])[],
): LimitRequest => {
  const descriptors = hits.map(([{ descriptor }, count]): Descriptor => ({
    ...descriptor,
    hitsAddend: BigInt(Math.min(Math.abs(count), MOST)),
    ...(count < 0 ? { isNegativeHits: true } : {}),
  }))
  const [first] = hits
  const isCommon = first && first[1] > 0 && hits.every(([, count]) => count === first[1])
  return { domain, descriptors, hitsAddend: isCommon ? Math.min(first[1], MOST) : 0 }
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

/** A repeated header counts by all its values: sending two must not bypass the limit. */
const entryText = (value: unknown): string | undefined => {
  if (value instanceof Secret) return `sha256:${hash('sha256', value.reveal())}`
  return isTexts(value) ? value.join(',') : toText(value)
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')

const MOST = 2 ** 32 - 1

/** The cost by an expression; undefined if its result is not usable. */
export const costOf = (expression: Evaluate, x: Exchange): number | undefined => {
  const result = expression(x)
  const value = 'value' in result ? toPlain(result.value) : undefined
  return typeof value === 'number' && value >= 0 ? Math.min(Math.ceil(value), MOST) : undefined
}

const limitOf = (
  expression: Evaluate,
  x: Exchange,
): { unit: RateLimitUnit; requestsPerUnit: number } | undefined => {
  const result = expression(x)
  const value = 'value' in result ? toPlain(result.value) : undefined
  if (typeof value !== 'object' || value === null) return undefined
  const { unit, requestsPerUnit } = value as { unit?: unknown; requestsPerUnit?: unknown }
  const limitUnit = typeof unit === 'string' ? units.get(unit.toUpperCase()) : undefined
  if (limitUnit === undefined || typeof requestsPerUnit !== 'number' || !(requestsPerUnit >= 0))
    return undefined
  return { unit: limitUnit, requestsPerUnit: Math.min(Math.floor(requestsPerUnit), MOST) }
}

const units: ReadonlyMap<string, RateLimitUnit> = new Map(
  Object.entries(RateLimitUnit).filter(([, unit]) => unit !== RateLimitUnit.UNKNOWN),
)
