import {
  exactlyOne,
  formatted,
  listOf,
  type Properties,
  record,
  ref,
  text,
  words,
} from '../../config/schema/builders.ts'
import type { CredentialLocation } from '../../model/policies/credential-location.ts'
import type { SecretText } from '../../model/policies/secret-text.ts'

/** Authentication by API key. */
export interface ApiKeys {
  readonly keys: readonly ApiKey[]
  /** Whether requests without a key pass unauthenticated, and in `permissive` mode those with a wrong one too. */
  readonly mode: 'strict' | 'optional' | 'permissive'
  readonly location: CredentialLocation
}

/** A key and its owner. */
export interface ApiKey {
  /** SHA-256 in lower-case hexadecimal. A running gateway does not contain the key itself until a client sends it. */
  readonly hash: SecretText
  /** Attributes of the owner, for rules as `apiKey`. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** Models that the caller can use, with `*` at an end or alone; absent: all, empty: none. */
  readonly allowedModels?: readonly string[]
}

const key = record(
  'An API key.',
  {
    key: text('The key in plain text.', { minLength: 1 }),
    keyHash: text(
      'SHA-256 of the key as `sha256:` and 64 hexadecimal digits, to keep the key out of the file.',
      {
        pattern: '^sha256:[0-9A-Fa-f]{64}$',
      },
    ),
    metadata: {
      type: 'object',
      description:
        'Attributes of the caller, available to expressions as `apiKey.…`. `apiKey.key` is the key itself.',
    },
    allowedModels: listOf(
      formatted('modelPattern', 'Model name or pattern.'),
      'Language models that callers with this key can use: names, optionally with `*` at the start or the end, or `*` for all. Default: all models. An empty list allows none.',
    ),
  },
  exactlyOne('key', 'keyHash'),
)

const apiKeys = record(
  'Authenticates callers by API key.',
  {
    keys: listOf(ref('ApiKey'), 'Accepted keys.'),
    mode: words(
      '`strict`: requests without a key or with an unknown key are refused. `optional`: requests without a key pass unauthenticated, unknown keys are refused. `permissive`: both pass unauthenticated.',
      ['strict', 'optional', 'permissive'],
      'optional',
    ),
    location: ref(
      'CredentialLocation',
      'Where requests carry the key. Default: `Authorization` with the prefix `Bearer `.',
    ),
  },
  { required: ['keys'] },
)

/** Definitions of API keys. */
export const apiKeyDefinitions: Properties = { ApiKey: key, ApiKeys: apiKeys }
