/**
 * A host and a port as text, an IPv6 address in brackets.
 *
 * @example
 * hostPortText('::1', 80) // '[::1]:80'
 */
export const hostPortText = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${String(port)}` : `${host}:${String(port)}`

/** As {@link hostPortText}; a Unix socket is `unix:/path`. */
export const hostPortOrUnixText = (
  address: { readonly host: string; readonly port: number } | { readonly unix: string },
): string => ('unix' in address ? `unix:${address.unix}` : hostPortText(address.host, address.port))
