import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { RotatingCertificate } from '../../../src/controller/sinks/xds/certificates/rotating-certificate.ts'
import { newAuthorityData } from '../../../src/controller/sinks/xds/certificates/xds-certificate.ts'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { EventQueue } from '../../support/xds/event-queue.ts'
import { freePort } from '../../support/free-port.ts'
import { portResources, replyRoute, startXdsServer } from '../../support/xds/xds-server.ts'

const GATEWAY = 'default/web'

suite('the credentials of a gateway at its control plane', () => {
  const folder = mkdtempSync(join(tmpdir(), 'xds-credentials-'))
  after(() => {
    rmSync(folder, { recursive: true })
  })
  const file = (name: string, content: string): string => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  const keptCertificate = () =>
    new RotatingCertificate({
      names: ['localhost'],
      create: () => Promise.resolve(),
      onError: (error) => {
        throw error
      },
    })

  test('follow a new authority without losing the stream, and a new token', async () => {
    const [older, newer] = [newAuthorityData(new Date()), newAuthorityData(new Date())]
    const certificate = keptCertificate()
    certificate.update(older)
    const tokens = new EventQueue<string>()
    const options = {
      mode: 'tls',
      certificate,
      authenticate: (token: string) => {
        tokens.push(token)
        return Promise.resolve({ namespace: 'default', name: 'web' })
      },
    } as const
    const first = await startXdsServer({ ...options, port: await freePort() })
    const port = await freePort()
    const base = portResources(port)
    first.sets.set(GATEWAY, [...base, replyRoute('a', 'one')])
    await using daemon = await startDaemon(anyPorts, {
      env: {
        XDS_ADDRESS: `https://localhost:${first.port}`,
        XDS_ROOT_CA: file('root.pem', older['ca.crt']),
        XDS_AUTH_TOKEN: file('token', 'first\n'),
        NAMESPACE: 'default',
        GATEWAY: 'web',
      },
    })
    await daemon.printed(/connected to the control plane[^]*configuration in force/)
    assert.equal(await tokens.next(), 'first')

    file('root.pem', newer['ca.crt'])
    file('token', 'second\n')
    certificate.update(newer)
    first.sets.set(GATEWAY, [...base, replyRoute('a', 'two')])
    while ((await sendRequest(`http://127.0.0.1:${port}`, '/a')).text !== 'two');
    assert.equal(tokens.size, 0)

    await first.close()
    await using second = await startXdsServer({ ...options, port: first.port })
    second.sets.set(GATEWAY, [...base, replyRoute('a', 'three')])
    second.sets.synced()
    assert.equal(await tokens.next(), 'second')
    while ((await sendRequest(`http://127.0.0.1:${port}`, '/a')).text !== 'three');
    certificate.close()
  })

  test('do not reach a control plane whose authority is another one', async () => {
    const certificate = keptCertificate()
    certificate.update(newAuthorityData(new Date()))
    const tokens = new EventQueue<string>()
    await using server = await startXdsServer({
      mode: 'tls',
      certificate,
      authenticate: (token) => {
        tokens.push(token)
        return Promise.resolve({ namespace: 'default', name: 'web' })
      },
    })
    await using daemon = await startDaemon(anyPorts, {
      env: {
        XDS_ADDRESS: `localhost:${server.port}`,
        XDS_ROOT_CA: file('other.pem', newAuthorityData(new Date())['ca.crt']),
        XDS_AUTH_TOKEN: file('secret', 'never sent'),
        NAMESPACE: 'default',
        GATEWAY: 'web',
      },
    })
    await daemon.printed(/the control plane cannot be reached/)
    assert.equal(tokens.size, 0)
    certificate.close()
  })
})
