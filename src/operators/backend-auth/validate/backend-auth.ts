import type * as File from '../../../config/schema/file-types.gen.ts'
import { isSendable } from '../../../config/format/http-fields.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { milliseconds } from '../../../config/normalize/context.ts'
import { checkCloudAuth } from './cloud-auth.ts'
import { checkClientCredentials, checkCrossApp, checkTokenExchange } from './oauth.ts'
import { aiProviders, llmWays } from '../../llm/validate/locations.ts'
import { mcpTargets } from '../../mcp/validate/mcp.ts'
import { secretOf } from '../../../config/validate/secret-text.ts'
import { checkSigningKey } from './signing-key.ts'
import { httpRoutes } from '../../../config/validate/route-locations.ts'
import type { Check, ValidationContext } from '../../../config/validate/context.ts'

/** Checks authentication to backends: that secrets can be read and sent. */
export const checkBackendAuth: Check = (view) => {
  const look = (holder: { backendAuth?: File.BackendAuth } | undefined, pointer: string): void => {
    const auth = holder?.backendAuth
    if (auth !== undefined) checkBackendAuthPolicy(view, auth, child(pointer, 'backendAuth'))
  }
  for (const route of httpRoutes(view)) {
    look(route.value.policies, child(route.pointer, 'policies'))
    for (const { value, pointer } of view.items(route.value.backends, child(route.pointer, 'backends')))
      look(value.policies, child(pointer, 'policies'))
  }
  for (const { value, pointer } of view.items(view.file.backends, '/backends'))
    look(value.policies, child(pointer, 'policies'))
  for (const { value, pointer } of llmWays(view))
    if (value.auth !== undefined) checkBackendAuthPolicy(view, value.auth, child(pointer, 'auth'))
  for (const { value, pointer } of aiProviders(view)) look(value.policies, child(pointer, 'policies'))
  for (const { value, pointer } of mcpTargets(view)) look(value.policies, child(pointer, 'policies'))
  for (const { value, pointer } of view.items(view.file.policies, '/policies'))
    look(value.policy, child(pointer, 'policy'))
}

/** Checks one credential. */
export function checkBackendAuthPolicy(
  view: ValidationContext,
  auth: File.BackendAuth,
  pointer: string,
): void {
  if (typeof auth === 'string') return
  if (Object.keys(auth).length === 0)
    view.problem(pointer, 'must say how: by key, passthrough or another way, or by credentials')
  if (auth.key !== undefined) examineKey(view, auth.key, child(pointer, 'key'))
  if (auth.oauthTokenExchange !== undefined)
    checkTokenExchange(view, auth.oauthTokenExchange, child(pointer, 'oauthTokenExchange'))
  if (auth.crossAppAccess !== undefined)
    checkCrossApp(view, auth.crossAppAccess, child(pointer, 'crossAppAccess'))
  if (auth.clientCredentials !== undefined)
    checkClientCredentials(view, auth.clientCredentials, child(pointer, 'clientCredentials'))
  checkCloudAuth(view, auth, pointer)
  if (auth.jwtSign !== undefined) examineJwtSign(view, auth.jwtSign, child(pointer, 'jwtSign'))
  for (const { value, pointer: at } of view.items(auth.credentials, child(pointer, 'credentials')))
    examineSecret(view, value.key, value.location, child(at, 'key'))
}

function examineKey(view: ValidationContext, key: File.BackendKey, pointer: string): void {
  if (typeof key === 'string') examineSecret(view, key, undefined, pointer)
  else if (key.value !== undefined) examineSecret(view, key.value, key.location, child(pointer, 'value'))
  else examineSecret(view, { file: key.file ?? '' }, key.location, pointer)
}

function examineJwtSign(view: ValidationContext, policy: File.BackendJwtSign, pointer: string): void {
  checkSigningKey(view, policy, pointer)
  for (const name of ['iat', 'exp', 'nbf'])
    if (Object.hasOwn(policy.claims ?? {}, name))
      view.problem(child(child(pointer, 'claims'), name), 'is set for each token, and cannot be given')
  if (policy.ttl !== undefined && milliseconds(policy.ttl) < 1_000)
    view.wrongValue(child(pointer, 'ttl'), 'must be at least 1s', { value: policy.ttl })
}

function examineSecret(
  view: ValidationContext,
  source: File.SecretText,
  location: File.CredentialField | undefined,
  pointer: string,
): void {
  const secret = secretOf(view, source, pointer)
  if (secret === undefined || location?.queryParameter !== undefined) return
  if (!isSendable(secret)) view.problem(pointer, 'must be text that a header can carry')
}
