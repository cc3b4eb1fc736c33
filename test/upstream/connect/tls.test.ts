import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { createServer, type ServerOptions } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { type PeerCertificate, TLSSocket } from 'node:tls'
import type { BackendPolicies, TlsUpstream } from '../../../src/model/resources/policies.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { Registry } from '../../../src/upstream/registry.ts'
import { type Authority, type Certificate, makeAuthority } from '../../support/certificates.ts'
import { callUpstream } from '../../support/call-upstream.ts'
import { backendsAt, snapshotOf } from '../../support/resources.ts'
import { listening, rawServer, type UpstreamServer } from '../../support/upstream-servers.ts'
import { resourceIndex } from '../../../src/model/resources/resource-index.ts'

const policy = (parts: Partial<TlsUpstream>): TlsUpstream => ({
  insecure: false,
  insecureHost: false,
  subjectAltNames: [],
  ...parts,
})

/** Serves HTTPS: returns the server name and the client certificate. */
const tlsServer = ({ cert, key }: Certificate, options: ServerOptions = {}): Promise<UpstreamServer> =>
  listening(
    createServer({ cert, key, ...options }, (req, res) => {
      const { socket } = req
      if (!(socket instanceof TLSSocket)) return
      // In the types every connection has a name and every client a certificate.
      const { servername } = socket as { readonly servername: unknown }
      const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>
      const name = typeof servername === 'string' ? servername : 'nothing'
      res.end(`${name} ${String(subject?.CN ?? 'nobody')} ${String(socket.alpnProtocol)}`)
    }),
  )

const call = async (
  host: string,
  port: number,
  policies: BackendPolicies,
  registry = new Registry({ lookup }),
) => {
  const resources = backendsAt({ api: { host, port } })
  const session = registry.session(resourceIndex(resources), () => assert.fail())
  const upstream = session.upstream({ kind: 'backend', key: 'api' }, policies)!
  session.commit(snapshotOf(resources))
  const x = exchange({ headers: { host: 'gateway.test' } })
  const { response: answer, text } = await callUpstream(upstream, x)
  await registry.close()
  return { fault: answer.fault, text }
}

const lookup = (_: string, told: (error: null, addresses: string[]) => void) => told(null, ['127.0.0.1'])

const tried = async (
  authority: Authority,
  certificate: Certificate,
  tls: Partial<TlsUpstream>,
  host = 'up.test',
): Promise<string> => {
  await using server = await tlsServer(certificate)
  const { fault, text } = await call(host, server.port, {
    backendTLS: policy({ rootFile: authority.certFile, ...tls }),
  })
  return fault ? `${fault.status} ${fault.code} ${fault.message}` : text
}

const REFUSED = '503 upstream_connect upstream call failed: TLS handshake failed'

