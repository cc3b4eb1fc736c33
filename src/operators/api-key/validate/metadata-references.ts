import { isJsonObject } from '../../../protocols/json/json-object.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { nearest } from '../../../config/schema-check/did-you-mean.ts'
import { policyContainers } from '../../../config/validate/policy-locations.ts'
import type { Check, ValidationContext } from '../../../config/validate/context.ts'
import { stripStringLiterals } from '../../../config/validate/strip-string-literals.ts'

/** Expressions that read something of an API key that no key has: mistyped, as a rule. */
export const checkApiKeyMetadata: Check = (view) => {
  const policies = policyContainers(view).flatMap(({ policies: { apiKey } }) => apiKey ?? [])
  // Without any, somebody else may say what there is to read.
  if (policies.length === 0) return
  const known = new Set([
    'key',
    ...policies.flatMap(({ keys }) => keys.flatMap(({ metadata }) => Object.keys(metadata ?? {}))),
  ])
  examine(view, view.document.value, '', known)
}

function examine(view: ValidationContext, value: unknown, pointer: string, known: ReadonlySet<string>): void {
  if (typeof value === 'string') {
    if (!value.includes('apiKey.')) return
    for (const [, name = ''] of stripStringLiterals(value).matchAll(READ))
      if (!known.has(name)) {
        const meant = nearest(name, known)
        view.warning(
          pointer,
          'unknown_api_key_field',
          `reads apiKey.${name}, which the metadata of no key has${meant === undefined ? '' : `: did you mean apiKey.${meant}?`}`,
        )
      }
  } else if (Array.isArray(value)) value.forEach((one, i) => examine(view, one, child(pointer, i), known))
  else if (isJsonObject(value))
    for (const [name, part] of Object.entries(value))
      if (!proseFields.has(name)) examine(view, part, child(pointer, name), known)
}

/** Not the fields of something else that is called so: `metadata.apiKey.a`. Calls are no fields. */
const READ = /(?<![\w.])apiKey\.([A-Za-z_]\w*)(?!\s*\(|\w)/g
/** Texts that are no expressions. */
const proseFields: ReadonlySet<string> = new Set(['body', 'description', 'htpasswd', 'key', 'jwks'])
