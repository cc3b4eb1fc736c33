import type { BackendAuth, BackendAuthWay } from '../../model/backend-auth.ts'
import { bearerPlace } from '../../model/credential-location.ts'
import type { CredentialPlace } from '../../model/credential-location.ts'
import type { SecretText } from '../../model/secret-text.ts'
import type * as File from '../file-types.gen.ts'
import type { Context } from './context.ts'
import { credentialPlace } from './credential-location.ts'
import { secretText } from './secret-text.ts'

/** Authentication towards a backend, whichever of its shapes it was written in. */
export function backendAuth(source: File.BackendAuth, context: Context): BackendAuth {
  if (typeof source === 'string') return { copilot: {}, credentials: [] }
  const credentials = (source.credentials ?? []).map(({ location, key }) => ({
    location: credentialPlace(location),
    key: secretText(key, context),
  }))
  return { ...way(source, context), credentials }
}

function way(source: File.BackendAuthFields, context: Context): BackendAuthWay {
  if (source.passthrough !== undefined)
    return { passthrough: { location: place(source.passthrough.location) } }
  if (source.key !== undefined) return { key: key(source.key, context) }
  return {}
}

function key(source: File.BackendKey, context: Context): { value: SecretText; location: CredentialPlace } {
  if (typeof source === 'string') return { value: { secret: source }, location: bearerPlace }
  const { value, file, location } = source
  return { value: secretText(value ?? { file: file ?? '' }, context), location: place(location) }
}

function place(source: File.CredentialPlace | undefined): CredentialPlace {
  return source === undefined ? bearerPlace : credentialPlace(source)
}
