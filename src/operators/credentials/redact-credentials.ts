import { onRequest, type Operator } from '../../pipeline/stage.ts'
import {
  redactSourceCredentials,
  type CredentialSource,
  isKnownByName,
  readCredentials,
} from './credential-source.ts'

/**
 * Redacts possible credentials of a client in traces. The policies that read them do so too, but parts of a request
 * may be traced before these run. Undefined if all locations are redacted anyway.
 *
 * Belongs before every stage that may wait. Costs an untraced exchange a comparison.
 *
 * @param sources The locations of all policies of the listener and its routes. Credentials found by expressions are
 *   unknown here.
 */
export const redactTracedCredentials = (sources: readonly CredentialSource[]): Operator | undefined => {
  const hidden = sources.filter((source) => source.kind !== 'expression' && !isKnownByName(source))
  const distinct = [...new Map(hidden.map((source) => [JSON.stringify(source), source])).values()]
  if (distinct.length === 0) return undefined
  return onRequest('conceal', (x) => {
    if (!x.probe) return
    for (const source of distinct) redactSourceCredentials(source, x, readCredentials(source, x))
  })
}
