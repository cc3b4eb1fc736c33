import { readFile, stat } from 'node:fs/promises'
import { isIP, type Socket } from 'node:net'
import {
  connect,
  createSecureContext,
  type SecureContext,
  checkServerIdentity,
  type PeerCertificate,
} from 'node:tls'
import type { TlsUpstream } from '../../model/resources/policies.ts'
import { opensslGroup } from '../../protocols/tls/key-exchange-group.ts'
import { hasAlternativeName } from '../../protocols/x509/alternative-names.ts'

/** Called once: a socket with a verified certificate, or why there is none. */
export type Secured = (error: Error | null, socket: Socket | null) => void

/**
 * TLS towards one upstream. Its files, if any, are checked for every new connection and reloaded when they have changed; while a
 * new version cannot be read, the last good one stays in use.
 */
export class TlsClient {
  readonly policy: TlsUpstream
  /** SNI, and the name that the certificate must carry; undefined if only an address is known. */
  readonly serverName: string | undefined
  readonly #host: string
  #context: SecureContext | undefined = undefined
  #version = ''
  /** Of the last connection, to shorten the next handshake. */
  #session: Buffer | undefined = undefined

  /** @param host Name or address of the upstream, for certificates when the policy names none. */
  constructor(policy: TlsUpstream, host: string) {
    this.policy = policy
    this.#host = policy.hostname ?? host
    this.serverName = isIP(this.#host) || this.#host === '' ? undefined : this.#host
  }

  /**
   * Does the TLS handshake on an open connection. Fails at once if the policy is marked as invalid.
   *
   * @param alpn Protocols to offer, best first.
   */
  secure(raw: Socket, alpn: readonly string[], secured: Secured): void {
    const { certFile, keyFile, rootFile, invalid } = this.policy
    if (invalid !== undefined) {
      raw.destroy()
      secured(Object.assign(new Error(invalid), { code: 'ERR_TLS_INVALID_POLICY' }), null)
      return
    }
    if (this.#context && !certFile && !keyFile && !rootFile) {
      this.#connect(raw, alpn, this.#context, secured)
      return
    }
    // An end during the handshake would be lost: TLS does not report it to a socket that is never read.
    let hasClosed = false
    const cancel = () => {
      hasClosed = true
    }
    const readNothing = () => raw.read(0) as null
    raw.on('readable', readNothing).on('end', cancel).on('close', cancel)
    const report = (error: unknown, context?: SecureContext) => {
      raw.off('readable', readNothing).off('end', cancel).off('close', cancel)
      if (context && !hasClosed) this.#connect(raw, alpn, context, secured)
      else if (context) secured(closedEarly(), null)
      else secured(error instanceof Error ? error : new Error(String(error)), null)
    }
    this.#freshContext().then((context) => report(undefined, context), report)
  }

  #connect(raw: Socket, alpn: readonly string[], context: SecureContext, secured: Secured): void {
    const { insecure, insecureHost, subjectAltNames } = this.policy
    const socket = connect({
      socket: raw,
      secureContext: context,
      ...(this.serverName === undefined ? {} : { servername: this.serverName }),
      rejectUnauthorized: !insecure,
      checkServerIdentity: identityCheck(this.#host, subjectAltNames, insecureHost),
      ALPNProtocols: [...alpn],
      ...(this.#session ? { session: this.#session } : {}),
    })
    let called = false
    const report: Secured = (error, open) => {
      if (called) return
      called = true
      secured(error, open)
    }
    socket.on('session', (session: Buffer) => {
      this.#session = session
    })
    socket.once('secureConnect', () => report(null, socket))
    socket.on('error', (error: Error) => {
      // A session that the server no longer accepts must not fail the next connection.
      this.#session = undefined
      report(error, null)
    })
    socket.once('close', () => report(closedEarly(), null))
  }

  async #freshContext(): Promise<SecureContext> {
    try {
      const version = await this.#fileVersion()
      if (this.#context && version === this.#version) return this.#context
      this.#context = await this.#readContext()
      this.#version = version
      this.#session = undefined
      return this.#context
    } catch (error) {
      // Files that are being replaced may be incomplete for a moment.
      if (this.#context) return this.#context
      throw error
    }
  }

  async #fileVersion(): Promise<string> {
    const { certFile, keyFile, rootFile } = this.policy
    const versions = await Promise.all(
      [certFile, keyFile, rootFile].map(async (path) => {
        if (path === undefined) return ''
        const { ino, size, mtimeMs } = await stat(path)
        return `${ino} ${size} ${mtimeMs}`
      }),
    )
    return versions.join()
  }

  async #readContext(): Promise<SecureContext> {
    const { certFile, keyFile, rootFile, certPem, keyPem, rootPem, keyExchangeGroups } = this.policy
    const [cert = certPem, key = keyPem?.secret, ca = rootPem] = await Promise.all([
      contentOf(certFile),
      contentOf(keyFile),
      contentOf(rootFile),
    ])
    return createSecureContext({
      ...(cert ? { cert } : {}),
      ...(key ? { key } : {}),
      ...(ca ? { ca } : {}),
      ...(keyExchangeGroups?.length ? { ecdhCurve: keyExchangeGroups.map(opensslGroup).join(':') } : {}),
    })
  }
}

const closedEarly = (): Error =>
  Object.assign(new Error('closed during the TLS handshake'), { code: 'ECONNRESET' })

const contentOf = async (path: string | undefined): Promise<Buffer | undefined> =>
  path === undefined ? undefined : readFile(path)

/**
 * Checks whether a certificate with a trusted chain belongs to the upstream. Alternative names replace the host name: any
 * one of them is enough.
 *
 * @param anyHost Accepts a certificate for another host, too.
 */
const identityCheck = (
  host: string,
  subjectAltNames: readonly string[],
  anyHost: boolean,
): ((_: string, certificate: PeerCertificate) => Error | undefined) => {
  if (subjectAltNames.length)
    return (_, { raw }) =>
      hasAlternativeName(raw, subjectAltNames)
        ? undefined
        : Object.assign(new Error('the certificate carries none of the expected alternative names'), {
            code: 'ERR_TLS_CERT_ALTNAME_INVALID',
          })
  return anyHost ? () => undefined : (_, certificate) => checkServerIdentity(host, certificate)
}
