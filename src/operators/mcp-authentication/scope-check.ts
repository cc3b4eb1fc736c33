import type { CompiledRule } from '../authorization/exchange-rule.ts'

/**
 * Whether a token with other scopes might satisfy the rules that refused: one of them reads the scopes of tokens, or
 * names a scope that the resource declares, in any claim that carries scopes. A caller that has all declared scopes
 * would gain nothing.
 *
 * @param declared `scopes_supported` of the resource.
 * @param claims Of the token.
 */
export const scopeHelps = (
  rules: readonly CompiledRule[],
  declared: readonly string[],
  claims: object | undefined,
): boolean => {
  const granted = scopesIn(claims)
  if (declared.length > 0 && declared.every((scope) => granted.has(scope))) return false
  return rules.some(
    ({ text, expression }) => expression.readsScopes === true || namesOne(text, new Set(declared)),
  )
}

const namesOne = (text: string, scopes: ReadonlySet<string>): boolean =>
  scopes.size > 0 &&
  [...text.matchAll(literal)].some(([quoted]) => words(quoted.slice(1, -1)).some((one) => scopes.has(one)))

const literal = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g

/** RFC 9068 has `scope`, one string; Microsoft and Okta have `scp`, a string or a list. */
const scopesIn = (claims: object = {}): ReadonlySet<string> =>
  new Set(
    SCOPE_CLAIMS.flatMap((name) => {
      const value = (claims as Readonly<Record<string, unknown>>)[name]
      if (typeof value === 'string') return words(value)
      return Array.isArray(value) ? value.map(String) : []
    }),
  )

/** Claims that hold scopes. */
export const SCOPE_CLAIMS = ['scope', 'scp', 'scopes']

const words = (text: string): string[] => text.split(' ')
