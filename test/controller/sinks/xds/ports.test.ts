import assert from 'node:assert/strict'
import { ChannelCredentials } from '@grpc/grpc-js'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { RotatingCertificate } from '../../../../src/controller/sinks/xds/certificates/rotating-certificate.ts'
import { newAuthorityData } from '../../../../src/controller/sinks/xds/certificates/xds-certificate.ts'
import { namesIn, openRawClient } from '../../../support/xds/raw-xds-client.ts'
import { replyRoute, startXdsServer } from '../../../support/xds/xds-server.ts'

const unexpected = (error: unknown) => {
  throw error
}
const keptCertificate = () =>
  new RotatingCertificate({ names: ['localhost'], create: () => Promise.resolve(), onError: unexpected })
/** Resolves when a connection has closed, whatever its error. */
const closed = (socket: Socket) =>
  new Promise((resolve) => {
    socket.on('error', () => undefined)
    socket.once('close', resolve)
  })
const trusting = (ca: string) => ChannelCredentials.createSsl(Buffer.from(ca))

suite('the port of discovery', () => {
  for (const mode of ['tls', 'either'] as const)
    test(`takes TLS in mode ${mode}, and keeps streams when the authority changes`, async () => {
      const [older, newer] = [newAuthorityData(new Date()), newAuthorityData(new Date())]
      const certificate = keptCertificate()
      certificate.update(older)
      await using server = await startXdsServer({ mode, certificate })
      using client = openRawClient(server.port, { credentials: trusting(older['ca.crt']) })
      client.send()
      client.accept(await client.next())
      certificate.update(newer)
      using later = openRawClient(server.port, { credentials: trusting(newer['ca.crt']) })
      later.send()
      await later.next()
      server.sets.set('default/web', [replyRoute('a', 'a')])
      assert.equal(namesIn(await client.next()).length, 1)
      using mistrustful = openRawClient(server.port, { credentials: trusting(older['ca.crt']) })
      assert.match(await mistrustful.ended, /^14 /)
      certificate.close()
    })

  test('takes both in mode either', async () => {
    const data = newAuthorityData(new Date())
    const certificate = keptCertificate()
    certificate.update(data)
    await using server = await startXdsServer({ mode: 'either', certificate })
    using plain = openRawClient(server.port)
    using encrypted = openRawClient(server.port, { credentials: trusting(data['ca.crt']) })
    for (const client of [plain, encrypted]) {
      client.send()
      assert.deepEqual(namesIn(await client.next()), [])
    }
    certificate.close()
  })

  test('takes nothing in clear in mode tls', async () => {
    const certificate = keptCertificate()
    certificate.update(newAuthorityData(new Date()))
    await using server = await startXdsServer({ mode: 'tls', certificate })
    using plain = openRawClient(server.port)
    assert.match(await plain.ended, /^14 /)
    certificate.close()
  })

  test('closes TLS connections before there is a certificate', async () => {
    const certificate = keptCertificate()
    await using server = await startXdsServer({ mode: 'either', certificate })
    const socket = connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false })
    await closed(socket)
    certificate.close()
  })

  test('has a limit of connections', async () => {
    await using server = await startXdsServer({
      mode: 'either',
      certificate: keptCertificate(),
      maxConnections: 1,
    })
    const first = connect(server.port, '127.0.0.1')
    await once(first, 'connect')
    const second = connect(server.port, '127.0.0.1')
    await closed(second)
    first.destroy()
  })
})
