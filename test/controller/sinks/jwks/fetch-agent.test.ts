import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import { createServer as createPlainServer } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import type { ConnectionTls, FetchTarget } from '../../../../src/controller/sinks/jwks/fetch-agent.ts'
import { fetchKeySet } from '../../../../src/controller/sinks/jwks/fetch-key-set.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { startProxy } from '../../../support/http-proxy.ts'

const authority = makeAuthority()
const other = makeAuthority()
after(() => {
  authority[Symbol.dispose]()
  other[Symbol.dispose]()
})

const { signal } = new AbortController()
const everywhere = () => true
const KEYS = '{"keys":[]}'
const issuer = authority.issue('issuer.example', ['DNS:issuer.example', 'URI:spiffe://cluster/issuer'])

/** What the server has seen of a connection. */
interface Seen {
  readonly serverName: string | false | null
  readonly client: string | undefined
  readonly host: string | undefined
}

const serve = async (options: ServerOptions = {}) => {
  const seen: Seen[] = []
  const server = createServer({ cert: issuer.cert, key: issuer.key, ...options }, (request, response) => {
    const socket = request.socket as TLSSocket & { servername: string | false | null }
    const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>
    seen.push({
      serverName: socket.servername,
      client: subject?.CN as string | undefined,
      host: request.headers.host,
    })
    response.end(KEYS)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `https://127.0.0.1:${port}/keys`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const accepted: Readonly<Record<string, ConnectionTls>> = {
  'the name of the policy, by an authority of the policy': {
    rootPem: authority.cert,
    hostname: 'issuer.example',
  },
  'another name, where host names are not verified': { rootPem: authority.cert, insecureHost: true },
  'an unknown authority, where nothing is verified': { insecure: true },
  'one of several alternative names, whatever the host is': {
    rootPem: authority.cert,
    subjectAltNames: ['a.example', 'spiffe://cluster/issuer'],
  },
  'groups for the exchange of keys': {
    rootPem: authority.cert,
    hostname: 'issuer.example',
    keyExchangeGroups: ['X25519_MLKEM768', 'P-256'],
  },
}
for (const [name, tls] of Object.entries(accepted))
  test(`a server is accepted: ${name}`, async () => {
    await using server = await serve()
    assert.equal(await fetchKeySet({ url: server.url, tls }, signal, everywhere), KEYS)
    assert.deepEqual(server.seen, [
      { serverName: tls.hostname ?? false, client: undefined, host: `127.0.0.1:${server.port}` },
    ])
  })

const refused: Readonly<Record<string, readonly [ConnectionTls | undefined, RegExp]>> = {
  'by the authorities of the system': [undefined, /unable to verify the first certificate|self.signed/],
  'by another authority': [
    { rootPem: other.cert, insecureHost: true },
    /unable to verify the first certificate|self.signed/,
  ],
  'for another name': [{ rootPem: authority.cert, hostname: 'other.example' }, /does not match|altnames/],
  'for its address': [{ rootPem: authority.cert }, /does not match|altnames/],
  'for names that it has none of': [
    { rootPem: authority.cert, hostname: 'issuer.example', subjectAltNames: ['spiffe://cluster/other'] },
    /none of the expected alternative names/,
  ],
  'with authorities that are no certificates': [{ rootPem: 'nothing', hostname: 'issuer.example' }, /./],
  'with a client certificate that is none': [
    { rootPem: authority.cert, hostname: 'issuer.example', certPem: 'nothing', keyPem: 'nothing' },
    /./,
  ],
}
for (const [name, [tls, message]] of Object.entries(refused))
  test(`a server is refused: ${name}`, async () => {
    await using server = await serve()
    await assert.rejects(
      fetchKeySet({ url: server.url, ...(tls ? { tls } : {}) }, signal, everywhere),
      message,
    )
    assert.deepEqual(server.seen, [])
  })

test('a client certificate is shown', async () => {
  await using server = await serve({ requestCert: true, rejectUnauthorized: true, ca: authority.cert })
  const { cert, key } = authority.issue('control-plane')
  const tls = { rootPem: authority.cert, hostname: 'issuer.example' }
  await assert.rejects(fetchKeySet({ url: server.url, tls }, signal, everywhere))
  await fetchKeySet({ url: server.url, tls: { ...tls, certPem: cert, keyPem: key } }, signal, everywhere)
  assert.deepEqual(
    server.seen.map(({ client }) => client),
    ['control-plane'],
  )
})

test('HTTP/2 is spoken where the policy offers it, and the server has no other', async () => {
  const server = createSecureServer({ cert: issuer.cert, key: issuer.key, allowHTTP1: false })
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200 })
    stream.end(KEYS)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
    const tls = { rootPem: authority.cert, hostname: 'issuer.example', alpn: ['h2'] }
    assert.equal(await fetchKeySet({ url, tls }, signal, everywhere), KEYS)
  } finally {
    server.close()
  }
})

