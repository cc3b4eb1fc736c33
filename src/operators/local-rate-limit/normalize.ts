import type { LocalLimit, LocalRateLimit } from '../../model/rate-limit.ts'
import { defaults } from '../defaults.ts'
import type * as File from '../file-types.gen.ts'
import { milliseconds } from './context.ts'

/** `localRateLimit`, with its defaults. */
export function localRateLimit(policy: File.LocalRateLimit, instance: string): LocalRateLimit {
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
