import { isJsonObject } from '../json/json-object.ts'
import { readJsonObject } from '../json/read-json.ts'
import { listIn } from '../json/typed-values.ts'

/**
 * The URL path of an agent, if a path is that of its card: without the well-known suffix, and without a
 * trailing slash.
 */
export const agentPathOf = (path: string): string | undefined => {
  const suffix = suffixes.find((one) => path.endsWith(one))
  return suffix === undefined ? undefined : path.slice(0, -suffix.length)
}

/**
 * Replaces every address at which an agent accepts calls with the given one: `url` and `additionalInterfaces` of
 * version 0.3, `supportedInterfaces` of version 1.0. Addresses of documentation are kept.
 *
 * Signatures are removed: they cover the original card, and an invalid signature is worse than none.
 *
 * @returns Undefined if the text is not a card, or needs no change.
 */
export const withAgentCardUrl = (text: string, home: string): string | undefined => {
  const card = readJsonObject(text)
  if (!card) return undefined
  const strays = [card, ...listIn(card.additionalInterfaces), ...listIn(card.supportedInterfaces)].filter(
    (one) => isJsonObject(one) && typeof one.url === 'string' && one.url !== home,
  )
  if (strays.length === 0) return undefined
  for (const one of strays) (one as { url: string }).url = home
  delete card.signatures
  return JSON.stringify(card)
}

const suffixes = ['/.well-known/agent-card.json', '/.well-known/agent.json'] as const