test('TLS to an upstream', async (t) => {
  using authority = makeAuthority()
  const forUp = authority.issue('up.test')
  const spiffe = authority.issue('workload', ['URI:spiffe://cluster/ns/ab', 'DNS:other.test', 'IP:127.0.0.1'])

  await t.test('uses the name of the backend, and accepts a certificate for it', async () => {
    assert.equal(await tried(authority, forUp, {}), 'up.test nobody http/1.1')
  })

  await t.test('uses the name of the policy', async () => {
    assert.equal(
      await tried(authority, forUp, { hostname: 'up.test' }, '127.0.0.1'),
      'up.test nobody http/1.1',
    )
  })

  await t.test('uses no name for an address, which the certificate must contain', async () => {
    assert.equal(await tried(authority, spiffe, {}, '127.0.0.1'), 'nothing nobody http/1.1')
    assert.equal(await tried(authority, forUp, {}, '127.0.0.1'), REFUSED)
  })

  await t.test('refuses a certificate for another host, unless configured', async () => {
    assert.equal(await tried(authority, forUp, { hostname: 'else.test' }), REFUSED)
    assert.equal(
      await tried(authority, forUp, { hostname: 'else.test', insecureHost: true }),
      'else.test nobody http/1.1',
    )
  })

  await t.test('refuses a certificate of an unknown CA, unless configured', async () => {
    using stranger = makeAuthority()
    const theirs = stranger.issue('up.test')
    assert.equal(await tried(authority, theirs, {}), REFUSED)
    assert.equal(await tried(authority, theirs, { insecureHost: true }), REFUSED)
    assert.equal(await tried(authority, theirs, { insecure: true }), 'up.test nobody http/1.1')
    assert.equal(
      await tried(authority, theirs, { insecure: true, hostname: 'else.test' }),
      'else.test nobody http/1.1',
    )
  })

  await t.test('accepts any of the configured alternative names in place of the host', async () => {
    const names = (...subjectAltNames: string[]) => ({ subjectAltNames })
    const answered = 'up.test nobody http/1.1'
    assert.equal(await tried(authority, spiffe, names('spiffe://cluster/ns/ab')), answered)
    assert.equal(await tried(authority, spiffe, names('nothing.test', 'other.test')), answered)
    assert.equal(await tried(authority, spiffe, names('127.0.0.1')), answered)
    assert.equal(await tried(authority, spiffe, names('spiffe://cluster/ns/a')), REFUSED)
    assert.equal(await tried(authority, forUp, names('else.test')), REFUSED)
    // The common name is not an alternative name.
    assert.equal(await tried(authority, spiffe, names('workload')), REFUSED)
  })

  await t.test('sends the client certificate, and a new one as soon as the file has changed', async () => {
    const one = authority.issue('client-one')
    const two = authority.issue('client-two')
    const certFile = join(authority.folder, 'current.pem')
    const keyFile = join(authority.folder, 'current.key')
    const put = ({ certFile: cert, keyFile: key }: Certificate) => {
      copyFileSync(cert, certFile)
      copyFileSync(key, keyFile)
    }
    put(one)
    await using server = await tlsServer(forUp, {
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: true,
    })
    const resources = backendsAt({ api: { host: 'up.test', port: server.port } })
    const registry = new Registry({ lookup })
    const session = registry.session(resourceIndex(resources), () => assert.fail())
    const backendTLS = policy({ rootFile: authority.certFile, certFile, keyFile })
    const upstream = session.upstream({ kind: 'backend', key: 'api' }, { backendTLS })!
    assert.equal((await callUpstream(upstream, exchange())).text, 'up.test client-one http/1.1')
    put(two)
    for (const socket of server.sockets) socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, 10))
    assert.equal((await callUpstream(upstream, exchange())).text, 'up.test client-two http/1.1')
    await registry.close()
  })

  await t.test('fails if a file is missing, without exposing its name', async () => {
    const text = await tried(authority, forUp, { rootFile: '/nowhere/ca.pem' })
    assert.doesNotMatch(text, /nowhere/)
    assert.match(text, /^503 upstream_connect/)
  })

  await t.test('fails with a server without TLS', async () => {
    await using server = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const { fault } = await call('up.test', server.port, { backendTLS: policy({ insecure: true }) })
    assert.equal(fault?.code, 'upstream_connect')
  })

  await t.test('ends a handshake that does not complete', async () => {
    await using server = await rawServer(() => undefined)
    const { fault } = await call('up.test', server.port, {
      backendTLS: policy({ insecure: true }),
      tcp: { connectTimeoutMs: 30 },
    })
    assert.equal(fault?.message, 'upstream call failed: connection timed out')
  })

  await t.test('negotiates the configured groups', async () => {
    await using server = await tlsServer(forUp, { ecdhCurve: 'P-384' })
    const tls = (keyExchangeGroups: string[]) => ({
      backendTLS: policy({ rootFile: authority.certFile, keyExchangeGroups }),
    })
    assert.equal((await call('up.test', server.port, tls(['P-384']))).fault, undefined)
    assert.equal(
      (await call('up.test', server.port, tls(['X25519', 'X25519_MLKEM768']))).fault?.code,
      'upstream_connect',
    )
  })
})

test('the protocol to a TLS upstream', async (t) => {
  using authority = makeAuthority()
  const { cert, key } = authority.issue('up.test')
  const root = { rootFile: authority.certFile }
  const both = () =>
    listening(
      createSecureServer({ cert, key, allowHTTP1: true }, (req, res) => {
        res.end(`HTTP/${req.httpVersion}`)
      }),
    )

  const cases: readonly (readonly [string, BackendPolicies, string])[] = [
    ['HTTP/1.1 by default', { backendTLS: policy(root) }, 'HTTP/1.1'],
    ['HTTP/2 by configuration', { backendTLS: policy(root), http: { version: '2' } }, 'HTTP/2.0'],
    ['that of the handshake', { backendTLS: policy({ ...root, alpn: ['h2', 'http/1.1'] }) }, 'HTTP/2.0'],
    [
      'HTTP/1.1 by configuration',
      { backendTLS: policy({ ...root, alpn: ['h2'] }), http: { version: '1.1' } },
      'HTTP/1.1',
    ],
  ]
  for (const [what, policies, expected] of cases)
    await t.test(`is ${what}`, async () => {
      await using server = await both()
      assert.equal((await call('up.test', server.port, policies)).text, expected)
    })

  await t.test('falls back to HTTP/1.1 if HTTP/2 is only offered', async () => {
    await using server = await tlsServer({ cert, key, certFile: '', keyFile: '' })
    const backendTLS = policy({ ...root, alpn: ['h2', 'http/1.1'] })
    assert.equal((await call('up.test', server.port, { backendTLS })).text, 'up.test nobody http/1.1')
  })
})

test('an upstream that disconnects before TLS begins is not waited for', async () => {
  using authority = makeAuthority()
  await using server = await rawServer((socket) => socket.end())
  for (let i = 0; i < 5; i++) {
    const { fault } = await call('up.test', server.port, {
      backendTLS: policy({ rootFile: authority.certFile }),
      tcp: { connectTimeoutMs: 20_000 },
    })
    assert.equal(fault?.code, 'upstream_connect')
    assert.notEqual(fault.message, 'upstream call failed: connection timed out')
  }
})
