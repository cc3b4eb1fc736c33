import { BlockList, isIP } from 'node:net'

/**
 * The proxy of the environment for an API server, by the rules of kubectl: `HTTPS_PROXY`, or `HTTP_PROXY` for plain
 * HTTP, unless `NO_PROXY` has the host; never for this machine. Names in small letters are the same.
 */
export const environmentProxy = (server: string, env: NodeJS.ProcessEnv): string | undefined => {
  if (!URL.canParse(server)) return undefined
  const { protocol, hostname, port } = new URL(server)
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const proxy = variable(env, protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  if (proxy === '' || host === 'localhost' || isLoopback(host)) return undefined
  const at = port === '' ? (protocol === 'https:' ? '443' : '80') : port
  const isExcluded = variable(env, 'NO_PROXY')
    .split(',')
    .some((entry) => excludes(entry.trim().toLowerCase(), host, at))
  if (isExcluded) return undefined
  return proxy.includes('://') ? proxy : `http://${proxy}`
}

const variable = (env: NodeJS.ProcessEnv, name: string): string => env[name] ?? env[name.toLowerCase()] ?? ''

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const isLoopback = (host: string): boolean => isIP(host) !== 0 && loopback.check(host, family(host))

/** An entry is `*`, an address, a range of addresses, or a name, which has those below it; or one with a port. */
const excludes = (entry: string, host: string, port: string): boolean => {
  if (entry === '') return false
  if (entry === '*' || entry === host) return true
  const [range = '', length = ''] = entry.split('/')
  if (isIP(range) !== 0 && /^\d{1,3}$/.test(length)) return isInRange(range, Number(length), host)
  const [, name = entry, only] = /^(.*[^:]):(\d+)$/.exec(entry) ?? []
  if (only !== undefined && only !== port) return false
  if (name.replace(/^\[|\]$/g, '') === host) return true
  const domain = name.replace(/^\*(?=\.)/, '')
  if (domain.startsWith('.')) return host.endsWith(domain)
  return isIP(host) === 0 && host.endsWith(`.${domain}`)
}

const isInRange = (range: string, length: number, host: string): boolean => {
  if (isIP(host) !== isIP(range) || length > (isIP(range) === 6 ? 128 : 32)) return false
  const list = new BlockList()
  list.addSubnet(range, length, family(range))
  return list.check(host, family(host))
}
