import type { Tunnel } from './schema.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import { backendAuth } from '../../operators/backend-auth/normalize/backend-auth.ts'
import { upstreamTcp } from '../../config/../upstream/connect/normalize.ts'
import type { Context } from '../../config/normalize/context.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import { simpleBackend, tlsOfHost } from '../../config/normalize/references.ts'
import { tlsUpstream } from '../../streams/http/tls/normalize.ts'

/** The proxy in front of a backend, and the settings of connections to it. */
export function tunnel({ proxy, invalid, policies = {} }: File.BackendTunnel, context: Context): Tunnel {
  return {
    proxy: proxy ? simpleBackend(proxy) : { kind: 'none', why: invalid ?? '' },
    policies: {
      ...tlsOfHost(proxy?.host),
      ...definedFields<Tunnel['policies']>({
        backendTLS: given(policies.backendTLS, tlsUpstream),
        backendAuth: given(policies.backendAuth, (policy) => backendAuth(policy, context)),
        tcp: given(policies.tcp, upstreamTcp),
      }),
    },
  }
}
