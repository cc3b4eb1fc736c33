import { createHash } from 'node:crypto'
import type { ApiKey, ApiKeys } from './schema.ts'
import { bearerLocation } from '../../model/policies/credential-location.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import { credentialLocation } from '../../config/normalize/credential-location.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'

/** `apiKey`, with the hashes of its keys. */
export function apiKeys({ keys, mode = 'optional', location }: File.ApiKeys): ApiKeys {
  return {
    keys: keys.map((entry) =>
      definedFields<ApiKey>({
        hash: { secret: apiKeyHash(entry) },
        metadata: entry.metadata ?? {},
        allowedModels: entry.allowedModels,
      }),
    ),
    mode,
    location: given(location, credentialLocation) ?? bearerLocation,
  }
}

/** The SHA-256 of a key, from either notation. */
export function apiKeyHash({ key, keyHash }: Pick<File.ApiKey, 'key' | 'keyHash'>): string {
  if (keyHash !== undefined) return keyHash.slice('sha256:'.length).toLowerCase()
  return createHash('sha256')
    .update(key ?? '')
    .digest('hex')
}
