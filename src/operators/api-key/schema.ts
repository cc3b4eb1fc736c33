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

/** Lets callers in by key. */
export interface ApiKeys {
  readonly keys: readonly ApiKey[]
  /** Whether requests without a key pass as nobody, and in `permissive` mode those with a wrong one too. */
  readonly mode: 'strict' | 'optional' | 'permissive'
  readonly location: CredentialLocation
}

/** A key, and whose it is. */
export interface ApiKey {
  /** SHA-256 in lower-case hexadecimal. The key itself is nowhere in a running gateway until somebody sends it. */
  readonly hash: SecretText
  /** What rules read as `apiKey`. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** Models that the caller may use, with `*` at an end or alone; without it all, and none if it is empty. */
  readonly allowedModels?: readonly string[]
}

const key = record(
  'One key.',
  {
    key: text('The key itself.', { minLength: 1 }),
    keyHash: text('`sha256:` and the SHA-256 of the key in hexadecimal, so that the file does not hold it.', {
      pattern: '^sha256:[0-9A-Fa-f]{64}$',
    }),
    metadata: {
      type: 'object',
      description: 'Whose it is: what expressions read as `apiKey.…`. `apiKey.key` is the key itself.',
    },
    allowedModels: listOf(
      formatted('modelPattern', 'A model.'),
      'Language models that may be used with it: names, or with `*` at the beginning, at the end or alone. Without the field all may be used, with an empty list none.',
    ),
  },
  exactlyOne('key', 'keyHash'),
)

const apiKeys = record(
  'Lets callers in by API key.',
  {
    keys: listOf(ref('ApiKey'), 'The keys.'),
    mode: words(
      'What becomes of requests without a key, or with a wrong one: both are refused, the first pass as nobody, or both do.',
      ['strict', 'optional', 'permissive'],
      'optional',
    ),
    location: ref('CredentialLocation', 'Where the key is. Default: `Authorization`, after `Bearer `.'),
  },
  { required: ['keys'] },
)

/** Definitions about API keys. */
export const apiKeyDefinitions: Properties = { ApiKey: key, ApiKeys: apiKeys }
