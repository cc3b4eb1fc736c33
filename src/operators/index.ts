/** The catalogue of stages and backends. */
export type { GuardRejection, GuardStreaming, RegexGuard, RegexRule, TextScope } from '../model/llm-guards.ts'
export { answerDirectly, type DirectAnswer } from './answer-directly.ts'
export { askModels, type AskModelsOptions, type ModelProvider } from './ask-models.ts'
export { apiKey, type ApiKeyOptions } from './auth/api-key.ts'
export { authenticateUpstream, type UpstreamCredential } from './auth/authenticate-upstream.ts'
export { basicAuth, type BasicAuthOptions } from './auth/basic-auth.ts'
export type { CredentialSource } from './auth/credential-location.ts'
export { jwt, type JwtOptions } from './auth/jwt.ts'
export type { JwtIssuer, TokenRefusal } from './auth/jwt/issuer.ts'
export {
  TokenVerifier,
  type Verification,
  type VerifiedToken,
  type VerifierOptions,
} from './auth/jwt/token-verifier.ts'
export { oidc, type OidcOptions } from './auth/oidc.ts'
export { stripLoginCookies } from './auth/strip-login-cookies.ts'
export { type AuthorizationRule, authorize, type AuthorizeOptions } from './authorize.ts'
export { backend } from './backend/http.ts'
export { pickByWeight, type WeightedChoice } from './backend/pick-by-weight.ts'
export { bodiesReadBy, type Held } from './body/hold.ts'
export { bufferReply, bufferRequest } from './buffer.ts'
export { type Choice, choose } from './choose.ts'
export { cors } from './cors.ts'
export { csrf } from './csrf.ts'
export { delay, type DelayOptions } from './delay.ts'
export { authorizeExternally, type AuthorizeExternallyOptions } from './ext-authz.ts'
export type { Decider, Judgement, ShownBody } from './ext-authz/judgement.ts'
export { processExternally, type ProcessExternallyOptions } from './ext-proc.ts'
export { forwardHeaders } from './forward-headers.ts'
export {
  type Checking,
  type Guard,
  type GuardedText,
  GuardFailure,
  type GuardPhase,
  type GuardVerdict,
  type Mask,
  type Reject,
  type TextFollower,
} from './guard/guard.ts'
export type { Checked, Guards, Settle } from './guard/guards.ts'
export { regexGuard } from './guard/regex/regex-guard.ts'
export { everyScope, rejectWith } from './guard/reject-with.ts'
export { limitRate } from './limit-rate.ts'
export { TokenBucket, type TokenBucketOptions } from './limit/token-bucket.ts'
export { mirror, type MirrorOptions, type RequestHead } from './mirror.ts'
export { modifyRequestHeaders } from './modify-request-headers.ts'
export { modifyResponseHeaders } from './modify-response-headers.ts'
export type { Phases } from './phases.ts'
export { redirect } from './redirect.ts'
export { limitRateRemotely, type LimitRateRemotelyOptions } from './remote-rate-limit.ts'
export { retry, type RetryOptions } from './retry.ts'
export { rewrite } from './rewrite.ts'
export { type PipedRoute, route } from './route/route.ts'
export { type Routable, type RouteTable, routeTable, type Selected } from './route/table.ts'
export { timeOutAttempt, timeOutExchange } from './time-out.ts'
export { transform, type Transformation, type TransformOptions } from './transform.ts'
export { Turnstile } from './turnstile.ts'
