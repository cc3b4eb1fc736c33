import { jsonObjectIn } from '../../json/json-object.ts'

/** Reads in which tier an answer was made, from its usage. */
export const serviceTierOf = (usage: unknown): string | undefined => {
  const tier = jsonObjectIn(usage)?.service_tier
  if (typeof tier !== 'string') return undefined
  return tier === 'standard' ? 'default' : tier
}

/** Writes it; undefined for one that is not known here. */
export const serviceTier = (tier: string | undefined): string | undefined => {
  if (tier === 'default') return 'standard'
  return tier === 'priority' || tier === 'batch' ? tier : undefined
}
