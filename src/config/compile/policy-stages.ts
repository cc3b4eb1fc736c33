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
import type { CompileContext } from './compile-context.ts'

type Policies = GatewayPolicies & RoutePolicies & BackendPolicies
type MakeStages<K extends keyof Policies> = (
  policy: NonNullable<Policies[K]>,
  context: CompileContext,
) => Partial<Phases> | undefined

/**
 * What makes the stages of a policy, for each that has stages and needs nothing else to make them. Policies that act
 * together with others, or differently by level, are in `listener-stages.ts`, `route-stages.ts` and `backend.ts`.
 */
const makers: { readonly [K in keyof Policies]?: MakeStages<K> } = {
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

/** Makes the stages of the policies that are there. */
export const policyStages = (
  policies: GatewayPolicies | RoutePolicies | BackendPolicies,
  context: CompileContext,
): PolicyStages =>
  Object.fromEntries(
    Object.entries(makers).flatMap(([name, make]) => {
      const policy = (policies as Readonly<Record<string, unknown>>)[name]
      return policy === undefined ? [] : [[name, make(policy as never, context)]]
    }),
  )
