import type { RouteBackend, RoutePolicies, UpstreamTls } from '../../../config/schema/file-types.gen.ts'
import { secondsText } from '../config-text.ts'
import type { Directive } from './directive.ts'
import { nginxDuration } from './nginx-quantities.ts'
import type { NginxScope } from './nginx-scope.ts'
import { nginxText } from './nginx-text.ts'

/** Where a location proxies to. */
export interface ProxyTarget {
  readonly backends: RouteBackend[]
  readonly policies: Pick<RoutePolicies, 'backendTLS' | 'loadBalancing' | 'health'>
  /** `$proxy_host` of nginx. */
  readonly host: string
  /** The URI of `proxy_pass`, which replaces the prefix of the location. */
  readonly uri: string | undefined
  readonly serverCount: number
}

/** The target of `proxy_pass` or `grpc_pass`; undefined, and reported, if it is not known before a request. */
export const proxyTarget = (
  directive: Directive,
  scope: NginxScope,
  upstreams: ReadonlyMap<string, Directive>,
): ProxyTarget | undefined => {
  const { report } = scope
  const url = (directive.args[0] ?? '').replace(/\$request_uri$|\$uri\$is_args\$args$/, '')
  const subject = `${directive.name} ${directive.args[0] ?? ''}`
  const match =
    /^(?:(https?|grpcs?):\/\/)?(unix:[^:]+(?=:|$)|[^/:@$]+(?::\d+)?):?(?<!https?:|grpcs?:)(\/[^$?#]*)?$/.exec(
      url,
    )
  if (!match && url.includes('@')) {
    // The subject would have the password.
    const hint = 'the policy backendAuth has credentials for backends'
    report.dropped(directive.at, directive.name, 'a target has no user information', hint)
    return undefined
  }
  if (!match) {
    if (/^[^$]*\?/.test(url))
      report.dropped(directive.at, subject, 'a rewrite has no query', 'use transformations that set :path')
    else
      report.dropped(
        directive.at,
        subject,
        'the target is not known before a request',
        'use a backend for each target, or a dynamic backend with an allow list',
      )
    return undefined
  }
  const [, scheme = 'http', host = '', uri] = match
  const isSecure = scheme.endsWith('s')
  const upstream = upstreams.get(host)
  const tls = isSecure ? upstreamTls(directive, scope, upstream ? host : undefined) : undefined
  const isGrpc = scheme.startsWith('grpc')
  const addressed = (address: string): string => withPort(address, isSecure ? 443 : 80)
  const more = {
    policies: { ...(tls ? { backendTLS: tls } : {}) },
    host,
    uri: isGrpc ? undefined : uri,
  }
  if (!upstream) return { ...more, backends: [{ host: addressed(host) }], serverCount: 1 }
  const group = scope.inside(upstream.block ?? [])
  const servers = group.own('server')
  const backends = servers.flatMap((server) => backendOf(server, group, addressed))
  if (backends.length === 0) {
    report.dropped(upstream.at, `upstream ${host}`, 'has no server that is up')
    return undefined
  }
  const balanced = balancing(group)
  const health = healthOf(servers, scope, upstream)
  return {
    ...more,
    backends,
    serverCount: servers.length,
    policies: {
      ...more.policies,
      ...(balanced ? { loadBalancing: balanced } : {}),
      ...(health ? { health } : {}),
    },
  }
}

const withPort = (address: string, port: number): string =>
  address.startsWith('unix:') || /:\d+$/.test(address) ? address : `${address}:${String(port)}`

const backendOf = (
  { args, at }: Directive,
  { report }: NginxScope,
  addressed: (address: string) => string,
): RouteBackend[] => {
  const [address = '', ...options] = args
  const values = new Map(options.map((option) => [option.split('=')[0] ?? '', option.split('=')[1] ?? '']))
  for (const name of values.keys())
    if (!KNOWN.has(name)) report.dropped(at, `server ${address} ${name}`, 'has no counterpart', HINTS[name])
  if (values.has('down')) {
    report.dropped(at, `server ${address} down`, 'gets no requests')
    return []
  }
  const weight = Number(values.get('weight') ?? 1)
  return [
    {
      host: addressed(address),
      ...(weight === 1 ? {} : { weight }),
      ...(values.has('backup') ? { priority: 1 } : {}),
    },
  ]
}

/** `resolve` is how names are always used here: addresses follow DNS. */
const KNOWN: ReadonlySet<string> = new Set([
  'weight',
  'backup',
  'down',
  'max_fails',
  'fail_timeout',
  'resolve',
  'slow_start',
])
const HINTS: Readonly<Record<string, string>> = {
  max_conns: 'config.backend.poolMaxSize limits connections to every address',
  route: 'use loadBalancing.ringHash with a cookie',
}

const healthOf = (
  servers: readonly Directive[],
  scope: NginxScope,
  upstream: Directive,
): RoutePolicies['health'] => {
  const optionOf = ({ args }: Directive, name: string): string | undefined =>
    args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1)
  const option = (name: string): string | undefined =>
    servers.map((server) => optionOf(server, name)).find((value) => value !== undefined)
  const fails = option('max_fails')
  const timeout = nginxDuration(option('fail_timeout'))
  const slowStart = nginxDuration(option('slow_start'))
  const isEvicting = fails !== '0' && (fails !== undefined || timeout !== undefined)
  if (!isEvicting && slowStart === undefined) return undefined
  const settings = servers.map((server) =>
    [optionOf(server, 'max_fails') ?? '1', optionOf(server, 'fail_timeout') ?? '10s'].join(' '),
  )
  if (new Set(settings).size > 1)
    scope.report.changed(
      upstream.at,
      `upstream ${upstream.args[0] ?? ''}`,
      'max_fails and fail_timeout are the same for all servers: the first ones of the group',
    )
  return {
    ...(isEvicting
      ? {
          // To nginx an error status of a server is a failure only where proxy_next_upstream names it.
          unhealthyExpression: failureExpression(scope),
          eviction: { consecutiveFailures: Number(fails ?? 1), duration: timeout ?? secondsText(10) },
        }
      : {}),
    ...(slowStart === undefined ? {} : { slowStart }),
  }
}

