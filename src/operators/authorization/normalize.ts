import type { Authorization, AuthorizationRule } from '../../model/authorization.ts'
import type * as File from '../file-types.gen.ts'

/** `authorization`, with every rule in the long form. */
export function authorization({ rules }: File.Authorization): Authorization {
  return { rules: rules.map(rule) }
}

function rule(written: File.AuthorizationRule): AuthorizationRule {
  if (typeof written === 'string') return { allow: written }
  const { allow, deny, require } = written
  if (deny !== undefined) return { deny }
  return require === undefined ? { allow: allow ?? '' } : { require }
}
