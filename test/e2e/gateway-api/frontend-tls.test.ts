import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, suite, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { createGateway } from '../../../src/create-gateway.ts'
import { sendTlsRequest, handshake } from '../../support/send-tls-request.ts'
import { type Certificate, makeAuthority } from '../../support/certificates.ts'
import { freePort } from '../../support/free-port.ts'
import { startSegmentingProxy } from '../../support/segmenting-proxy.ts'

const authority = makeAuthority()
const strangers = makeAuthority()
const server = authority.issue('server', ['DNS:*.test'])
const renewed = authority.issue('renewed', ['DNS:*.test'])
const client = authority.issue('client', ['URI:spiffe://example.test/ns/a/sa/client'])
const stranger = strangers.issue('stranger', ['URI:spiffe://example.test/ns/a/sa/client'])
after(() => {
  authority[Symbol.dispose]()
  strangers[Symbol.dispose]()
})

const pemOf = ({ cert, key }: Certificate) => ({ certPem: cert, keyPem: key })
const keyOf = ({ cert, key }: Certificate) => ({ cert, key })
/** Replies with the identity of the client certificate, as policies see it. */
const identifies = {
  name: 'identity',
  policies: {
    transformations: {
      response: { body: 'string(has(source.spiffeId)) + " " + string(has(source.certificate))' },
    },
    directResponse: { status: 200 },
  },
}
const https = (hostname: string, tls: object, routes: readonly object[] = [identifies]) => ({
  name: hostname || 'any',
  ...(hostname && { hostname }),
  protocol: 'HTTPS',
  tls,
  routes,
})
const bind = (port: number, ...listeners: readonly object[]) => ({ port, address: '127.0.0.1', listeners })
const file = (...binds: readonly object[]) => JSON.stringify({ binds })

