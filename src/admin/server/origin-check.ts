import type { IncomingHttpHeaders } from 'node:http'

/**
 * Checks the origin of a request to the admin server. A web page can make a browser call `127.0.0.1`, directly or by
 * DNS rebinding; such requests are detected by the requested name (`Host`), the page's origin (`Origin`), and the
 * relation of both (`Sec-Fetch-Site`).
 *
 * @param allowed Names beyond the loopback ones, lower-case, without port.
 * @param authority The host in the request's target, if any; it takes precedence over the Host field.
 * @returns The error, or undefined.
 */
export const foreignCaller = (
  method: string,
  headers: IncomingHttpHeaders,
  allowed: ReadonlySet<string>,
  authority?: string,
): string | undefined => {
  const { host, origin } = headers
  const isOurs = (name: string) => isLoopbackName(name) || allowed.has(name)

  if (host === undefined || !isOurs(hostName(host))) return `host not allowed: ${host ?? '(none)'}`
  if (authority !== undefined && !isOurs(hostName(authority))) return `host not allowed: ${authority}`
  if (origin !== undefined && !isOurs(originName(origin))) return `origin not allowed: ${origin}`
  if (headers['sec-fetch-site'] === 'cross-site') {
    // Following a link from another site is harmless; other requests of a page are not.
    const isLink = method === 'GET' && headers['sec-fetch-mode'] === 'navigate'
    if (!isLink) return 'request of another site not allowed'
  }
  return undefined
}

/** `localhost` and its subdomains, and the loopback addresses. Lower-case, IPv6 in brackets. */
const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || loopback4.test(name)

/** All four parts are required: `127.1` and `2130706433` are no valid Host. */
const loopback4 = /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/
const hostAndPort = /^(\[[0-9a-f:.]+\]|[^:[\]@/\\\s]+)(?::\d{1,5})?$/

const hostName = (host: string): string => {
  const name = hostAndPort.exec(host.toLowerCase())?.[1] ?? ''
  return name.endsWith('.') ? name.slice(0, -1) : name
}

const originName = (origin: string): string => {
  const rest = /^https?:\/\/(.+)$/.exec(origin.toLowerCase())?.[1]
  return rest === undefined ? '' : hostName(rest)
}
