import type {
  AttachedRoute,
  ConfigFile,
  Gateway,
  GatewayListener,
} from '../../../config/schema/file-types.gen.ts'
import { CommandFailure } from '../../command-failure.ts'
import type { ImportReport } from '../import-report.ts'
import type { Directive } from './directive.ts'
import { reasonFor } from './directive-reasons.ts'
import { type ListenAddress, listenKey, parseListen } from './listen.ts'
import { NginxScope } from './nginx-scope.ts'
import { parseNginx } from './parse-nginx.ts'
import { serverNames } from './server-names.ts'
import { serverRoutes } from './server-routes.ts'
import { serverTls } from './server-tls.ts'

/**
 * Converts the HTTP servers of nginx: each socket becomes a gateway, each server its listeners, each location a route.
 *
 * @throws {CommandFailure} if the file cannot be parsed, or has no server.
 */
export const importNginx = (text: string, report: ImportReport): ConfigFile => {
  const main = new NginxScope(parseNginx(text, report.file), report)
  const http = main.own('http').map((directive) => main.inside(directive.block ?? []))
  // The files of `conf.d` begin with `server`, and so do those that `nginx -T` appends.
  const holders = [main, ...http]
  const upstreams = new Map(
    holders.flatMap((holder) => holder.own('upstream').map((one) => [one.args[0] ?? '', one] as const)),
  )
  const servers = holders.flatMap((holder) =>
    holder
      .own('server')
      .map((directive) => new ServerBlock(directive, (holder === main ? http[0] : undefined) ?? holder)),
  )
  if (servers.length === 0) throw new CommandFailure(`${report.file} has no server of HTTP`)
  const sockets = Map.groupBy(
    servers.flatMap((server) => server.listens.map((listen) => ({ server, listen }))),
    ({ listen }) => listenKey(listen),
  )
  const gateways: Record<string, Gateway> = {}
  const attached = new Map<ServerBlock, string[]>()
  for (const uses of sockets.values()) addGateway(uses, gateways, attached, report)
  const forwarded: string[] = []
  const context = { upstreams, onForwarded: () => forwarded.push('location') }
  const routes: AttachedRoute[] = []
  for (const [index, server] of servers.entries()) {
    const targets = attached.get(server) ?? []
    if (targets.length === 0)
      report.dropped(server.directive.at, 'server', 'no address or name of it can be used')
    else {
      const own = server.names[0] ?? `server-${String(index + 1)}`
      // The servers of a name for HTTP and for HTTPS.
      const isTwice = servers.some((other) => other !== server && other.names[0] === own)
      const port = server.listens[0]?.port
      const name = isTwice && port !== undefined ? `${own}-${String(port)}` : own
      routes.push(...serverRoutes(server.scope, name, targets, context))
    }
  }
  const frontend = {
    ...(forwarded.length > 0 ? { forwarded: { mode: 'append' as const } } : {}),
    ...(mergesSlashes(servers, report) ? { path: { mergeSlashes: true } } : {}),
  }
  reportUnused(main, report)
  return {
    gateways,
    ...(Object.keys(frontend).length > 0 ? { frontendPolicies: { http: frontend } } : {}),
    routes,
  }
}

/** Unlike this gateway nginx merges slashes by default: `//admin` is `/admin` to its locations. */
const mergesSlashes = (servers: readonly ServerBlock[], report: ImportReport): boolean => {
  const kept = servers.flatMap(
    ({ scope }) => scope.inherited('merge_slashes').findLast(({ args }) => args[0] === 'off') ?? [],
  )
  if (kept.length === servers.length) return false
  for (const { at } of kept)
    report.changed(
      at,
      'merge_slashes off',
      'slashes are merged for all servers, because other servers need it',
    )
  return true
}

class ServerBlock {
  readonly directive: Directive
  readonly scope: NginxScope
  readonly names: readonly string[]
  readonly listens: readonly ListenAddress[]

