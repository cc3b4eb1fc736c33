import type { LlmBackend } from './model/llm/llm-backend.ts'
import type { BackendSpec, Resources, Route } from './model/resources/resources.ts'
import type { PortAddress } from './streams/http/port/port-address.ts'
import { hostPortText } from './protocols/ip/host-port.ts'

/** A listening address, such as `default` at `http://127.0.0.1:3000`. */
export interface ListeningAddress {
  readonly name: string
  readonly url: string
}

/** Messages on standard output: each listening address once, and then that the gateway is ready. */
export class StartupMessage {
  readonly #printed = new Set<string>()

  listens(addresses: readonly ListeningAddress[]): void {
    for (const { name, url } of addresses) {
      const line = `${name} listens on ${url}`
      if (!this.#printed.has(line)) console.log(line)
      this.#printed.add(line)
    }
  }

  /** @param isAdminOpen Whether the admin server asks for no credentials. */
  ready(resources: Resources, addresses: readonly ListeningAddress[], isAdminOpen: boolean): void {
    const usable = addresses.filter(({ name }) => name !== 'admin' || isAdminOpen)
    const lines = tryLines(resources, usable)
    if (lines.length) console.log(`\nTry:\n${lines.map((line) => `  ${line}`).join('\n')}\n`)
    console.log('ready')
  }
}

/**
 * Example commands for a gateway that has just started: two of its routes, the tools of the first MCP servers, a chat
 * request, and the live trace of a request.
 *
 * Only routes that plain `curl` can reach are shown: no host names, methods, headers or queries to match.
 */
const tryLines = ({ binds, backends }: Resources, addresses: readonly ListeningAddress[]): string[] => {
  const specs = new Map(backends.map(({ key, spec }) => [key, spec]))
  const specOf = ({ backends: [first] }: Route): BackendSpec | undefined =>
    first?.target.kind === 'backend' ? specs.get(first.target.key) : undefined
  const urlOf = (name: string): string | undefined =>
    addresses.find((one) => one.name === name)?.url.replace('[::]', '127.0.0.1')
  const routes = binds
    .flatMap(({ listeners }) => listeners)
    .filter((listener) => listener.protocol === 'HTTP' && ['', '*'].includes(listener.hostname))
    .flatMap((listener) => listener.routes.map((route) => ({ route, url: urlOf(listener.gatewayName) })))
  const lines = routes.flatMap(({ route, url }) => {
    const path = samplePath(route)
    return url === undefined || path === undefined ? [] : [sampleLine(specOf(route), url, path)]
  })
  const of = (kind: SampleLine['kind']): string[] =>
    lines.flatMap((line) => (line.kind === kind && line.text !== undefined ? [line.text] : []))
  const admin = urlOf('admin')
  return [
    ...[...new Set(of('plain'))].slice(0, 2),
    ...of('mcp').slice(0, 1),
    ...of('llm').slice(0, 1),
    ...(admin === undefined ? [] : [`curl -N ${admin}/debug/trace`]),
  ]
}

interface SampleLine {
  readonly kind: 'plain' | 'mcp' | 'llm'
  /** Undefined if there is nothing to try. */
  readonly text: string | undefined
}

const sampleLine = (spec: BackendSpec | undefined, url: string, path: string): SampleLine => {
  if (spec?.type === 'llm') return { kind: 'llm', text: chatLine(spec, url) }
  if (spec?.type !== 'mcp') return { kind: 'plain', text: `curl ${url}${path}` }
  // MCP clients request this exact URL, and nothing below it.
  const address = `${url}${path.replace(/(?<=.)\/$/, '')}`
  return { kind: 'mcp', text: `${INSPECTOR} --cli ${address} --transport http --method tools/list` }
}

/** A chat request for the first model with a fixed name, preferring one that needs no network. */
const chatLine = ({ choice }: LlmBackend, url: string): string | undefined => {
  if (choice.by !== 'model') return undefined
  const named = choice.models.filter(
    ({ name, visibility, matches }) => visibility === 'public' && !name.includes('*') && matches.length === 0,
  )
  const model = named.find(({ provider }) => provider.kind === 'mock') ?? named[0]
  if (model === undefined) return undefined
  const body = JSON.stringify({ model: model.name, messages: [{ role: 'user', content: 'Hello!' }] })
  return body.includes("'") ? undefined : `curl ${url}/v1/chat/completions -d '${body}'`
}

/** The MCP Inspector, whose CLI lists tools without a browser. */
const INSPECTOR = 'npx @modelcontextprotocol/inspector'

const samplePath = ({ hostnames, matches }: Route): string | undefined => {
  const plain = matches.find(
    ({ method, headers, query }) => method === undefined && !headers?.length && !query?.length,
  )
  if (hostnames.length || !plain || 'regex' in plain.path) return undefined
  if ('exact' in plain.path) return plain.path.exact
  return plain.path.pathPrefix.endsWith('/') ? plain.path.pathPrefix : `${plain.path.pathPrefix}/`
}

/** The listening addresses of a configuration, with the ports that the system chose. */
export const gatewayAddresses = (
  { binds }: Resources,
  addresses: readonly PortAddress[],
): ListeningAddress[] =>
  addresses.flatMap((address) => {
    const bind = binds.find(({ key }) => key === address.bind)
    const url = 'unix' in address ? `unix:${address.unix}` : urlOf(address.host, address.port, bind?.protocol)
    const names = new Set(bind?.listeners.map(({ gatewayName }) => gatewayName))
    return [...names].map((name) => ({ name, url }))
  })

const urlOf = (host: string, port: number, protocol: string | undefined): string => {
  const scheme = protocol === 'tls' ? 'https' : protocol === 'udp' ? 'udp' : 'http'
  return `${scheme}://${hostPortText(host, port)}`
}
