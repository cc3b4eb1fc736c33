import type * as File from '../file-types.gen.ts'
import { headerValue } from '../format/http-text.ts'
import { child } from '../instance-path.ts'
import { milliseconds } from '../normalize/context.ts'
import { examineCloudAuth } from './cloud-auth.ts'
import { examineClientCredentials, examineCrossApp, examineExchange } from './oauth.ts'
import { aiProviders, llmWays } from './llm-sites.ts'
import { mcpTargets } from './mcp-sites.ts'
import { secretOf } from './secret-text.ts'
import { examineSigningKey } from './signing-key.ts'
import { httpRoutes } from './sites.ts'
import type { Examine, View } from './view.ts'

/** Authentication towards backends: that secrets can be read, and sent. */
export const examineBackendAuth: Examine = (view) => {
  const look = (holder: { backendAuth?: File.BackendAuth } | undefined, pointer: string): void => {
    const auth = holder?.backendAuth
    if (auth !== undefined) examineAuth(view, auth, child(pointer, 'backendAuth'))
  }
  for (const route of httpRoutes(view)) {
    look(route.value.policies, child(route.pointer, 'policies'))
    for (const { value, pointer } of view.items(route.value.backends, child(route.pointer, 'backends')))
      look(value.policies, child(pointer, 'policies'))
  }
  for (const { value, pointer } of view.items(view.file.backends, '/backends'))
    look(value.policies, child(pointer, 'policies'))
  for (const { value, pointer } of llmWays(view))
    if (value.auth !== undefined) examineAuth(view, value.auth, child(pointer, 'auth'))
  for (const { value, pointer } of aiProviders(view)) look(value.policies, child(pointer, 'policies'))
  for (const { value, pointer } of mcpTargets(view)) look(value.policies, child(pointer, 'policies'))
  for (const { value, pointer } of view.items(view.file.policies, '/policies'))
    look(value.policy, child(pointer, 'policy'))
}

/** One of them. */
export function examineAuth(view: View, auth: File.BackendAuth, pointer: string): void {
  if (typeof auth === 'string') return
  if (Object.keys(auth).length === 0)
    view.problem(pointer, 'must say how: by key, passthrough or another way, or by credentials')
  if (auth.key !== undefined) examineKey(view, auth.key, child(pointer, 'key'))
  if (auth.oauthTokenExchange !== undefined)
    examineExchange(view, auth.oauthTokenExchange, child(pointer, 'oauthTokenExchange'))
  if (auth.crossAppAccess !== undefined)
    examineCrossApp(view, auth.crossAppAccess, child(pointer, 'crossAppAccess'))
  if (auth.clientCredentials !== undefined)
    examineClientCredentials(view, auth.clientCredentials, child(pointer, 'clientCredentials'))
  examineCloudAuth(view, auth, pointer)
  if (auth.jwtSign !== undefined) examineJwtSign(view, auth.jwtSign, child(pointer, 'jwtSign'))
  for (const { value, pointer: at } of view.items(auth.credentials, child(pointer, 'credentials')))
    examineSecret(view, value.key, value.location, child(at, 'key'))
}

function examineKey(view: View, key: File.BackendKey, pointer: string): void {
  if (typeof key === 'string') examineSecret(view, key, undefined, pointer)
  else if (key.value !== undefined) examineSecret(view, key.value, key.location, child(pointer, 'value'))
  else examineSecret(view, { file: key.file ?? '' }, key.location, pointer)
}

function examineJwtSign(view: View, policy: File.BackendJwtSign, pointer: string): void {
  examineSigningKey(view, policy, pointer)
  for (const name of ['iat', 'exp', 'nbf'])
    if (Object.hasOwn(policy.claims ?? {}, name))
      view.problem(child(child(pointer, 'claims'), name), 'is set for each token, and cannot be given')
  if (policy.ttl !== undefined && milliseconds(policy.ttl) < 1_000)
    view.wrongValue(child(pointer, 'ttl'), 'must be at least 1s', { value: policy.ttl })
}

function examineSecret(
  view: View,
  source: File.SecretText,
  place: File.CredentialPlace | undefined,
  pointer: string,
): void {
  const secret = secretOf(view, source, pointer)
  if (secret === undefined || place?.queryParameter !== undefined) return
  if (headerValue(secret) !== undefined) view.problem(pointer, 'must be text that a header can carry')
}
