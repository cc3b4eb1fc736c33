import { isJsonObject } from '../json/json-object.ts'
import { readJsonObject } from '../json/read-json.ts'
import { listIn } from '../json/typed-values.ts'

/** The address of an agent, if a path is that of its card: without the place where cards lie, and without a slash. */
export const agentPathOf = (path: string): string | undefined => {
  const place = places.find((one) => path.endsWith(one))
  return place === undefined ? undefined : path.slice(0, -place.length)
}

/**
 * Makes every address at which an agent takes calls the same one: `url` and `additionalInterfaces` of version 0.3,
 * `supportedInterfaces` of version 1.0. Addresses of pages about it stay.
 *
 * Signatures are taken out: they are about what the card said before, and one that does not hold is worse than none.
 *
 * @returns Undefined if the text is no card, or says nothing else than it should.
 */
export const rehomeCard = (text: string, home: string): string | undefined => {
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

const places = ['/.well-known/agent-card.json', '/.well-known/agent.json'] as const
