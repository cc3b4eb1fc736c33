import { createHash } from 'node:crypto'
import type { ApiKey, ApiKeys } from '../../model/api-key.ts'
import { bearerPlace } from '../../model/credential-location.ts'
import type * as File from '../file-types.gen.ts'
import { credentialLocation } from './credential-location.ts'
import { defined, given } from './defined.ts'

/** `apiKey`, with the hashes of its keys. */
export function apiKeys({ keys, mode = 'optional', location }: File.ApiKeys): ApiKeys {
  return {
    keys: keys.map((entry) =>
      defined<ApiKey>({
        hash: { secret: apiKeyHash(entry) },
        metadata: entry.metadata ?? {},
        allowedModels: entry.allowedModels,
      }),
    ),
    mode,
    location: given(location, credentialLocation) ?? bearerPlace,
  }
}

/** The SHA-256 of a key, whichever way it is written. */
export function apiKeyHash({ key, keyHash }: Pick<File.ApiKey, 'key' | 'keyHash'>): string {
  if (keyHash !== undefined) return keyHash.slice('sha256:'.length).toLowerCase()
  return createHash('sha256')
    .update(key ?? '')
    .digest('hex')
}
