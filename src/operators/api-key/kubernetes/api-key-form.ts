import type { FormOf } from '../../../controller/schema/field.ts'
import type { FormContext } from '../../../controller/schema/form-context.ts'
import { credentialLocationOf, extractionLocationField } from '../../../controller/schema/location-fields.ts'
import { objectField } from '../../../controller/schema/object-fields.ts'
import { matchLabelsField } from '../../../controller/schema/policy-fields.ts'
import { policyForm, refuseRequests } from '../../../controller/schema/policy-form.ts'
import { localSecretRefField } from '../../../controller/schema/reference-fields.ts'
import { enumField } from '../../../controller/schema/scalar-fields.ts'
import { exactlyOneOf } from '../../../controller/schema/validation-rule.ts'
import { type KeyEntry, keysOfEntries } from './keys-of-entries.ts'

const apiKeyAuthenticationField = objectField(
  'Validates API keys.',
  {
    mode: enumField(
      '`Strict`: requests without a valid key are refused. `Optional`: those without a key pass. `Permissive`: all pass.',
      ['Strict', 'Optional', 'Permissive'],
      { default: 'Strict' },
    ),
    secretRef: localSecretRefField(
      'Secret with keys: each value is one, or JSON with `key` or `keyHash`, `metadata` and `allowedModels`.',
    ),
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
    const entries = entriesOf(form, context)
    return (
      entries && {
        apiKey: {
          keys: keysOfEntries(entries, context.report),
          mode: modes[form.mode ?? 'Strict'],
          ...(form.location === undefined ? {} : { location: credentialLocationOf(form.location) }),
        },
      }
    )
  },
  whenBroken: refuseRequests,
})

const modes = { Strict: 'strict', Optional: 'optional', Permissive: 'permissive' } as const

/** Undefined if the Secret is not there: then nobody is let in. Selectors may find nothing. */
const entriesOf = (
  { secretRef, secretSelector, configMapSelector }: FormOf<typeof apiKeyAuthenticationField>,
  context: FormContext,
): readonly KeyEntry[] | undefined => {
  if (secretRef) {
    const texts = context.secret(secretRef)
    return texts && entriesIn('Secret', { name: secretRef.name, texts })
  }
  const kind = secretSelector ? 'Secret' : 'ConfigMap'
  const labels = (secretSelector ?? configMapSelector)?.matchLabels ?? {}
  return context.labelled(kind, labels).flatMap((one) => entriesIn(kind, one))
}

const entriesIn = (
  kind: KeyEntry['kind'],
  { name: object, texts }: ReturnType<FormContext['labelled']>[number],
): readonly KeyEntry[] => Object.entries(texts).map(([name, text]) => ({ kind, object, name, text }))
