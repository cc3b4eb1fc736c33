import type { Tunnel } from '../../model/tunnel.ts'
import type * as File from '../file-types.gen.ts'
import { backendAuth } from './backend-auth.ts'
import { upstreamTcp } from './backend-policies.ts'
import type { Context } from './context.ts'
import { defined, given } from './defined.ts'
import { simpleBackend } from './references.ts'
import { tlsUpstream } from './tls.ts'

/** The proxy in front of a backend, and how it is connected to. */
export function tunnel({ proxy, policies = {} }: File.BackendTunnel, context: Context): Tunnel {
  return {
    proxy: simpleBackend(proxy),
    policies: defined<Tunnel['policies']>({
      backendTLS: given(policies.backendTLS, tlsUpstream),
      backendAuth: given(policies.backendAuth, (policy) => backendAuth(policy, context)),
      tcp: given(policies.tcp, upstreamTcp),
    }),
  }
}
