import type { TokenEndpoint } from '../../model/backend-auth.ts'
import { publicTls } from '../../model/public-tls.ts'
import type * as File from '../file-types.gen.ts'
import { simpleBackendPolicies } from './backend-policies.ts'
import type { Context } from './context.ts'

/** The endpoint at an address: what is encrypted by it has to show a certificate that is publicly trusted. */
export function urlBackend(
  address: string,
  policies: File.SimpleBackendPolicies | undefined,
  context: Context,
): TokenEndpoint {
  const { protocol, hostname, port, pathname, search } = new URL(address)
  const isEncrypted = protocol === 'https:'
  const usual = isEncrypted ? 443 : 80
  return {
    backend: { kind: 'host', target: { host: hostname, port: port === '' ? usual : Number(port) } },
    policies: { ...(isEncrypted && { backendTLS: publicTls }), ...simpleBackendPolicies(policies, context) },
    path: pathname + search,
  }
}
