import type * as File from '../../../../config/schema/file-types.gen.ts'
import { child } from '../../../../config/document/json-pointer.ts'
import { aiProviders, llmWays } from '../../../../operators/llm/validate/locations.ts'
import { mcpTargets } from '../../../../operators/mcp/validate/mcp.ts'
import { checkServerTls } from './server-tls.ts'
import { checkTlsFiles, checkTlsPairs } from './tls-files.ts'
import { checkTlsVersions } from './tls-versions.ts'
import { allListeners, httpRoutes, tcpRoutes } from '../../../../config/validate/route-locations.ts'
import { frontendLocations } from '../../../../config/validate/policy-locations.ts'
import type { Check, ValidationContext } from '../../../../config/validate/context.ts'

/** Checks the certificates, keys and TLS versions of listeners. */
export const checkListenerTls: Check = (view) => {
  for (const { tls, pointer } of allListeners(view))
    if (tls !== undefined) checkServerTls(view, tls, child(pointer, 'tls'))
  for (const { frontend, pointer } of frontendLocations(view))
    if (frontend.tls !== undefined)
      checkTlsVersions(view, child(pointer, 'tls'), ['minVersion'], ['maxVersion'], frontend.tls)
  for (const [tls, pointer] of upstreamTls(view)) checkUpstreamTls(view, tls, pointer)
}

/** Checks TLS towards an upstream: a certificate and its key belong together. */
export function checkUpstreamTls(view: ValidationContext, tls: File.UpstreamTls, pointer: string): void {
  checkTlsPairs(view, tls, pointer)
  checkTlsFiles(view, tls, pointer)
}

function* upstreamTls(view: ValidationContext): Iterable<readonly [File.UpstreamTls, string]> {
  const found = function* (policies: { backendTLS?: File.UpstreamTls } | undefined, pointer: string) {
    if (policies?.backendTLS !== undefined) yield [policies.backendTLS, child(pointer, 'backendTLS')] as const
  }
  for (const route of [...httpRoutes(view), ...tcpRoutes(view)]) {
    yield* found(route.value.policies, child(route.pointer, 'policies'))
    const backends: readonly (File.RouteBackend | File.TcpRouteBackend)[] | undefined = route.value.backends
    for (const backend of view.items(backends, child(route.pointer, 'backends'))) {
      yield* found(backend.value.policies, child(backend.pointer, 'policies'))
    }
  }
  for (const backend of view.items(view.file.backends, '/backends')) {
    yield* found(backend.value.policies, child(backend.pointer, 'policies'))
  }
  for (const { value, pointer } of aiProviders(view)) {
    yield* found(value.policies, child(pointer, 'policies'))
  }
  for (const { value, pointer } of llmWays(view)) {
    yield* found(value, pointer)
    if (value.tls !== undefined) yield [value.tls, child(pointer, 'tls')]
  }
  for (const target of mcpTargets(view)) {
    yield* found(target.value.policies, child(target.pointer, 'policies'))
  }
  for (const policy of view.items(view.file.policies, '/policies')) {
    yield* found(policy.value.policy, child(policy.pointer, 'policy'))
  }
}