suite('client certificates', () => {
  test('are required per port, by the authorities of its listeners', async () => {
    const [one, two] = [await freePort(), await freePort()]
    await using _ = await createGateway(
      file(
        bind(one, https('', { ...pemOf(server), rootPem: authority.cert })),
        bind(two, https('b.test', { ...pemOf(server), rootPem: strangers.cert })),
      ),
    )
    const ask = (port: number, serverName: string, certificate?: Certificate) =>
      sendTlsRequest(port, { serverName, tls: certificate ? keyOf(certificate) : {} })
    assert.equal((await ask(one, 'a.test', client)).text, 'true true')
    assert.equal((await ask(two, 'b.test', stranger)).text, 'true true')
    await assert.rejects(ask(one, 'a.test', stranger))
    await assert.rejects(ask(two, 'b.test', client))
    await assert.rejects(ask(one, 'a.test'))
  })

  test('of several authorities are accepted by a bundle of theirs', async () => {
    const port = await freePort()
    await using _ = await createGateway(
      file(bind(port, https('', { ...pemOf(server), rootPem: authority.cert + strangers.cert }))),
    )
    for (const certificate of [client, stranger]) {
      const tls = keyOf(certificate)
      assert.equal((await sendTlsRequest(port, { serverName: 'a.test', tls })).text, 'true true')
    }
  })

  test('that are missing or unknown make an anonymous client where that is allowed', async () => {
    const port = await freePort()
    const clientCertificates = 'allowInsecureFallback'
    const root = { rootPem: authority.cert }
    await using _ = await createGateway(
      file(
        bind(
          port,
          https('open.test', { ...pemOf(server), ...root, clientCertificates }),
          https('strict.test', { ...pemOf(server), ...root }),
        ),
      ),
    )
    for (const version of ['1.1', '2'] as const) {
      const ask = (serverName: string, certificate?: Certificate, host = serverName) =>
        sendTlsRequest(port, { serverName, host, version, tls: certificate ? keyOf(certificate) : {} })
      assert.equal((await ask('open.test', client)).text, 'true true')
      assert.equal((await ask('open.test', stranger)).text, 'false false')
      assert.equal((await ask('open.test')).text, 'false false')
      // The way around the other listener's handshake is closed.
      assert.equal((await ask('open.test', undefined, 'strict.test')).status, 421)
      await assert.rejects(ask('strict.test', stranger))
    }
  })

  test('of another authority with the same name make an anonymous client, however they are sent', async () => {
    using known = makeAuthority('rsa')
    using alsoKnown = makeAuthority('rsa')
    using unknown = makeAuthority('rsa')
    const port = await freePort()
    const rootPem = known.cert + alsoKnown.cert
    const tls = { ...pemOf(server), rootPem, clientCertificates: 'allowInsecureFallback' }
    await using _ = await createGateway(file(bind(port, https('open.test', tls))))
    await using bytewise = await startSegmentingProxy(port, 1)
    await using inSegments = await startSegmentingProxy(port, 600)
    const names = ['URI:spiffe://example.test/ns/a/sa/client']
    for (const [issuer, expected] of [
      [known, 'true true'],
      [alsoKnown, 'true true'],
      [unknown, 'false false'],
    ] as const) {
      const certificate = keyOf(issuer.issue('client', names))
      for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
        for (const version of ['1.1', '2'] as const)
          for (const to of [port, bytewise.port, inSegments.port]) {
            const asked = { serverName: 'open.test', version, tls: { ...certificate, maxVersion } }
            const how = `${maxVersion} ${version} ${to === port ? 'directly' : 'in segments'}`
            assert.equal((await sendTlsRequest(to, asked)).text, expected, how)
          }
    }
  })

  test('identify a client by way of the authorities that it sends along', async () => {
    const intermediate = authority.issueAuthority('intermediate')
    const names = ['URI:spiffe://example.test/ns/a/sa/client']
    const issued = intermediate.issue('client', names)
    const forServers = intermediate.issue('a-server', names, { extensions: ['extendedKeyUsage=serverAuth'] })
    const port = await freePort()
    const tls = { ...pemOf(server), rootPem: authority.cert, clientCertificates: 'allowInsecureFallback' }
    await using _ = await createGateway(file(bind(port, https('open.test', tls))))
    for (const [{ cert, key }, more, expected] of [
      [issued, intermediate.cert, 'true true'],
      [issued, intermediate.cert + authority.cert, 'true true'],
      [issued, '', 'false false'],
      [forServers, intermediate.cert, 'false false'],
    ] as const)
      for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
        const asked = { serverName: 'open.test', tls: { cert: cert + more, key, maxVersion } }
        assert.equal((await sendTlsRequest(port, asked)).text, expected)
      }
  })

  test('identify a client, or do not, also when its TLS session is resumed', async () => {
    const port = await freePort()
    const [fallback, root] = ['allowInsecureFallback', { rootPem: authority.cert }]
    await using _ = await createGateway(
      file(
        bind(
          port,
          https('open.test', { ...pemOf(server), ...root, clientCertificates: fallback }),
          https('strict.test', { ...pemOf(server), ...root }),
        ),
      ),
    )
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
      for (const [host, certificate, expected, isResumed] of [
        // A client without a verified certificate may be let in: its chain is verified each time.
        ['open.test', stranger, 'false false', false],
        ['open.test', client, 'true true', false],
        ['strict.test', client, 'true true', true],
      ] as const) {
        const agent = new Agent({ rejectUnauthorized: false, maxVersion, ...keyOf(certificate) })
        const reused: boolean[] = []
        for (let turn = 0; turn < 2; turn++) {
          const req = request({ host: '127.0.0.1', port, servername: host, headers: { host }, agent })
          req.end()
          const [res] = (await once(req, 'response')) as [IncomingMessage]
          assert.equal(await text(res), expected)
          reused.push((req.socket as TLSSocket).isSessionReused())
        }
        agent.destroy()
        assert.deepEqual(reused, [false, isResumed], `${maxVersion} ${host}`)
      }
  })
})

