import type { RouteStages } from '../../gateway.ts'
import type { FrontendPolicies } from '../../model/frontend-policies.ts'
import type { Conditional, DirectResponse, RoutePolicies } from '../../model/policies.ts'
import { hearCall } from '../../operators/a2a/hear-call.ts'
import { answerDirectly } from '../../operators/answer-directly.ts'
import { bufferReply, bufferRequest } from '../../operators/buffer.ts'
import { choose } from '../../operators/choose.ts'
import { cors } from '../../operators/cors.ts'
import { csrf } from '../../operators/csrf.ts'
import { delay } from '../../operators/delay.ts'
import { modifyRequestHeaders } from '../../operators/modify-request-headers.ts'
import { modifyResponseHeaders } from '../../operators/modify-response-headers.ts'
import { redirect } from '../../operators/redirect.ts'
import { retry } from '../../operators/retry.ts'
import { rewrite } from '../../operators/rewrite.ts'
import { timeOutAttempt, timeOutExchange } from '../../operators/time-out.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { authorizeStage } from './authorize-stage.ts'
import { extAuthzStages } from './ext-authz-stages.ts'
import { extProcStages } from './ext-proc-stages.ts'
import { identityStages } from './identity-stages.ts'
import { tokenStages } from './mcp-authentication.ts'
import { limitStages } from './limit-stages.ts'
import { mirrorStage } from './mirror-stage.ts'
import { remoteRateLimitStages } from './remote-rate-limit-stages.ts'
import { routeOidcStage } from './oidc-stage.ts'
import { transformStages } from './transform-stages.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stages of a route, all but its backend; none for a policy that is not there. */
export const routeStages = (
  policies: RoutePolicies,
  frontend: FrontendPolicies,
  workshop: Workshop,
): Omit<RouteStages, 'backend'> => {
  const { requestTimeoutMs } = policies.timeout ?? {}
  const { requestHeaderModifier, responseHeaderModifier } = policies
  const bufferLimitBytes = frontend.http.maxBufferBytes
  const request = policies.buffer?.request
  const response = policies.buffer?.response
  return {
    timeOut: requestTimeoutMs === undefined ? undefined : (inner) => timeOutExchange(requestTimeoutMs, inner),
    hearCall: policies.a2a && hearCall(),
    cors: policies.cors && cors(policies.cors),
    oidc: { request: routeOidcStage(policies.oidc, workshop) },
    ...identityStages(policies, workshop),
    jwt: tokenStages(policies, frontend, workshop),
    authorizeExternally: extAuthzStages(policies.extAuthz, frontend, workshop),
    authorize: authorizeStage(policies.authorization, frontend, workshop),
    limitRate: policies.localRateLimit && limitStages(policies.localRateLimit, frontend, workshop),
    limitRateRemotely: remoteRateLimitStages(policies.remoteRateLimit, frontend, workshop),
    buffer: { request: request && bufferRequest(request), reply: response && bufferReply(response) },
    processExternally: extProcStages(
      policies.extProc,
      { tracedAs: 'ext proc', limitMs: requestTimeoutMs },
      frontend,
      workshop,
    ),
    transform: policies.transformations && transformStages(policies.transformations, frontend, workshop),
    csrf: policies.csrf && csrf(policies.csrf),
    modifyRequestHeaders: requestHeaderModifier && modifyRequestHeaders(requestHeaderModifier),
    modifyResponseHeaders: responseHeaderModifier && modifyResponseHeaders(responseHeaderModifier),
    rewrite: policies.urlRewrite && rewrite(policies.urlRewrite),
    redirect: policies.requestRedirect && redirect(policies.requestRedirect),
    mirror: policies.requestMirror && mirrorStage(policies.requestMirror, workshop),
    delay: policies.delay && delayed(policies.delay.duration, bufferLimitBytes, workshop),
    answerDirectly:
      policies.directResponse && answerStage(policies.directResponse, bufferLimitBytes, workshop),
  }
}

/** Makes the calls of a route out of one: timed each, and repeated if a policy says so. */
export const attempts = (
  policies: RoutePolicies,
  frontend: FrontendPolicies,
  call: Operator,
  { expression }: Workshop,
): Operator => {
  const limitMs = policies.timeout?.backendRequestTimeoutMs
  const attempt = limitMs === undefined ? call : timeOutAttempt(limitMs, call)
  if (!policies.retry) return attempt
  const { precondition, condition, ...rest } = policies.retry
  return retry(
    {
      ...rest,
      precondition: precondition === undefined ? undefined : expression(precondition),
      condition: condition === undefined ? undefined : expression(condition),
      bufferLimitBytes: frontend.http.maxBufferBytes,
    },
    attempt,
  )
}

const delayed = (
  duration: NonNullable<RoutePolicies['delay']>['duration'],
  bufferLimitBytes: number,
  { expression }: Workshop,
): Operator =>
  delay({ duration: 'ms' in duration ? duration.ms : expression(duration.expression), bufferLimitBytes })

const answerStage = (
  policy: Conditional<DirectResponse>,
  bufferLimitBytes: number,
  { expression }: Workshop,
): Operator => {
  const one = ({ status, body, bodyExpression, headers }: DirectResponse): Operator =>
    answerDirectly({
      status,
      body: bodyExpression === undefined ? body : expression(bodyExpression),
      headers: headers.map(([name, value]) => [name, expression(value)] as const),
      bufferLimitBytes,
    })
  if (!('conditional' in policy)) return one(policy)
  const choices = policy.conditional.map(({ condition, ...rest }) => ({
    request: one(rest),
    when: condition === undefined ? undefined : expression(condition),
  }))
  return choose(choices, bufferLimitBytes).request
}
