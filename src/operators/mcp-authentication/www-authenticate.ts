import { BufferBody } from '../../../model/body.ts'
import type { Exchange } from '../../../model/exchange.ts'
import { Headers } from '../../../model/headers.ts'
import { Reply } from '../../../model/reply.ts'
import { onReply, type Operator } from '../../../pipeline/stage.ts'
import type { TokenRefusal } from '../jwt/issuer.ts'
import { missing } from '../jwt.ts'
import { metadataAddress, type ProtectedResource, scopesOf } from './protected-resource.ts'

/** Makes the 401 of an MCP server: it tells where to get a token. */
export const challenge =
  (resource: ProtectedResource) =>
  (refusal: TokenRefusal, x: Exchange): Reply => {
    const message = `authentication failure: ${refusal.message}`
    const description = refusal === missing ? 'JWT token required' : message
    const body = JSON.stringify({ error: 'unauthorized', error_description: description })
    const error = refusal === missing ? '' : ', error="invalid_token"'
    const headers = new Headers([
      'content-type',
      'application/json',
      'www-authenticate',
      `Bearer resource_metadata="${metadataAddress(resource, x, x.request.received.path)}"${error}`,
    ])
    return new Reply(401, headers, new BufferBody(body), 'JwtAuth', refusal.code, message)
  }

/**
 * Tells a client whose token is good, and not good for this, which scopes would do (RFC 6750 §3.1): it adds the challenge
 * to the 403 of a rule. Belongs outside of `authorize`, on the way out.
 */
export const insufficientScope = (resource: ProtectedResource): Operator =>
  onReply('mcp-authentication', (x) => {
    if (x.reply?.code !== 'authorization_failed') return
    const scopes = scopesOf(resource)
    const address = metadataAddress(resource, x, x.request.received.path)
    x.reply.headers.set(
      'www-authenticate',
      `Bearer error="insufficient_scope"${scopes && `, scope="${scopes}"`}, resource_metadata="${address}"`,
    )
  })