const failureExpression = (scope: NginxScope): string => {
  const named = scope.inherited('proxy_next_upstream').at(-1)?.args ?? []
  const codes = named.flatMap((arg) => /^http_(5\d\d|429)$/.exec(arg)?.[1] ?? [])
  return codes.length > 0 ? `response.code in [${codes.join(', ')}]` : 'false'
}

const balancing = (group: NginxScope): RoutePolicies['loadBalancing'] => {
  // Pools and names need no directive here.
  group.own('keepalive', 'keepalive_timeout', 'keepalive_requests', 'zone', 'resolver')
  if (group.own('least_conn', 'least_time').length > 0) return { leastRequest: {} }
  if (group.own('random').length > 0) return { random: {} }
  if (group.own('ip_hash').length > 0) return { ringHash: { key: 'source.address' } }
  const hash = group.own('hash')[0]
  if (!hash) return undefined
  const text = nginxText(hash.args[0] ?? '')
  if (text.kind === 'expression') return { ringHash: { key: text.expression } }
  group.report.dropped(
    hash.at,
    `hash ${hash.args[0] ?? ''}`,
    'the key has no counterpart',
    'use loadBalancing.ringHash',
  )
  return undefined
}

const upstreamTls = (directive: Directive, scope: NginxScope, group: string | undefined): UpstreamTls => {
  const root = scope.value('proxy_ssl_trusted_certificate')
  const [cert, key] = [scope.value('proxy_ssl_certificate'), scope.value('proxy_ssl_certificate_key')]
  const name = scope.value('proxy_ssl_name') ?? group
  scope.inherited('proxy_ssl_server_name', 'proxy_ssl_session_reuse')
  if (scope.value('proxy_ssl_verify') !== 'on')
    scope.report.changed(
      directive.at,
      `${directive.name} ${directive.args[0] ?? ''}`,
      'the certificate of the backend is verified, which nginx does with proxy_ssl_verify only',
      'backendTLS.root is for a private authority',
    )
  return {
    ...(root === undefined ? {} : { root: root }),
    ...(cert === undefined ? {} : { cert: cert }),
    ...(key === undefined ? {} : { key: key }),
    ...(name === undefined || name.includes('$') ? {} : { hostname: name }),
  }
}