  constructor(directive: Directive, holder: NginxScope) {
    holder.use(directive)
    this.directive = directive
    this.scope = holder.inside(directive.block ?? [])
    this.names = serverNames(this.scope)
    const written = this.scope.own('listen')
    const parsed = written.map((one) => {
      const listen = parseListen(one)
      if (!listen)
        this.scope.report.dropped(
          one.at,
          `listen ${one.args.join(' ')}`,
          'is no address that a gateway can have',
        )
      return listen
    })
    const all: ListenAddress = { address: undefined, port: 80, options: new Set() }
    const usable = written.length === 0 ? [all] : parsed.filter((one) => one !== undefined)
    this.listens = [...new Map(usable.map((one) => [listenKey(one), one])).values()]
    for (const one of written)
      for (const option of parseListen(one)?.options ?? [])
        if (UNSUPPORTED.has(option))
          this.scope.report.dropped(one.at, `listen ${option}`, UNSUPPORTED.get(option) ?? '')
  }
}

const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  [
    'proxy_protocol',
    'the PROXY protocol is set for whole ports, by frontendPolicies.proxyProtocol or a policy of a port',
  ],
  ['quic', 'HTTP/3 is not served'],
])

interface ListenUse {
  readonly server: ServerBlock
  readonly listen: ListenAddress
}

/** A gateway for a socket; servers that share it become its listeners. */
const addGateway = (
  uses: readonly ListenUse[],
  gateways: Record<string, Gateway>,
  attached: Map<ServerBlock, string[]>,
  report: ImportReport,
): void => {
  const [first] = uses
  if (!first || first.listen.options.has('quic')) return
  const { address, port } = first.listen
  const name = uniqueName(port === undefined ? 'socket' : `port-${String(port)}`, gateways)
  const fallback =
    uses.find(({ listen }) => listen.options.has('default_server') || listen.options.has('default')) ?? first
  const where = { ...(port === undefined ? {} : { port }), ...(address === undefined ? {} : { address }) }
  const isSecure = uses.some(({ listen }) => listen.options.has('ssl'))
  const attach = (server: ServerBlock, target: string): void => {
    attached.set(server, [...(attached.get(server) ?? []), target])
  }
  const listeners: GatewayListener[] = []
  if (uses.length === 1) {
    gateways[name] = { ...where, ...(isSecure ? { tls: serverTls(first.server.scope) } : {}) }
    attach(first.server, name)
  } else {
    for (const { server } of uses) {
      const tls = isSecure ? { protocol: 'HTTPS' as const, tls: serverTls(server.scope) } : {}
      const names: (string | undefined)[] = [
        ...server.names,
        ...(server === fallback.server ? [undefined] : []),
      ]
      for (const hostname of names) {
        const listener = hostname?.replaceAll('*', 'any') ?? 'default'
        if (listeners.some((one) => one.name === listener)) continue
        listeners.push({ name: listener, ...(hostname === undefined ? {} : { hostname }), ...tls })
        attach(server, `${name}/${listener}`)
      }
    }
    gateways[name] = { ...where, listeners }
  }
  report.origin(gateways[name], first.server.directive.at)
}

const uniqueName = (name: string, taken: Readonly<Record<string, unknown>>): string => {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}-${String(count)}`
    if (!Object.hasOwn(taken, candidate)) return candidate
  }
}

/** Nothing is dropped silently: each directive that no route used is reported. */
const reportUnused = (scope: NginxScope, report: ImportReport): void => {
  const visit = (block: readonly Directive[]): void => {
    for (const directive of block) {
      if (!scope.isUsed(directive)) {
        const { kind, ...why } = reasonFor(directive.name)
        report.add(kind, directive.at, [directive.name, ...directive.args].join(' ').slice(0, 80), why)
      } else if (directive.block) visit(directive.block)
    }
  }
  visit(scope.block)
}
