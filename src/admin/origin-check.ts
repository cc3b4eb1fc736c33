import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a request to the admin server comes from where it should. A page somewhere on the web can make its visitor's
 * browser call `127.0.0.1`, directly or through a name that resolves there; what gives it away is the name it used
 * (`Host`), the page's own (`Origin`), and what the browser says of the two (`Sec-Fetch-Site`).
 *
 * @param allowed Names beyond the loopback ones, lower-case, without port.
 * @param authority The host in the request's target, if it names one; it goes before the Host field.
 * @returns What is wrong, or undefined.
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
    // Following a link from another site is harmless; anything a page does on its own is not.
    const isLink = method === 'GET' && headers['sec-fetch-mode'] === 'navigate'
    if (!isLink) return 'request of another site not allowed'
  }
  return undefined
}

/** `localhost` and its subdomains, and the loopback addresses. Lower-case, IPv6 in brackets. */
const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || loopback4.test(name)

/** All four parts must be there: `127.1` and `2130706433` are no way to write a Host. */
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
