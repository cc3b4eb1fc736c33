import type { RouteStages } from '../../gateway.ts'
import type { RoutePolicies } from '../../model/resources/policies.ts'
import { recordA2aCall } from '../../operators/a2a/record-call.ts'
import { extProcStages } from '../../operators/ext-proc/stage.ts'
import { tokenStages } from '../../operators/mcp-authentication/stage.ts'
import { routeOidcStage } from '../../operators/oidc/stage.ts'
import { retryStage } from '../../operators/retry/stage.ts'
import { attemptTimeoutStage, requestTimeoutStage } from '../../operators/timeout/stage.ts'
import type { Operator } from '../../pipeline/stage.ts'
import type { CompileContext } from './compile-context.ts'
import { policyStages } from './policy-stages.ts'

/** Makes the stages of a route, all but its backend; none for an absent policy. */
export const routeStages = (
  policies: RoutePolicies,
  context: CompileContext,
): Omit<RouteStages, 'backend'> => {
  const oidc = routeOidcStage(policies.oidc, context)
  return {
    ...policyStages(policies, context),
    timeout: policies.timeout && requestTimeoutStage(policies.timeout),
    classifyCall: policies.a2a && recordA2aCall(),
    oidc: oidc && { request: oidc },
    jwtAuth: tokenStages(policies, context),
    extProc: extProcStages(
      policies.extProc,
      { tracedAs: 'ext proc', limitMs: policies.timeout?.requestTimeoutMs },
      context,
    ),
  }
}

/** Adds to the call of a route the timeout of attempts and the retries. */
export const routeAttempts = (
  { timeout, retry }: RoutePolicies,
  call: Operator,
  context: CompileContext,
): Operator => {
  const attempt = timeout ? attemptTimeoutStage(timeout, call) : call
  return retry ? retryStage(retry, attempt, context) : attempt
}
