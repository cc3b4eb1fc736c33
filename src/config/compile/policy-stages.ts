import type { PolicyStages } from '../../gateway.ts'
import type { BackendPolicies, GatewayPolicies, RoutePolicies } from '../../model/resources/policies.ts'
import { apiKeyStage } from '../../operators/api-key/stage.ts'
import { authorizeStage } from '../../operators/authorization/stage.ts'
import { basicAuthStage } from '../../operators/basic-auth/stage.ts'
import { bufferStages } from '../../operators/buffer/stage.ts'
import { corsStages } from '../../operators/cors/stage.ts'
import { csrfStage } from '../../operators/csrf/stage.ts'
import { delayStage } from '../../operators/delay/stage.ts'
import { directResponseStage } from '../../operators/direct-response/stage.ts'
import { extAuthzStages } from '../../operators/ext-authz/stage.ts'
import { requestHeaderModifierStage, responseHeaderModifierStage } from '../../operators/headers/stage.ts'
import { limitStages } from '../../operators/local-rate-limit/stage.ts'
import type { Phases } from '../../operators/phases.ts'
import { remoteRateLimitStages } from '../../operators/remote-rate-limit/stage.ts'
import { requestMirrorStage } from '../../operators/request-mirror/stage.ts'
import { requestRedirectStage } from '../../operators/request-redirect/stage.ts'
import { transformStages } from '../../operators/transformations/stage.ts'
import { urlRewriteStage } from '../../operators/url-rewrite/stage.ts'
import type { policies } from '../policies.ts'
import type { CompileContext } from './compile-context.ts'

type Policies = GatewayPolicies & RoutePolicies & BackendPolicies
type Rows = typeof policies

/** Policies with stages, by the table. */
type StagedPolicy = {
  [K in keyof Rows]: Rows[K]['phase'] extends keyof StagesOfPhase ? K : never
}[keyof Rows]

/** What the maker of a policy gives, by the phase of its row. */
interface StagesOfPhase {
  readonly request: Pick<Phases, 'request'>
  readonly reply: Pick<Phases, 'reply'>
  readonly both: Partial<Phases>
}

/** Their stages depend on other policies, the level or the upstream: `listener-stages.ts`, `route-stages.ts`, `backend.ts`. */
type MadeByLevel =
  'oidc' | 'jwtAuth' | 'mcpAuthentication' | 'extProc' | 'backendAuth' | 'a2a' | 'inferenceRouting'

/**
 * Makes the stages of each other policy. Does not compile if a policy is missing, or acts in other phases than its row
 * says. Apart from the table, because configurations are loaded and checked without the operators.
 */
const makers: {
  readonly [K in Exclude<StagedPolicy, MadeByLevel>]: (
    policy: NonNullable<Policies[K]>,
    context: CompileContext,
  ) => StagesOfPhase[Rows[K]['phase']] | undefined
} = {
  cors: corsStages,
  basicAuth: basicAuthStage,
  apiKey: apiKeyStage,
  extAuthz: extAuthzStages,
  authorization: authorizeStage,
  localRateLimit: limitStages,
  remoteRateLimit: remoteRateLimitStages,
  buffer: bufferStages,
  transformations: transformStages,
  csrf: csrfStage,
  requestHeaderModifier: requestHeaderModifierStage,
  responseHeaderModifier: responseHeaderModifierStage,
  urlRewrite: urlRewriteStage,
  requestRedirect: requestRedirectStage,
  requestMirror: requestMirrorStage,
  delay: delayStage,
  directResponse: directResponseStage,
}

/** Makes the stages of the policies that are configured. */
export const policyStages = (
  configured: GatewayPolicies | RoutePolicies | BackendPolicies,
  context: CompileContext,
): PolicyStages =>
  Object.fromEntries(
    Object.entries(makers).flatMap(([name, make]) => {
      const policy = (configured as Readonly<Record<string, unknown>>)[name]
      return policy === undefined ? [] : [[name, make(policy as never, context)]]
    }),
  )
