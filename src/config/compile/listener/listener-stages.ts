import type { ListenerStages } from '../../../gateway.ts'
import type { GatewayPolicies } from '../../../model/resources/policies.ts'
import { extProcStages } from '../../../operators/ext-proc/stage.ts'
import { forwardHeaders } from '../../../operators/forwarded/forwarded.ts'
import { jwtStage } from '../../../operators/jwt-auth/stage.ts'
import { detectForwarded } from '../../../operators/mcp/replicas/detect-forwarded.ts'
import { oidcStage } from '../../../operators/oidc/stage.ts'
import type { CompileContext } from '../compile-context.ts'
import { policyStages } from '../policy-stages.ts'

/** Makes the stages of a listener; none for an absent policy. */
export const listenerStages = (policies: GatewayPolicies, context: CompileContext): ListenerStages => {
  const { forwarded } = context.resources.frontend.http
  return {
    ...policyStages(policies, context),
    detectForwarded: context.mcp.address === undefined ? undefined : detectForwarded(context.sealing()),
    forwarded: forwarded && forwardHeaders(forwarded),
    oidc: policies.oidc && { request: oidcStage(policies.oidc, context) },
    jwtAuth: policies.jwtAuth && { request: jwtStage(policies.jwtAuth, context) },
    extProc: extProcStages(policies.extProc, { tracedAs: 'gateway ext proc', limitMs: undefined }, context),
  }
}
