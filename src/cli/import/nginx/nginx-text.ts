import { celString } from '../config-text.ts'

/** A text of nginx: without variables, as an expression, or with variables that have no counterpart. */
export type NginxText =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'expression'; readonly expression: string }
  | { readonly kind: 'unknown'; readonly variable: string }

/**
 * Translates variables of nginx to expressions.
 *
 * @example
 * nginxText('$scheme://$host') // { kind: 'expression', expression: 'request.scheme + "://" + …' }
 */
export const nginxText = (text: string): NginxText => {
  if (!text.includes('$')) return { kind: 'literal', text }
  const parts: string[] = []
  let end = 0
  for (const match of text.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)) {
    if (match.index > end) parts.push(celString(text.slice(end, match.index)))
    const name = match[1] ?? match[2] ?? ''
    const expression = nginxVariable(name)
    if (expression === undefined) return { kind: 'unknown', variable: `$${name}` }
    parts.push(expression)
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push(celString(text.slice(end)))
  return { kind: 'expression', expression: parts.join(' + ') }
}

/** The expression for a variable of nginx; undefined if there is none. */
export const nginxVariable = (name: string): string | undefined => {
  if (Object.hasOwn(VARIABLES, name)) return VARIABLES[name]
  const header = /^http_([a-z0-9_]+)$/.exec(name)?.[1]?.replaceAll('_', '-')
  return header === undefined ? undefined : `default(request.headers["${header}"], "")`
}

const VARIABLES: Readonly<Record<string, string>> = {
  host: 'request.host.split(":")[0]',
  http_host: 'request.host',
  scheme: 'request.scheme',
  request_uri: 'request.pathAndQuery',
  uri: 'request.path',
  document_uri: 'request.path',
  request_method: 'request.method',
  server_protocol: 'request.version',
  remote_addr: 'source.address',
  realip_remote_addr: 'source.rawAddress',
  remote_port: 'string(source.port)',
  server_addr: 'destination.address',
  server_port: 'string(destination.port)',
  ssl_server_name: 'default(destination.hostname, "")',
  ssl_client_s_dn: 'default(source.subject, "")',
  ssl_client_i_dn: 'default(source.issuer, "")',
}