suite('a listener that cannot terminate TLS', () => {
  test('refuses each handshake, with its reason in the log, and leaves the others alone', async () => {
    const port = await freePort()
    const lines: string[] = []
    const log = { write: (line: string) => void lines.push(line), flushSync: () => undefined }
    const config = { logging: { level: 'debug' } }
    const reason = 'Secret web/shop does not exist'
    const binds = [bind(port, https('bad.test', { invalid: reason }), https('', pemOf(server)))]
    await using gateway = await createGateway(JSON.stringify({ config, binds }), { log })
    await assert.rejects(sendTlsRequest(port, { serverName: 'bad.test' }), { message: /handshake failure/ })
    assert.equal((await sendTlsRequest(port, { serverName: 'good.test' })).status, 200)
    // Its requests do not get through by way of another listener either.
    assert.equal((await sendTlsRequest(port, { serverName: 'good.test', host: 'bad.test' })).status, 421)
    assert.match(lines.join(''), /a connection is refused.*Secret web\/shop does not exist/)

    // What it had before does not go on, and a certificate heals it.
    await gateway.apply(file(bind(port, https('bad.test', pemOf(server)), https('', pemOf(server)))))
    assert.equal((await sendTlsRequest(port, { serverName: 'bad.test' })).status, 200)
    await gateway.apply(JSON.stringify({ binds }))
    await assert.rejects(sendTlsRequest(port, { serverName: 'bad.test' }), { message: /handshake failure/ })
  })
})

suite('a certificate as text', () => {
  test('is replaced by a configuration, and open connections live on', async () => {
    const port = await freePort()
    const configuration = (certificate: Certificate, rootPem?: string) =>
      file(bind(port, https('', { ...pemOf(certificate), ...(rootPem && { rootPem }) })))
    await using gateway = await createGateway(configuration(server))
    const presented = async (): Promise<unknown> => {
      const socket = await handshake(port, { servername: 'a.test' })
      const { CN } = socket.getPeerCertificate().subject
      socket.destroy()
      return CN
    }
    const session = connectHttp2(`https://127.0.0.1:${port}`, {
      servername: 'a.test',
      rejectUnauthorized: false,
    })
    const onSession = async (): Promise<number> => {
      const stream = session.request({ ':authority': 'a.test' })
      const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
      stream.resume()
      await once(stream, 'close')
      return headers[':status']
    }
    assert.equal(await presented(), 'server')
    assert.equal(await onSession(), 200)
    await gateway.apply(configuration(renewed))
    assert.equal(await presented(), 'renewed')
    assert.equal(await onSession(), 200)
    // A client that is anonymous since before is asked for a new connection.
    await gateway.apply(configuration(renewed, authority.cert))
    await assert.rejects(sendTlsRequest(port, { serverName: 'a.test' }))
    assert.equal((await sendTlsRequest(port, { serverName: 'a.test', tls: keyOf(client) })).text, 'true true')
    assert.equal(await onSession(), 421)
    assert.equal(session.closed, false)
    session.destroy()
  })

  test('is chosen by the server name among the listeners of a port, also by its authority', async () => {
    const port = await freePort()
    const ca = { certPem: authority.cert, keyPem: readFileSync(join(authority.folder, 'ca.key'), 'utf8') }
    await using _ = await createGateway(
      file(
        bind(
          port,
          https('a.test', pemOf(server)),
          https('*.b.test', pemOf(renewed)),
          https('c.test', { cert: client.certFile, key: client.keyFile }),
          https('', { ...ca, mode: 'dynamicCa' }),
        ),
      ),
    )
    const expected = { 'a.test': 'server', 'x.b.test': 'renewed', 'c.test': 'client', 'd.test': undefined }
    for (const [servername, name] of Object.entries(expected)) {
      const verified = name === undefined ? { ca: authority.cert, rejectUnauthorized: true } : {}
      const socket = await handshake(port, { servername, ...verified })
      const { subject, subjectaltname } = socket.getPeerCertificate()
      if (name === undefined) assert.equal(subjectaltname, 'DNS:d.test')
      else assert.equal(subject.CN, name)
      socket.destroy()
    }
  })
})
