import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { Agent, buildConnector, Client, type Dispatcher, ProxyAgent } from 'undici'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { opensslGroup } from '../../../protocols/tls/key-exchange-group.ts'
import { hasAlternativeName } from '../../../protocols/x509/alternative-names.ts'
import { type AddressCheck, checkedLookup, checkHost, urlHost } from './fetch-guard.ts'

/** TLS of a connection of the control plane. The files of a configuration are those of a proxy. */
export type ConnectionTls = Omit<File.UpstreamTls, 'cert' | 'key' | 'root' | 'invalid'>

/** An address that a tenant of the cluster has chosen, and how it is connected to. */
export interface FetchTarget {
  readonly url: string
  readonly tls?: ConnectionTls
  /** An HTTP proxy that the address is reached through (CONNECT). */
  readonly proxy?: {
    readonly url: string
    readonly tls?: ConnectionTls
    /** With the value of `Proxy-Authorization`. */
    readonly authorization?: { readonly value: string }
  }
}

/**
 * Connects to a target, and to no address that `isAllowed` refuses, whatever a name resolves to. A name behind a proxy is
 * resolved by the proxy, which alone is connected to then.
 *
 * @throws Error with a sentence, if the target must not be connected to.
 */
export const fetchAgent = ({ url, tls, proxy }: FetchTarget, isAllowed: AddressCheck): Dispatcher => {
  const host = urlHost(new URL(url))
  checkHost(host, isAllowed)
  const allowH2 = tls?.alpn?.includes('h2') === true
  const dialled = { timeout: CONNECT_TIMEOUT_MS, lookup: checkedLookup(isAllowed) }
  if (!proxy)
    return new Agent({ connections: 1, connect: connectorOf(tlsOptions(host, tls), { ...dialled, allowH2 }) })
  if (isLoopbackName(host)) throw new Error(`${host} is a name that keys are not fetched from`)
  const proxyHost = urlHost(new URL(proxy.url))
  checkHost(proxyHost, isAllowed)
  const connect = connectorOf(tlsOptions(proxyHost, proxy.tls), { ...dialled, allowH2: false })
  return new ProxyAgent({
    connections: 1,
    uri: proxy.url,
    proxyTunnel: true,
    clientFactory: (origin) => new Client(origin, { connect }),
    requestTls: { timeout: CONNECT_TIMEOUT_MS, allowH2, ...tlsOptions(host, tls) },
    ...(proxy.authorization ? { token: proxy.authorization.value } : {}),
  })
}

type TlsOptions = ReturnType<typeof tlsOptions>

/** The name of the policy precedes that of the request. */
const connectorOf = (
  { servername, ...tls }: TlsOptions,
  options: buildConnector.BuildOptions,
): buildConnector.connector => {
  const connect = buildConnector({ ...options, ...tls })
  return (target, callback) => {
    connect({ ...target, servername }, callback)
  }
}

/** @param host Name or address of the other end, for certificates where the policy has no name. */
const tlsOptions = (
  host: string,
  {
    hostname = host,
    rootPem,
    certPem,
    keyPem,
    insecure = false,
    insecureHost = false,
    subjectAltNames = [],
    keyExchangeGroups,
  }: ConnectionTls = {},
) => ({
  rejectUnauthorized: !insecure,
  checkServerIdentity: identityCheck(hostname, subjectAltNames, insecureHost),
  // Servers may not be named by an address (RFC 6066).
  servername: isIP(hostname) ? '' : hostname,
  ...(rootPem === undefined ? {} : { ca: rootPem }),
  ...(certPem === undefined ? {} : { cert: certPem }),
  ...(keyPem === undefined ? {} : { key: keyPem }),
  ...(keyExchangeGroups?.length ? { ecdhCurve: keyExchangeGroups.map(opensslGroup).join(':') } : {}),
})

/** Alternative names replace the host name. */
const identityCheck =
  (host: string, alternativeNames: readonly string[], isAnyHost: boolean) =>
  (_: string, certificate: PeerCertificate): Error | undefined => {
    if (alternativeNames.length > 0)
      return hasAlternativeName(certificate.raw, alternativeNames)
        ? undefined
        : new Error('the certificate has none of the expected alternative names')
    return isAnyHost ? undefined : checkServerIdentity(host, certificate)
  }

const isLoopbackName = (host: string): boolean => /^(?:.+\.)?localhost\.?$/i.test(host)

const CONNECT_TIMEOUT_MS = 5_000
