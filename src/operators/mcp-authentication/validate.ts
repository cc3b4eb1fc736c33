import { child } from '../instance-path.ts'
import { providerOf } from '../normalize/mcp-authentication.ts'
import { examineJwks } from './jwt-auth.ts'
import { policyContainers } from './policy-containers.ts'
import { secretOf } from './secret-text.ts'
import type { Examine } from './view.ts'

/** Keys that cannot be used, and clients that could never register. */
export const examineMcpAuthentication: Examine = (view) => {
  for (const { policies, pointer } of policyContainers(view)) {
    const { mcpAuthentication } = policies
    if (mcpAuthentication === undefined) continue
    const at = child(pointer, 'mcpAuthentication')
    const { jwks, clientId, clientSecret, audiences, resourceMetadata } = mcpAuthentication
    if (jwks !== undefined) examineJwks(view, jwks, child(at, 'jwks'))
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
    if (resource !== undefined && !audiences.includes(resource))
      view.warning(
        child(child(at, 'resourceMetadata'), 'resource'),
        'mcp_resource_no_audience',
        'clients ask for tokens for this resource, and such tokens are refused: it is none of the audiences',
      )
  }
}
