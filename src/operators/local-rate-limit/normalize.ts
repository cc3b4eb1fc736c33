import type { LocalLimit, LocalRateLimit } from './schema.ts'
import { defaults } from '../../config/defaults.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import { type Context, milliseconds } from '../../config/normalize/context.ts'

/** `localRateLimit`, with its defaults. */
export function normalizeLocalRateLimit(
  policy: File.LocalRateLimit,
  _: Context,
  instance: string,
): LocalRateLimit {
  if (!('conditional' in policy)) return { instance, limits: policy.map(limit) }
  return {
    instance,
    conditional: policy.conditional.map((entry) => ({
      ...limit(entry),
      ...(entry.condition === undefined ? {} : { condition: entry.condition }),
    })),
  }
}

function limit({ maxTokens, tokensPerFill, fillInterval, type }: File.LocalLimit): LocalLimit {
  return {
    maxTokens: maxTokens ?? defaults.localLimit.maxTokens,
    tokensPerFill: tokensPerFill ?? defaults.localLimit.tokensPerFill,
    fillIntervalMs: milliseconds(fillInterval),
    type: type ?? 'requests',
  }
}
