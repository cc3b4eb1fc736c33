/** The catalogue of stages and backends. */
export type {
  GuardRejection,
  GuardStreaming,
  RegexGuard,
  RegexRule,
  TextScope,
} from './llm/guardrails/schema/normal-form.ts'
export { directResponse, type DirectResponseOptions } from './direct-response/direct-response.ts'
export { llmPipeline, type LlmPipelineOptions, type ModelProvider } from './llm/llm-pipeline.ts'
export { apiKey, type ApiKeyOptions } from './api-key/api-key.ts'
export { authenticateUpstream, type UpstreamCredential } from './backend-auth/backend-auth.ts'
export { basicAuth, type BasicAuthOptions } from './basic-auth/basic-auth.ts'
export type { CredentialSource } from './credentials/credential-source.ts'
export { jwtAuth, type JwtOptions } from './jwt-auth/jwt-auth.ts'
export type { JwtIssuer, TokenRefusal } from './jwt-auth/issuer.ts'
export {
  TokenVerifier,
  type Verification,
  type VerifiedToken,
  type VerifierOptions,
} from './jwt-auth/token-verifier.ts'
export { oidc, type OidcOptions } from './oidc/oidc.ts'
export { stripLoginCookies } from './oidc/strip-session-cookies.ts'
export { authorization, type AuthorizeOptions } from './authorization/authorization.ts'
export type { CompiledRule } from './authorization/exchange-rule.ts'
export { backend } from './backend/http.ts'
export { pickByWeight, type PickOptions, type WeightedChoice } from './backend/pick-by-weight.ts'
export { bodiesReadBy, type BufferedBodies } from './body/buffer-body.ts'
export { bufferReply, bufferRequest } from './buffer/buffer.ts'
export { type ConditionalChoice, conditional } from './conditional.ts'
export { cors } from './cors/cors.ts'
export { csrf } from './csrf/csrf.ts'
export { delay, type DelayOptions } from './delay/delay.ts'
export { extAuthz, type ExtAuthzOptions } from './ext-authz/ext-authz.ts'
export type { AuthzClient, CheckResult, RequestBodyPart } from './ext-authz/check-result.ts'
export { extProc, type ExtProcOptions } from './ext-proc/ext-proc.ts'
export { forwardHeaders } from './forwarded/forwarded.ts'
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
} from './llm/guardrails/guard.ts'
export type { GuardCheck, Guards, OnGuardEnd } from './llm/guardrails/guard.ts'
export { regexGuard } from './llm/guardrails/regex/regex-guard.ts'
export { everyScope, rejectWith } from './llm/guardrails/rejection.ts'
export { localRateLimit } from './local-rate-limit/local-rate-limit.ts'
export { TokenBucket, type TokenBucketOptions } from './local-rate-limit/token-bucket.ts'
export { mcpBackend, type McpBackendOperator, type McpBackendOptions } from './mcp/mcp-pipeline.ts'
export type {
  McpServer,
  McpServerOfOpenApi,
  McpServerOverHttp,
  McpServerProgram,
} from './mcp/servers/code-target.ts'
export type { McpSettings } from './mcp/assemble.ts'
export type { StdioLine } from '../upstream/mcp/stdio/stderr.ts'
export { requestMirror, type MirrorOptions, type MirroredRequest } from './request-mirror/request-mirror.ts'
export { modifyRequestHeaders } from './headers/request-header-modifier.ts'
export { modifyResponseHeaders } from './headers/response-header-modifier.ts'
export type { Phases } from './phases.ts'
export { requestRedirect } from './request-redirect/request-redirect.ts'
export { remoteRateLimit, type RemoteRateLimitOptions } from './remote-rate-limit/remote-rate-limit.ts'
export { retry, type RetryOptions } from './retry/retry.ts'
export { urlRewrite } from './url-rewrite/url-rewrite.ts'
export { type PipedRoute, route } from './route/route.ts'
export { type Routable, type RouteTable, routeTable, type Selected } from './route/table.ts'
export { backendRequestTimeout, requestTimeout } from './timeout/timeout.ts'
export { transform, type TransformOptions } from './transformations/transformations.ts'
export type { CompiledTransformation } from './transformations/header-steps.ts'
export { ConcurrencyLimit } from './concurrency-limit.ts'
