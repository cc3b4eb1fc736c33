import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:https'
import { after, before, suite, test } from 'node:test'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { createGateway, type Gateway } from '../../../src/create-gateway.ts'
import { sendRequest } from '../../support/send-request.ts'
import { type Authority, type Certificate, makeAuthority } from '../../support/certificates.ts'
import { freePort } from '../../support/free-port.ts'
import { listening, type UpstreamServer } from '../../support/upstream-servers.ts'

const SPIFFE = 'spiffe://cluster.test/ns/shop/sa/backend'

/** Replies with the server name of the handshake and the name in the client certificate. */
const tlsEcho = ({ cert, key }: Certificate, ca: string): Server =>
  createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: false }, (req, res) => {
    const socket = req.socket as TLSSocket & { readonly servername: string }
    const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>
    res.end(`${socket.servername} ${socket.authorized ? String(subject?.CN) : 'nobody'}`)
  })

suite('TLS to a backend', () => {
  const authority: Authority = makeAuthority()
  const other: Authority = makeAuthority()
  const client = authority.issue('client')
  let backend: UpstreamServer
  let gateway: Gateway
  let port: number

  const root = { rootPem: authority.cert, hostname: 'backend.test' }
  const sans = (...subjectAltNames: readonly string[]) => ({ ...root, subjectAltNames })
  /** By path. */
  const policies: Readonly<Record<string, object>> = {
    trusted: root,
    'other-host': { ...root, hostname: 'else.test' },
    'other-authority': { ...root, rootPem: other.cert },
    'several-authorities': { ...root, rootPem: other.cert + authority.cert },
    dns: sans('second.test'),
    'other-dns': sans('else.test'),
    uri: sans(SPIFFE),
    'other-uri': sans(`${SPIFFE}2`),
    'one-of-several': sans('spiffe://else.test/x', 'backend.test'),
    'none-of-several': sans('spiffe://else.test/x', 'else.test'),
    // The host name is sent, and not compared.
    'name-to-send': { ...sans(SPIFFE), hostname: 'else.test' },
    invalid: { ...root, invalid: 'ConfigMap shop/ca does not exist' },
    client: { ...root, certPem: client.cert, keyPem: client.key },
  }
  const configuration = (tls: Readonly<Record<string, object>>): string =>
    JSON.stringify({
      gateways: { default: { port, address: '127.0.0.1' } },
      routes: Object.entries(tls).map(([name, backendTLS]) => ({
        name,
        matches: [{ path: { exact: `/${name}` } }],
        backends: [{ host: `127.0.0.1:${backend.port}`, policies: { backendTLS } }],
      })),
    })
  const at = async (path: string): Promise<string> => {
    const { status, text } = await sendRequest(`http://127.0.0.1:${port}`, `/${path}`)
    return status === 200 ? text : `${status} ${text}`
  }
  const failed = '503 upstream call failed: TLS handshake failed'

  before(async () => {
    const certificate = authority.issue('backend', ['DNS:backend.test', 'DNS:second.test', `URI:${SPIFFE}`])
    backend = await listening(tlsEcho(certificate, authority.cert))
    port = await freePort()
    gateway = await createGateway(configuration(policies))
  })
  after(async () => {
    await gateway.close()
    await backend[Symbol.asyncDispose]()
    for (const one of [authority, other]) one[Symbol.dispose]()
  })

  const cases: readonly (readonly [sentence: string, paths: Readonly<Record<string, string>>])[] = [
    ['sends and verifies the host name', { trusted: 'backend.test nobody', 'other-host': failed }],
    [
      'trusts only the authorities of its text, one or several',
      { 'other-authority': failed, 'several-authorities': 'backend.test nobody' },
    ],
    [
      'accepts one of several alternative names, DNS names and URIs',
      {
        dns: 'backend.test nobody',
        'other-dns': failed,
        uri: 'backend.test nobody',
        'other-uri': failed,
        'one-of-several': 'backend.test nobody',
        'none-of-several': failed,
      },
    ],
    ['sends the host name even where alternative names replace it', { 'name-to-send': 'else.test nobody' }],
    ['fails each connection of a policy that is marked as invalid', { invalid: failed }],
    ['sends a client certificate', { client: 'backend.test client' }],
  ]
  for (const [sentence, paths] of cases)
    test(sentence, async () => {
      for (const [path, expected] of Object.entries(paths)) assert.equal(await at(path), expected, path)
    })

  test('follows new texts with the next configuration', async () => {
    const again = authority.issue('renewed-client')
    const renewed = { ...root, certPem: again.cert, keyPem: again.key }
    await gateway.apply(
      configuration({ ...policies, client: renewed, 'other-authority': root, trusted: policies.invalid! }),
    )
    assert.equal(await at('client'), 'backend.test renewed-client')
    assert.equal(await at('other-authority'), 'backend.test nobody')
    assert.equal(await at('trusted'), failed)
    await gateway.apply(configuration(policies))
    assert.equal(await at('client'), 'backend.test client')
    assert.equal(await at('other-authority'), failed)
    assert.equal(await at('trusted'), 'backend.test nobody')
  })
})
