import type * as File from '../../config/schema/file-types.gen.ts'
import type { FormOf } from '../../controller/schema/field.ts'
import type { FormContext, Texts } from '../../controller/schema/form-context.ts'
import { credentialLocationOf, extractionLocationField } from '../../controller/schema/location-fields.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { matchLabelsField } from '../../controller/schema/policy-fields.ts'
import { policyForm, refuseRequests } from '../../controller/schema/policy-form.ts'
import { localSecretRefField } from '../../controller/schema/reference-fields.ts'
import { enumField } from '../../controller/schema/scalar-fields.ts'
import { exactlyOneOf } from '../../controller/schema/validation-rule.ts'
import { isJsonObject } from '../../protocols/json/json-object.ts'

const apiKeyAuthenticationField = objectField(
  'Validates API keys.',
  {
    mode: enumField(
      '`Strict`: requests without a valid key are refused. `Optional`: those without a key pass. `Permissive`: all pass.',
      ['Strict', 'Optional', 'Permissive'],
      { default: 'Strict' },
    ),
    secretRef: localSecretRefField('Secret with keys: each value is one, or JSON with `key` and `metadata`.'),
    secretSelector: matchLabelsField('Secrets with keys, by labels.'),
    configMapSelector: matchLabelsField('ConfigMaps with hashes of keys, by labels.'),
    location: extractionLocationField('Where the key is. By default the header Authorization.'),
  },
  { rules: [exactlyOneOf('secretRef', 'secretSelector', 'configMapSelector')] },
)

/** `traffic.apiKeyAuthentication` of a ProxyPolicy. */
export const apiKeyAuthenticationForm = policyForm({
  field: apiKeyAuthenticationField,
  translate: (form, context) => {
    const keys = keysOf(form, context)
    return (
      keys && {
        apiKey: {
          keys: [...keys],
          mode: modes[form.mode ?? 'Strict'],
          ...(form.location === undefined ? {} : { location: credentialLocationOf(form.location) }),
        },
      }
    )
  },
  whenBroken: refuseRequests,
})

const modes = { Strict: 'strict', Optional: 'optional', Permissive: 'permissive' } as const

/**
 * Undefined if the Secret is not there: then nobody is let in. Values that are no keys are reported and left out; selectors
 * may find nothing.
 */
const keysOf = (
  { secretRef, secretSelector, configMapSelector }: FormOf<typeof apiKeyAuthenticationField>,
  context: FormContext,
): readonly File.ApiKey[] | undefined => {
  if (secretRef) {
    const texts = context.secret(secretRef)
    return texts && keysIn(`Secret ${secretRef.name}`, texts, false, context)
  }
  const kind = secretSelector ? 'Secret' : 'ConfigMap'
  const labels = (secretSelector ?? configMapSelector)?.matchLabels ?? {}
  return context
    .labelled(kind, labels)
    .flatMap(({ name, texts }) => keysIn(`${kind} ${name}`, texts, kind === 'ConfigMap', context))
}

const keysIn = (
  source: string,
  texts: Texts,
  isHashOnly: boolean,
  context: FormContext,
): readonly File.ApiKey[] =>
  Object.entries(texts).flatMap(([name, text]) => {
    const key = parseKey(text)
    if (key === undefined || (key.key === undefined) === (key.keyHash === undefined)) {
      context.report(`${source}: "${name}" is neither a key nor JSON with "key" or "keyHash"`)
      return []
    }
    if (isHashOnly && key.key !== undefined) {
      context.report(`${source}: "${name}" has a key; ConfigMaps may only have hashes ("keyHash")`)
      return []
    }
    return [key]
  })

/** JSON of an object, or the key itself. */
const parseKey = (text: string): File.ApiKey | undefined => {
  if (!text.startsWith('{')) return text === '' ? undefined : { key: text }
  try {
    const { key, keyHash, metadata } = JSON.parse(text) as Readonly<Record<string, unknown>>
    return {
      ...(typeof key === 'string' ? { key } : {}),
      ...(typeof keyHash === 'string' ? { keyHash } : {}),
      ...(isJsonObject(metadata) ? { metadata } : {}),
    }
  } catch {
    return undefined
  }
}
