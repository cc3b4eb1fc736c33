import type * as File from '../../../../config/schema/file-types.gen.ts'
import { child } from '../../../../config/document/json-pointer.ts'
import { aiProviders, llmWays } from '../../../../operators/llm/validate/locations.ts'
import { mcpTargets } from '../../../../operators/mcp/validate/mcp.ts'
import { checkTlsFiles } from './tls-files.ts'
import { allListeners, httpRoutes, tcpRoutes } from '../../../../config/validate/route-locations.ts'
import type { Check, ValidationContext } from '../../../../config/validate/context.ts'

/** Checks the certificates, keys and TLS versions of listeners. */
export const checkListenerTls: Check = (view) => {
  for (const { tls, pointer } of allListeners(view)) {
    if (tls === undefined) continue
    const at = child(pointer, 'tls')
    checkPresence(view, tls, at)
    examineVersions(view, at, ['minTLSVersion', 'minTlsVersion'], ['maxTLSVersion', 'maxTlsVersion'], tls)
    const root = (['root', 'rootPem'] as const).find((field) => tls[field] !== undefined)
    if (tls.mode === 'dynamicCa' && root !== undefined)
      view.problem(child(at, root), `tls.${root} is not supported with tls.mode=dynamicCa`)
    if (tls.clientCertificates !== undefined && root === undefined)
      view.problem(child(at, 'clientCertificates'), "tls.clientCertificates requires 'root' or 'rootPem'")
    checkTlsFiles(view, tls, at)
  }
  const frontend = view.file.frontendPolicies?.tls
  if (frontend !== undefined) {
    examineVersions(view, '/frontendPolicies/tls', ['minVersion'], ['maxVersion'], frontend)
  }
  for (const [tls, pointer] of upstreamTls(view)) checkUpstreamTls(view, tls, pointer)
}

/** A listener has a certificate and its key, both as files or both as texts, unless it is marked as invalid. */
function checkPresence(view: ValidationContext, tls: File.ServerTls, at: string): void {
  if (tls.certPem !== undefined || tls.keyPem !== undefined) checkPairs(view, tls, at)
  else if (tls.invalid === undefined) {
    if (tls.cert === undefined) view.problem(at, "tls requires 'cert' (or 'spiffe')")
    if (tls.key === undefined) view.problem(at, "tls requires 'key' (or 'spiffe')")
  }
}

function checkPairs(view: ValidationContext, tls: File.ServerTls | File.UpstreamTls, pointer: string): void {
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    view.problem(pointer, "'cert' and 'key' belong together")
  }
  if ((tls.certPem === undefined) !== (tls.keyPem === undefined)) {
    view.problem(pointer, "'certPem' and 'keyPem' belong together")
  }
}

/** Checks TLS towards an upstream: a certificate and its key belong together. */
export function checkUpstreamTls(view: ValidationContext, tls: File.UpstreamTls, pointer: string): void {
  checkPairs(view, tls, pointer)
  checkTlsFiles(view, tls, pointer)
}

function examineVersions(
  view: ValidationContext,
  pointer: string,
  least: readonly string[],
  most: readonly string[],
  tls: object,
): void {
  const versions = tls as Readonly<Record<string, string | undefined>>
  const usable = (names: readonly string[]): string | undefined => {
    for (const name of names) {
      const version = versions[name]
      if (version === 'TLS_V1_0' || version === 'TLS_V1_1') {
        const value = version
        view.wrongValue(child(pointer, name), 'is not safe any more: must be TLS_V1_2 or TLS_V1_3', { value })
      } else if (version !== undefined) return version
    }
    return undefined
  }
  const min = usable(least)
  const max = usable(most)
  if (min !== undefined && max !== undefined && min > max) {
    view.problem(pointer, `the lowest TLS version, ${min}, is above the highest, ${max}`)
  }
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
