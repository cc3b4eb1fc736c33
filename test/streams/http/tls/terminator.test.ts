import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import type { ClientCertificate } from '../../../../src/model/exchange/connection.ts'
import { respond } from '../../../../src/model/exchange/reply.ts'
import type { ConnectionEvents } from '../../../../src/streams/http/port/port-hooks.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { replying, type BindParts, type ListenerParts, startGateway } from '../../../support/gateway.ts'
import { RawClient } from '../../../support/raw-client.ts'

const authority = makeAuthority()
const certificateA = authority.issue('a.example')
const certificateB = authority.issue('b.example')

const filesOf = ({ certFile, keyFile }: { certFile: string; keyFile: string }) => ({ certFile, keyFile })
const https = (hostname: string, parts: ListenerParts = {}): ListenerParts => ({
  protocol: 'HTTPS',
  hostname,
  listenerName: hostname || 'any',
  tls: filesOf(certificateA),
  pipeline: replying(() => respond(200, hostname)),
  ...parts,
})
const tlsBind = (...listeners: readonly ListenerParts[]): BindParts => ({
  key: 'tls',
  protocol: 'tls',
  listeners,
})

/** Completes a handshake and returns the connection; rejects as the client sees it. */
const shakeHands = async (port: number, options: ConnectionOptions): Promise<TLSSocket> => {
  const socket = connect({ port, host: '127.0.0.1', ca: authority.cert, ...options })
  await once(socket, 'secureConnect')
  socket.on('error', () => undefined)
  return socket
}

const ask = (port: number, servername: string, host: string, options: ConnectionOptions = {}) =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const req = request(
      { port, servername, ca: authority.cert, headers: { host }, agent: false, ...options },
      (res) => {
        let body = ''
        res.on('data', (chunk: Buffer) => (body += chunk.toString()))
        res.on('end', () => resolve({ status: res.statusCode, body }))
      },
    )
    req.on('error', reject)
    req.end()
  })

after(() => authority[Symbol.dispose]())

