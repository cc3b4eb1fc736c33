import { child } from '../../../config/document/json-pointer.ts'
import { providerOf } from '../normalize/mcp-authentication.ts'
import { checkJwks } from '../../jwt-auth/validate.ts'
import { backendLocations } from '../../../config/validate/backend-locations.ts'
import { policyContainers } from '../../../config/validate/policy-locations.ts'
import { secretOf } from '../../../config/validate/secret-text.ts'
import type { Check } from '../../../config/validate/context.ts'

/** Checks for unusable keys, and for clients that could never register. */
export const checkMcpAuthentication: Check = (view) => {
  for (const { policies, pointer } of [...policyContainers(view), ...backendLocations(view)]) {
    const { mcpAuthentication } = policies
    if (mcpAuthentication === undefined) continue
    const at = child(pointer, 'mcpAuthentication')
    const { jwks, clientId, clientSecret, audiences, resourceMetadata } = mcpAuthentication
    if (jwks !== undefined) checkJwks(view, jwks, child(at, 'jwks'))
    if (clientSecret !== undefined) {
      secretOf(view, clientSecret, child(at, 'clientSecret'))
      if (clientId === undefined)
        view.problem(
          child(at, 'clientSecret'),
          'clientSecret is the secret of a client: it requires clientId',
        )
    }
    const provider = providerOf(mcpAuthentication)
    if ((provider === 'authentik' || provider === 'entra') && clientId === undefined)
      view.warning(
        child(at, 'provider'),
        'mcp_no_registration',
        `${provider} registers no clients: without clientId, those that want to register get an error`,
      )
    const { resource } = resourceMetadata
    if (audiences === undefined && resource === undefined)
      view.warning(
        at,
        'mcp_without_audiences',
        'without audiences and resourceMetadata.resource, tokens that the issuer made for other services are accepted',
      )
    if (resource !== undefined && audiences?.includes(resource) === false)
      view.warning(
        child(child(at, 'resourceMetadata'), 'resource'),
        'mcp_resource_no_audience',
        'clients ask for tokens for this resource, and such tokens are refused: it is none of the audiences',
      )
  }
}
