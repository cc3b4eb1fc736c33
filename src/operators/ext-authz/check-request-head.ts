import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { parseAuthority } from '../../protocols/http/authority.ts'
import { isToken } from '../../protocols/http/field-syntax.ts'
import { evaluatedText } from '../headers/header-value.ts'
import { checkNotPossible } from './check-result.ts'

/** The head of a check request, where pseudo-headers are configured. */
export interface CheckRequestHead {
  readonly method?: string
  readonly target?: string
  readonly authority?: string
}

/**
 * Compiles the pseudo-headers for the head of a check request.
 *
 * @throws Fault `ext_authz_unaskable`, when run, for a part that fails or is not valid: the service would decide about
 *   a different request.
 */
export const checkRequestHead = (
  fields: readonly (readonly [name: string, value: Evaluate])[],
): ((x: Exchange) => CheckRequestHead) => {
  const parts = fields.flatMap(([name, value]) => {
    const part = PARTS[name]
    return part ? [{ ...part, name, value }] : []
  })
  if (parts.length === 0) return () => NOTHING
  return (x) =>
    Object.fromEntries(
      parts.map(({ name, key, read, value }) => {
        const text = evaluatedText(value(x))
        const found = text === undefined ? undefined : read(text)
        if (found === undefined) throw checkNotPossible(`${name} of the question could not be evaluated`)
        return [key, found]
      }),
    )
}

/** The text, if it is the path and query of a request. */
export const targetText = (text: string): string | undefined => (isTarget.test(text) ? text : undefined)

interface Part {
  readonly key: keyof CheckRequestHead
  readonly read: (text: string) => string | undefined
}

/** Without `:scheme`: the endpoint determines whether TLS is used. */
const PARTS: Readonly<Record<string, Part>> = {
  // CONNECT would request a tunnel instead of a decision.
  ':method': { key: 'method', read: (text) => (isToken(text) && text !== 'CONNECT' ? text : undefined) },
  ':path': { key: 'target', read: targetText },
  ':authority': { key: 'authority', read: (text) => parseAuthority(text)?.authority },
}

const NOTHING: CheckRequestHead = {}
const isTarget = /^\/[\x21-\x7e]*$/
