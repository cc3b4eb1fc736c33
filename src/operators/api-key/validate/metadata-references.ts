import { isJsonObject } from '../../../protocols/json/json-object.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { nearest } from '../../../config/schema-check/did-you-mean.ts'
import { policyContainers } from '../../../config/validate/policy-locations.ts'
import type { Check, ValidationContext } from '../../../config/validate/context.ts'
import { stripStringLiterals } from '../../../config/validate/strip-string-literals.ts'

/** Checks for expressions that read metadata that no API key has: usually a typo. */
export const checkApiKeyMetadata: Check = (view) => {
  const policies = policyContainers(view).flatMap(({ policies: { apiKey } }) => apiKey ?? [])
  // Without API keys another part of the configuration may set it.
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

/** Ignores fields of other objects with that name, as in `metadata.apiKey.a`, and calls. */
const READ = /(?<![\w.])apiKey\.([A-Za-z_]\w*)(?!\s*\(|\w)/g
/** String fields that are not expressions. */
const proseFields: ReadonlySet<string> = new Set(['body', 'description', 'htpasswd', 'key', 'jwks'])
