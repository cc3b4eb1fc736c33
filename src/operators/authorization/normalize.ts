import type { Authorization, AuthorizationRule } from './schema.ts'
import type * as File from '../../config/schema/file-types.gen.ts'

/** `authorization`, with every rule in the long form. */
export function normalizeAuthorization({ rules }: File.Authorization): Authorization {
  return { rules: rules.map(rule) }
}

function rule(written: File.AuthorizationRule): AuthorizationRule {
  if (typeof written === 'string') return { allow: written }
  const { allow, deny, require } = written
  if (deny !== undefined) return { deny }
  return require === undefined ? { allow: allow ?? '' } : { require }
}

/** The rules of both levels, those of the outer one first. */
export function mergeRules(outer: Authorization, inner: Authorization): Authorization {
  return { rules: [...outer.rules, ...inner.rules] }
}
