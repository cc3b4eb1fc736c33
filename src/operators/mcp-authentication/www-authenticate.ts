import { BufferBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Headers } from '../../model/exchange/headers.ts'
import { Reply } from '../../model/exchange/reply.ts'
import { onReply, type Operator } from '../../pipeline/stage.ts'
import type { TokenRefusal } from '../jwt-auth/issuer.ts'
import { refusingRules } from '../authorization/refusing-rules.ts'
import { missingToken } from '../jwt-auth/jwt-auth.ts'
import { metadataAddress, type ProtectedResource, scopesOf } from './protected-resource.ts'
import { scopeHelps } from './scope-check.ts'

/** Makes the 401 of an MCP server, with the URL of its metadata and the available scopes. */
export const challenge =
  (resource: ProtectedResource) =>
  (refusal: TokenRefusal, x: Exchange): Reply => {
    const message = `authentication failure: ${refusal.message}`
    const description = refusal.code === missingToken.code ? 'JWT token required' : message
    const body = JSON.stringify({ error: 'unauthorized', error_description: description })
    const error = refusal.code === missingToken.code ? '' : ', error="invalid_token"'
    const headers = new Headers([
      'content-type',
      'application/json',
      'www-authenticate',
      `Bearer resource_metadata="${metadataAddress(resource, x, x.request.received.path)}"${error}${scopeParameter(resource)}`,
    ])
    return new Reply(401, headers, new BufferBody(body), 'JwtAuth', refusal.code, message)
  }

/**
 * Adds the challenge `insufficient_scope` (RFC 6750 §3.1) to the 403 of a rule that depends on scopes. Refusals of
 * other rules are unchanged, since another token would be refused as well. Must wrap `authorization`, on the way out.
 */
export const insufficientScope = (resource: ProtectedResource): Operator =>
  onReply('mcp-authentication', (x) => {
    if (x.reply?.code !== 'authorization_failed') return
    if (!scopeHelps(refusingRules(x.reply), scopesOf(resource), x.identity.jwt)) return
    const address = metadataAddress(resource, x, x.request.received.path)
    x.reply.headers.set(
      'www-authenticate',
      `Bearer error="insufficient_scope"${scopeParameter(resource)}, resource_metadata="${address}"`,
    )
  })

const scopeParameter = (resource: ProtectedResource): string => {
  const scopes = scopesOf(resource)
  return scopes.length > 0 ? `, scope="${scopes.join(' ')}"` : ''
}
