import { ID_JAG } from '../../../protocols/oauth/id-jag.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { checkCalloutBackend } from '../../../config/validate/callout-backend.ts'
import { checkClientAuth } from './client-auth.ts'
import type { ValidationContext } from '../../../config/validate/context.ts'

/** Checks a token exchange. */
export function checkTokenExchange(
  view: ValidationContext,
  policy: File.OauthTokenExchange,
  pointer: string,
): void {
  examineEndpoint(view, policy, pointer)
  const { grantType, actorToken, requestedTokenType, clientAuth, additionalParams } = policy
  if (clientAuth !== undefined) checkClientAuth(view, clientAuth, child(pointer, 'clientAuth'))
  if (grantType === 'jwtBearer') {
    for (const name of ['actorToken', 'requestedTokenType'] as const)
      if (policy[name] !== undefined)
        view.problem(child(pointer, name), 'goes with the grantType tokenExchange only')
  }
  if (requestedTokenType === ID_JAG)
    view.wrongValue(child(pointer, 'requestedTokenType'), 'is had by crossAppAccess only')
  if (actorToken?.enforceMayAct === true && actorToken.tokenType !== JWT)
    view.problem(child(child(pointer, 'actorToken'), 'enforceMayAct'), `needs the tokenType ${JWT}`)
  examineParameters(view, additionalParams, pointer)
}

/** Checks a token exchange in two steps. */
export function checkCrossApp(
  view: ValidationContext,
  policy: File.OauthCrossAppAccess,
  pointer: string,
): void {
  for (const name of ['identityProvider', 'resourceAuthorizationServer'] as const) {
    const at = child(pointer, name)
    examineEndpoint(view, policy[name], at)
    checkClientAuth(view, policy[name].clientAuth, child(at, 'clientAuth'))
  }
  if (policy.subjectToken?.tokenType === ID_JAG)
    view.wrongValue(child(child(pointer, 'subjectToken'), 'tokenType'), 'is what the first step gives')
  const { scopes = [], accessTokenScopes = [] } = policy
  const beyond = accessTokenScopes.filter((scope) => !scopes.includes(scope))
  if (scopes.length > 0 && beyond.length > 0)
    view.warning(
      child(pointer, 'accessTokenScopes'),
      'scopes_beyond_assertion',
      `the assertion is not asked to allow ${beyond.join(', ')}, so that the token will hardly do`,
    )
}

/** Checks client credentials. */
export function checkClientCredentials(
  view: ValidationContext,
  policy: File.OauthClientCredentials,
  pointer: string,
): void {
  if (policy.url === undefined) examineEndpoint(view, policy, pointer)
  else examineEndpointPolicies(view, policy.policies, pointer)
  if (policy.url !== undefined && policy.path !== undefined)
    view.problem(child(pointer, 'path'), 'must not be combined with url, which has a path')
  const method = policy.requestFormat === 'json' ? 'clientSecretPost' : 'clientSecretBasic'
  checkClientAuth(view, { method, ...policy.clientAuth }, child(pointer, 'clientAuth'))
  examineParameters(view, policy.additionalParams, pointer)
}

const JWT = 'urn:ietf:params:oauth:token-type:jwt'

/** Parameters that have their own fields, or must not be set. */
const RESERVED: ReadonlySet<string> = new Set([
  'grant_type',
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'assertion',
  'audience',
  'resource',
  'scope',
  'requested_token_type',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
])

function examineParameters(
  view: ValidationContext,
  parameters: Readonly<Record<string, string>> | undefined,
  pointer: string,
): void {
  for (const name of Object.keys(parameters ?? {}))
    if (RESERVED.has(name.toLowerCase()))
      view.problem(
        child(child(pointer, 'additionalParams'), name),
        'cannot be given here: the gateway sets it',
      )
}

type Target = File.BackendReference & { readonly policies?: File.SimpleBackendPolicies }

function examineEndpoint(view: ValidationContext, target: Target, pointer: string): void {
  examineEndpointPolicies(view, target.policies, pointer)
  checkCalloutBackend(view, target, pointer, OBSERVED, 'where it is asked for tokens')
}

/** Policies of a named backend that apply to token requests too. */
const OBSERVED = new Set(['requestHeaderModifier', 'backendTLS', 'backendTunnel', 'http', 'tcp'])

/** A token is used for many requests: its request must not depend on one of them. */
function examineEndpointPolicies(
  view: ValidationContext,
  policies: File.SimpleBackendPolicies | undefined,
  pointer: string,
): void {
  const at = child(pointer, 'policies')
  if (policies?.backendAuth !== undefined)
    view.problem(child(at, 'backendAuth'), 'has no place here: clientAuth says who asks for tokens')
  if (policies?.transformations !== undefined)
    view.problem(
      child(at, 'transformations'),
      'has no place here: a token serves many requests, and expressions are about one',
    )
}
