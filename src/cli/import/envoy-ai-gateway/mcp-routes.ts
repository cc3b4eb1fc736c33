import type { AttachedRoute, McpTarget } from '../../../config/schema/file-types.gen.ts'
import { celString, denyEverything, variableName, variable } from '../config-text.ts'
import type { ImportReport } from '../import-report.ts'
import type { SourceValue } from '../source-value.ts'
import type { KubernetesObject, KubernetesObjects } from './kubernetes-objects.ts'
import { backendAddress } from './service-backend.ts'

/** An MCPRoute as a route with MCP servers; undefined if none of its backends has an address. */
export const importMcpRoute = (
  route: KubernetesObject,
  gateways: readonly string[],
  objects: KubernetesObjects,
  report: ImportReport,
): AttachedRoute | undefined => {
  const path = route.spec?.field('path')?.text ?? '/mcp'
  const rules: { require: string }[] = []
  const targets = (route.spec?.field('backendRefs')?.items ?? []).flatMap((reference) => {
    const target = mcpTarget(reference, route, objects, report)
    const selected = target && toolRule(reference.field('toolSelector'), target.name)
    if (selected !== undefined) rules.push({ require: selected })
    return target ?? []
  })
  if (targets.length === 0) return undefined
  const access = accessPolicies(route, report)
  return {
    name: route.name,
    gateways: [...gateways],
    matches: [{ path: { pathPrefix: path } }],
    ...(rules.length > 0 || access
      ? { policies: { ...(rules.length > 0 ? { mcpAuthorization: { rules } } : {}), ...access } }
      : {}),
    backends: [{ mcp: { targets } }],
  }
}

const mcpTarget = (
  reference: SourceValue,
  route: KubernetesObject,
  objects: KubernetesObjects,
  report: ImportReport,
): McpTarget | undefined => {
  const name = reference.field('name')?.text ?? ''
  const address = backendAddress(reference, route, objects, report)
  if (address === undefined) {
    reference.ignore()
    return undefined
  }
  const key = reference.in('securityPolicy', 'apiKey')
  const path = reference.field('path')?.text ?? '/mcp'
  let secretName: string | undefined
  if (key) {
    secretName = variableName(key.in('secretRef', 'name')?.text ?? name, 'API_KEY')
    const header = key.field('header')?.text
    if (header !== undefined && header.toLowerCase() !== 'authorization')
      report.changed(
        key.at,
        `MCPRoute ${route.name}: ${name}`,
        `the key is sent in ${header}`,
        'check backendAuth.key.location',
      )
    report.changed(
      key.at,
      `MCPRoute ${route.name}: ${name}`,
      `the secret is not copied: the file reads it from ${secretName}`,
      `set the variable ${secretName}`,
    )
    key.ignore()
  }
  return {
    name: name.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-'),
    mcp: { host: `${address}${path}` },
    ...(secretName === undefined ? {} : { policies: { backendAuth: { key: variable(secretName) } } }),
  }
}

/**
 * Tools of a server that are offered, as a rule about the tools of this server only. As in Envoy AI Gateway, patterns
 * match anywhere in a name, and those of `includeRegex` count only without `include`.
 */
const toolRule = (selector: SourceValue | undefined, target: string): string | undefined => {
  if (!selector) return undefined
  const texts = (name: string): readonly string[] =>
    (selector.field(name)?.items ?? []).flatMap(({ text }) => text ?? [])
  const names = (list: readonly string[]): string[] =>
    list.length > 0 ? [`mcp.tool.name in [${list.map(celString).join(', ')}]`] : []
  const patterns = (list: readonly string[]): string[] =>
    list.map((one) => `mcp.tool.name.matches(${celString(one)})`)
  const [listed, byPattern] = [names(texts('include')), patterns(texts('includeRegex'))]
  const included = listed.length > 0 ? listed : byPattern
  const excluded = [...names(texts('exclude')), ...patterns(texts('excludeRegex'))]
  const parts = [
    ...(included.length > 0 ? [`(${included.join(' || ')})`] : []),
    ...(excluded.length > 0 ? [`!(${excluded.join(' || ')})`] : []),
  ]
  return parts.length === 0 ? undefined : `mcp.tool.target != ${celString(target)} || ${parts.join(' && ')}`
}

/**
 * The accepted audiences. Without any, none is checked there; what cannot be read is not taken for that, and undefined.
 */
const audiencesOf = (oauth: SourceValue): string[] | undefined => {
  const audiences = oauth.field('audiences')?.json ?? []
  return Array.isArray(audiences) && audiences.every((one) => typeof one === 'string') ? audiences : undefined
}

/** OAuth becomes `mcpAuthentication`; any other restriction refuses every request, until it is written anew. */
const accessPolicies = (route: KubernetesObject, report: ImportReport): AttachedRoute['policies'] => {
  const security = route.spec?.field('securityPolicy')
  if (!security) return undefined
  const oauth = security.field('oauth')
  const issuer = oauth?.field('issuer')?.text
  const audiences = oauth && audiencesOf(oauth)
  const url = oauth?.in('jwks', 'remoteJWKS', 'uri')?.text
  const resource = oauth?.in('protectedResourceMetadata', 'resource')?.text
  const scopes = (oauth?.in('protectedResourceMetadata', 'scopesSupported')?.items ?? []).flatMap(
    ({ text }) => text ?? [],
  )
  const rest = security.unread
  const isWhole = oauth && issuer !== undefined && audiences !== undefined
  security.ignore()
  const mcpAuthentication = isWhole && {
    issuer: issuer,
    ...(audiences.length > 0 ? { audiences } : {}),
    ...(url === undefined ? {} : { jwks: { url: url } }),
    resourceMetadata: {
      ...(resource === undefined ? {} : { resource: resource }),
      ...(scopes.length > 0 ? { scopesSupported: scopes } : {}),
    },
  }
  if (mcpAuthentication && audiences.length === 0)
    report.changed(
      oauth.at,
      `MCPRoute ${route.name}: ${oauth.path}`,
      resource === undefined
        ? 'without audiences and a resource, tokens that the issuer made for other services are accepted'
        : 'without audiences, tokens must be for the resource: others were accepted as well',
      'set mcpAuthentication.audiences',
    )
  const closing = rest.length > 0 ? rest : isWhole ? [] : [security]
  for (const field of closing)
    report.closed(
      field.at,
      `MCPRoute ${route.name}: ${field.path}`,
      'restricts access, and cannot be translated',
      'use mcpAuthentication and mcpAuthorization',
    )
  return {
    ...(mcpAuthentication ? { mcpAuthentication } : {}),
    ...(closing.length > 0 ? { authorization: denyEverything() } : {}),
  }
}