suite('TLS', () => {
  test('serves each server name with the certificate and the routes of its own listener', async () => {
    await using gateway = await startGateway([
      tlsBind(https('a.example'), https('b.example', { tls: filesOf(certificateB) })),
    ])
    for (const name of ['a.example', 'b.example']) {
      const socket = await shakeHands(gateway.port(), { servername: name })
      assert.equal(socket.getPeerCertificate().subject.CN, name)
      socket.destroy()
      assert.deepEqual(await ask(gateway.port(), name, name), { status: 200, body: name })
    }
    const x = await gateway.nextEnded()
    const { tls } = x.request.connection
    assert.deepEqual([tls?.serverName, tls?.version, tls?.client], ['a.example', 'TLSv1.3', undefined])
    assert.equal(x.request.scheme, 'https')
  })

  test('matches wildcards after exact names, and the longest first', async () => {
    await using gateway = await startGateway([
      tlsBind(https('*.example'), https('*.b.example'), https('x.b.example')),
    ])
    const options = { rejectUnauthorized: false }
    for (const [name, listener] of [
      ['x.b.example', 'x.b.example'],
      ['y.b.example', '*.b.example'],
      ['z.example', '*.example'],
    ] as const)
      assert.equal((await ask(gateway.port(), name, name, options)).body, listener)
  })

  test('fails the handshake for an unknown name, or none', async () => {
    await using gateway = await startGateway([tlsBind(https('a.example'))])
    await assert.rejects(shakeHands(gateway.port(), { servername: 'c.example' }), {
      code: /UNRECOGNIZED_NAME/,
    })
    await assert.rejects(shakeHands(gateway.port(), { servername: '' }), { code: /UNRECOGNIZED_NAME/ })
  })

  test('lets the client choose between HTTP/2 and HTTP/1.1', async () => {
    await using gateway = await startGateway([tlsBind(https('a.example'))])
    for (const protocol of ['h2', 'http/1.1']) {
      const socket = await shakeHands(gateway.port(), { servername: 'a.example', ALPNProtocols: [protocol] })
      assert.equal(socket.alpnProtocol, protocol)
      socket.destroy()
    }
    const session = connectHttp2(`https://127.0.0.1:${gateway.port()}`, {
      ca: authority.cert,
      servername: 'a.example',
    })
    const stream = session.request({ ':authority': 'a.example' })
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
    assert.equal(headers[':status'], 200)
    stream.resume()
    session.close()
    await once(session, 'close')
    const x = await gateway.nextEnded()
    assert.deepEqual([x.request.httpVersion, x.request.connection.tls?.alpn], ['2', 'h2'])
  })

  test('replies 421 to a request for a host of another listener, and 404 for an unknown one', async () => {
    await using gateway = await startGateway([tlsBind(https('a.example'), https('b.example'))])
    assert.deepEqual(await ask(gateway.port(), 'a.example', 'b.example'), {
      status: 421,
      body: 'misdirected request',
    })
    assert.equal((await ask(gateway.port(), 'a.example', 'c.example')).status, 404)
  })

  test('uses versions, ciphers and groups of the listener, or else of the frontend', async () => {
    await using gateway = await startGateway([
      {
        ...tlsBind(
          https('a.example', { tls: { ...filesOf(certificateA), maxVersion: 'TLSv1.2' } }),
          https('b.example', { tls: filesOf(certificateB) }),
          https('c.example', {
            tls: {
              ...filesOf(certificateA),
              cipherSuites: ['TLS_AES_128_GCM_SHA256'],
              keyExchangeGroups: ['P-384'],
            },
          }),
        ),
        frontend: { tls: { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' } },
      },
    ])
    const at = (servername: string, options: ConnectionOptions = {}) =>
      shakeHands(gateway.port(), { servername, checkServerIdentity: () => undefined, ...options })
    const facts: [string, (socket: TLSSocket) => unknown, unknown][] = [
      ['a.example', (socket) => socket.getProtocol(), 'TLSv1.2'],
      ['b.example', (socket) => socket.getProtocol(), 'TLSv1.3'],
      ['c.example', (socket) => socket.getCipher().name, 'TLS_AES_128_GCM_SHA256'],
      ['c.example', (socket) => (socket.getEphemeralKeyInfo() as { name: string }).name, 'secp384r1'],
    ]
    for (const [name, fact, expected] of facts) {
      const socket = await at(name)
      assert.equal(fact(socket), expected)
      socket.destroy()
    }
    await assert.rejects(at('a.example', { minVersion: 'TLSv1.3' }))
    await assert.rejects(at('c.example', { ecdhCurve: 'X25519' }))
    await assert.rejects(
      at('b.example', { maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }),
    )
  })

  test('fails a client without a certificate of the CA, and identifies one with it', async () => {
    using stranger = makeAuthority()
    const client = authority.issue('client', [
      'DNS:client.example',
      'URI:spiffe://example/ns/default/sa/client',
    ])
    const seen: (ClientCertificate | undefined)[] = []
    await using gateway = await startGateway([
      tlsBind(
        https('a.example', {
          tls: { ...filesOf(certificateA), clientCaFile: authority.certFile },
          pipeline: replying((x) => {
            seen.push(x.request.connection.tls?.client)
            return respond(200, 'known')
          }),
        }),
        // The same address without: the required certificate depends on the server name.
        https('b.example', { tls: filesOf(certificateB) }),
      ),
    ])
    const at = (options: ConnectionOptions) => ask(gateway.port(), 'a.example', 'a.example', options)
    await assert.rejects(at({}))
    await assert.rejects(at(stranger.issue('client')))
    assert.equal((await at({ cert: client.cert, key: client.key })).body, 'known')
    assert.equal((await ask(gateway.port(), 'b.example', 'b.example')).status, 200)
    const [certificate] = seen
    assert.equal(seen.length, 1)
    assert.deepEqual(
      [certificate?.subject, certificate?.subjectCn, certificate?.issuer, certificate?.spiffeId],
      ['O=tests, CN=client', 'client', 'CN=test authority', 'spiffe://example/ns/default/sa/client'],
    )
    assert.deepEqual(certificate?.subjectAltNames, [
      'client.example',
      'spiffe://example/ns/default/sa/client',
    ])
    assert.equal(certificate.pem.trim(), client.cert.slice(client.cert.indexOf('-----BEGIN')).trim())
  })

  test('reports a handshake with its listener and its duration', async () => {
    const seen: unknown[] = []
    const events: ConnectionEvents = {
      opened: (labels) => seen.push(labels),
      closed: (_, received, sent) => seen.push([received > 0, sent > 0]),
      tlsHandshake: ({ listener }, seconds) => seen.push([listener, seconds > 0 && seconds < 60]),
      refused: () => undefined,
    }
    const gateway = await startGateway([tlsBind(https('a.example'), https('b.example'))], events)
    await ask(gateway.port(), 'a.example', 'a.example')
    await gateway.ports.drain(1_000)
    assert.deepEqual(seen, [
      { bind: 'tls', gateway: 'default/default', listener: 'a.example', protocol: 'https' },
      ['a.example', true],
      [true, true],
    ])
  })

  test('ends a handshake that takes too long', async () => {
    await using gateway = await startGateway([
      { ...tlsBind(https('a.example')), frontend: { tls: { handshakeTimeoutMs: 40 } } },
    ])
    // A proxy that forwards the ClientHello and nothing after it.
    let hello: Buffer | undefined
    const eavesdropper = createServer((socket) => {
      socket.once('data', (chunk) => (hello = chunk)).on('error', () => undefined)
    }).listen(0, '127.0.0.1')
    await once(eavesdropper, 'listening')
    const { port } = eavesdropper.address() as { port: number }
    const lost = connect({ port, host: '127.0.0.1', servername: 'a.example' }).on('error', () => undefined)
    const [socket] = (await once(eavesdropper, 'connection')) as [TLSSocket]
    if (!hello) await once(socket, 'data')
    lost.destroy()
    socket.destroy()
    eavesdropper.close()
    using client = await RawClient.to(gateway.port())
    client.send(hello!)
    await client.end()
  })

  test('fails cleartext on a TLS bind, and TLS on a cleartext bind', async () => {
    await using gateway = await startGateway([
      tlsBind(https('a.example')),
      { key: 'plain', listeners: [{ pipeline: replying(() => respond(200, 'plain')) }] },
    ])
    using client = await RawClient.to(gateway.port('tls'))
    client.send('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n')
    assert.equal(await client.end(), '')
    await assert.rejects(shakeHands(gateway.port('plain'), { servername: 'a.example' }))
  })

  test('may share a port with cleartext, without exposing the routes of TLS listeners', async () => {
    await using gateway = await startGateway([
      {
        key: 'both',
        protocol: 'auto',
        listeners: [
          https('a.example'),
          { hostname: 'b.example', pipeline: replying(() => respond(200, 'plain')) },
        ],
      },
    ])
    assert.equal((await ask(gateway.port(), 'a.example', 'a.example')).body, 'a.example')
    using client = await RawClient.to(gateway.port())
    client.send(
      'GET / HTTP/1.1\r\nHost: b.example\r\n\r\nGET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n',
    )
    assert.match(await client.end(), /200 OK[^]*plainHTTP\/1\.1 404/)
  })
})

suite('changed certificates', () => {
  const folder = join(authority.folder, 'changing')
  mkdirSync(folder)
  const certFile = join(folder, 'tls.crt')
  const keyFile = join(folder, 'tls.key')
  const nameAt = async (port: number): Promise<string> => {
    const socket = await shakeHands(port, { servername: 'a.example', checkServerIdentity: () => undefined })
    const { CN } = socket.getPeerCertificate().subject
    socket.destroy()
    return String(CN)
  }
  /** Certificate files are polled; this waits for one poll. */
  const becomes = async (port: number, name: string): Promise<void> => {
    while ((await nameAt(port)) !== name) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const place = ({ certFile: cert, keyFile: key }: { certFile: string; keyFile: string }) => {
    copyFileSync(cert, `${certFile}.new`)
    copyFileSync(key, `${keyFile}.new`)
    renameSync(`${keyFile}.new`, keyFile)
    renameSync(`${certFile}.new`, certFile)
  }

  test('are loaded when they are renamed into place, and invalid ones are not', async () => {
    place(certificateA)
    await using gateway = await startGateway([tlsBind(https('a.example', { tls: { certFile, keyFile } }))])
    assert.equal(await nameAt(gateway.port()), 'a.example')
    writeFileSync(certFile, 'not a certificate')
    while (gateway.warnings.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(await nameAt(gateway.port()), 'a.example')
    place(certificateB)
    await becomes(gateway.port(), 'b.example')
  })

  test('are loaded when a symlink is changed to another folder, as in Kubernetes', async () => {
    const mount = join(authority.folder, 'mount')
    mkdirSync(mount)
    for (const [name, { certFile: cert, keyFile: key }] of [
      ['v1', certificateA],
      ['v2', certificateB],
    ] as const) {
      mkdirSync(join(mount, name))
      copyFileSync(cert, join(mount, name, 'tls.crt'))
      copyFileSync(key, join(mount, name, 'tls.key'))
    }
    symlinkSync('v1', join(mount, '..data'))
    for (const name of ['tls.crt', 'tls.key']) symlinkSync(join('..data', name), join(mount, name))
    const tls = { certFile: join(mount, 'tls.crt'), keyFile: join(mount, 'tls.key') }
    await using gateway = await startGateway([tlsBind(https('a.example', { tls }))])
    assert.equal(await nameAt(gateway.port()), 'a.example')
    symlinkSync('v2', join(mount, '..data_tmp'))
    renameSync(join(mount, '..data_tmp'), join(mount, '..data'))
    await becomes(gateway.port(), 'b.example')
  })

  test('that are unreadable are reported when a configuration has them, and the previous ones stay', async () => {
    await using gateway = await startGateway([tlsBind(https('a.example'))])
    const [failure] = await gateway.apply([
      tlsBind(https('a.example', { tls: { certFile: join(folder, 'absent'), keyFile } })),
    ])
    assert.match(failure!.message, /^tls: .*cannot use .*absent.*ENOENT/)
    assert.equal(await nameAt(gateway.port()), 'a.example')
  })

  test('that are unreadable end TLS if clients would need certificates that they did not need before', async () => {
    await using gateway = await startGateway([tlsBind(https('a.example'))])
    const clientCaFile = authority.certFile
    const [failure] = await gateway.apply([
      tlsBind(https('a.example', { tls: { certFile: join(folder, 'absent'), keyFile, clientCaFile } })),
    ])
    assert.match(failure!.message, /cannot use .*absent/)
    await assert.rejects(nameAt(gateway.port()))
  })
})