test('a proxy connects to the server, whose certificate is verified through the tunnel', async () => {
  await using server = await serve()
  await using proxy = await startProxy()
  const target = {
    url: `https://issuer.example:${server.port}/keys`,
    tls: { rootPem: authority.cert },
    proxy: { url: `http://127.0.0.1:${proxy.port}` },
  }
  assert.equal(await fetchKeySet(target, signal, everywhere), KEYS)
  assert.deepEqual(proxy.lines, [`CONNECT issuer.example:${server.port}`])
  assert.deepEqual(
    server.seen.map(({ serverName, host }) => [serverName, host]),
    [['issuer.example', `issuer.example:${server.port}`]],
  )
  await assert.rejects(
    fetchKeySet({ ...target, tls: { rootPem: other.cert } }, signal, everywhere),
    /unable to verify the first certificate|self.signed/,
  )
  await assert.rejects(
    fetchKeySet({ ...target, tls: { rootPem: authority.cert, hostname: 'other' } }, signal, everywhere),
    /does not match|altnames/,
  )
})

test('a proxy is spoken to with TLS of its own, and gets its credential, which the server does not', async () => {
  await using server = await serve()
  await using proxy = await startProxy(authority.issue('proxy.example'))
  proxy.credential = 'Basic abc'
  const withProxy = (of: NonNullable<FetchTarget['proxy']>): FetchTarget => ({
    url: `https://issuer.example:${server.port}/keys`,
    tls: { rootPem: authority.cert },
    proxy: of,
  })
  const tls = { rootPem: authority.cert, hostname: 'proxy.example' }
  const url = `https://127.0.0.1:${proxy.port}`
  const authorization = { value: 'Basic abc' }
  assert.equal(await fetchKeySet(withProxy({ url, tls, authorization }), signal, everywhere), KEYS)
  await assert.rejects(fetchKeySet(withProxy({ url, tls }), signal, everywhere), /407/)
  await assert.rejects(
    fetchKeySet(withProxy({ url, authorization }), signal, everywhere),
    /unable to verify the first certificate|self.signed/,
  )
  const wrong = { ...tls, hostname: 'issuer.example' }
  await assert.rejects(fetchKeySet(withProxy({ url, tls: wrong, authorization }), signal, everywhere))
  assert.equal(server.seen.length, 1)
})

test('plain HTTP goes through a tunnel as well', async () => {
  await using proxy = await startProxy()
  const server = createPlainServer((_, response) => response.end(KEYS)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const target = {
      url: `http://issuer.example:${port}/keys`,
      proxy: { url: `http://127.0.0.1:${proxy.port}` },
    }
    assert.equal(await fetchKeySet(target, signal, everywhere), KEYS)
    assert.deepEqual(proxy.lines, [`CONNECT issuer.example:${port}`])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('a proxy that is not there fails the fetch, and so does one that is no proxy', async () => {
  await using server = await serve()
  const url = `https://issuer.example:${server.port}/keys`
  for (const proxy of ['http://127.0.0.1:1', `http://127.0.0.1:${server.port}`])
    await assert.rejects(fetchKeySet({ url, proxy: { url: proxy } }, signal, everywhere), proxy)
  assert.deepEqual(server.seen, [])
})

test('a proxy at a forbidden address is not connected to, and is asked for none', async () => {
  await using proxy = await startProxy()
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1'])
    await assert.rejects(
      fetchKeySet(
        { url: 'https://issuer.example/keys', proxy: { url: `http://${host}:${proxy.port}` } },
        signal,
      ),
      /address that keys are not fetched from|no address that keys are fetched from/,
      host,
    )
  const isProxy = (address: string) => address === '127.0.0.1'
  for (const host of ['169.254.169.254', '[fd00:ec2::254]', '[::ffff:a9fe:a9fe]', '2852039166', '0xa9fea9fe'])
    await assert.rejects(
      fetchKeySet(
        { url: `http://${host}/keys`, proxy: { url: `http://127.0.0.1:${proxy.port}` } },
        signal,
        isProxy,
      ),
      /address that keys are not fetched from/,
      host,
    )
  for (const host of ['localhost', 'LOCALHOST', 'a.localhost', 'localhost.'])
    await assert.rejects(
      fetchKeySet(
        { url: `http://${host}/keys`, proxy: { url: `http://127.0.0.1:${proxy.port}` } },
        signal,
        isProxy,
      ),
      /name that keys are not fetched from/,
      host,
    )
  assert.deepEqual(proxy.lines, [])
})
