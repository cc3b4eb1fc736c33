import type { ListenerStages } from '../../gateway.ts'
import type { FrontendPolicies } from '../../model/frontend-policies.ts'
import type { GatewayPolicies } from '../../model/policies.ts'
import { cors } from '../../operators/cors.ts'
import { forwardHeaders } from '../../operators/forward-headers.ts'
import { noticeHop } from '../../operators/replicas/notice-hop.ts'
import { authorizeStage } from './authorize-stage.ts'
import { extAuthzStages } from './ext-authz-stages.ts'
import { extProcStages } from './ext-proc-stages.ts'
import { identityStages } from './identity-stages.ts'
import { jwtStage } from './jwt-stages.ts'
import { oidcStage } from './oidc-stage.ts'
import { transformStages } from './transform-stages.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stages that a whole listener has; none for a policy that is not there. */
export const listenerStages = (
  policies: GatewayPolicies,
  frontend: FrontendPolicies,
  workshop: Workshop,
): ListenerStages => ({
  noticeHop: workshop.mcp.address === undefined ? undefined : noticeHop(workshop.sealing()),
  forwarded: frontend.http.forwarded && forwardHeaders(frontend.http.forwarded),
  cors: policies.cors && cors(policies.cors),
  oidc: policies.oidc && { request: oidcStage(policies.oidc, workshop) },
  ...identityStages(policies, workshop),
  jwt: policies.jwtAuth && { request: jwtStage(policies.jwtAuth, frontend, workshop) },
  authorizeExternally: extAuthzStages(policies.extAuthz, frontend, workshop),
  authorize: authorizeStage(policies.authorization, frontend, workshop),
  processExternally: extProcStages(
    policies.extProc,
    { tracedAs: 'gateway ext proc', limitMs: undefined },
    frontend,
    workshop,
  ),
  transform: policies.transformations && transformStages(policies.transformations, frontend, workshop),
})
