import { onRequest, type Operator } from '../../pipeline/stage.ts'
import {
  redactSourceCredentials,
  type CredentialSource,
  isKnownByName,
  readCredentials,
} from './credential-source.ts'

/**
 * Keeps what may be a credential of a client from those who watch. The policies that look for it do so too, but what is
 * seen of a request may be on its way before they are reached. Undefined if everybody would know it where it is.
 *
 * Belongs before everything that may wait. Costs an unwatched exchange a comparison.
 *
 * @param sources Where any policy of the listener or its routes looks. What only an expression finds, nobody knows here.
 */
export const redactTracedCredentials = (sources: readonly CredentialSource[]): Operator | undefined => {
  const hidden = sources.filter((source) => source.kind !== 'expression' && !isKnownByName(source))
  const places = [...new Map(hidden.map((source) => [JSON.stringify(source), source])).values()]
  if (places.length === 0) return undefined
  return onRequest('conceal', (x) => {
    if (!x.probe) return
    for (const source of places) redactSourceCredentials(source, x, readCredentials(source, x))
  })
}
