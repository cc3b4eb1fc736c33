import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { stringify } from 'yaml'
import { xdsResource } from '../../../src/config/xds/xds-resource.ts'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { freePort } from '../../support/free-port.ts'
import { startUpstream } from '../../support/upstream.ts'
import { portResources, startXdsServer } from '../../support/xds/xds-server.ts'

/* Whoever may write backends of a cluster is not who may read and stop the proxies of a Gateway. */

const toHost = (host: string) => ({
  matches: [{ path: { pathPrefix: '/' } }],
  backends: [{ host }],
  policies: { urlRewrite: { authority: { full: 'localhost' } } },
})

const routeTo = (host: string) =>
  xdsResource('route', 'HTTPRoute/default/a/00', { name: 'a', namespace: 'default', ...toHost(host) }, [
    'default/web/http',
  ])

const environment = (port: number) => ({
  XDS_ADDRESS: `http://127.0.0.1:${port}`,
  NAMESPACE: 'default',
  GATEWAY: 'web',
})

const inForce = (daemon: Daemon, count: number) =>
  daemon.printed(new RegExp(`(?:configuration in force[^]*){${count}}`))

suite('the admin server of a gateway with a control plane', () => {
  const folder = mkdtempSync(join(tmpdir(), 'own-admin-'))
  after(() => {
    rmSync(folder, { recursive: true })
  })

  test('is no upstream, however its address is written, while others of the machine are', async () => {
    await using server = await startXdsServer()
    await using other = await startUpstream((_, res) => res.end('other'))
    const port = await freePort()
    server.sets.set('default/web', [...portResources(port), routeTo(other.host)])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    await inForce(daemon, 2)
    const get = async () => {
      const { status, text } = await sendRequest(`http://127.0.0.1:${port}`, '/config_dump')
      return { status, text }
    }
    assert.deepEqual(await get(), { status: 200, text: 'other' })
    const admin = new URL(daemon.url('admin')).port
    const hosts = ['127.0.0.1', 'localhost', '0.0.0.0', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]']
    for (const [at, host] of hosts.entries()) {
      server.sets.set('default/web', [...portResources(port), routeTo(`${host}:${admin}`)])
      await inForce(daemon, 3 + at)
      const { status, text } = await get()
      assert.equal(status, 503, host)
      assert.doesNotMatch(text, /admin|config/)
    }
    await daemon.printed(/the admin server of this gateway is no upstream/)
    assert.equal((await sendRequest(daemon.url('admin'), '/config_dump')).status, 200)
  })

  test('is no upstream at a unix socket', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    const path = join(folder, 'admin.sock')
    server.sets.set('default/web', [
      ...portResources(port),
      routeTo(`unix:${folder}/../${folder.split('/').pop() ?? ''}/admin.sock`),
    ])
    const text = anyPorts.replace('adminAddr: 127.0.0.1:0', `adminAddr: unix:${path}`)
    await using daemon = await startDaemon(text, { env: environment(server.port) })
    await inForce(daemon, 2)
    assert.equal((await sendRequest(`http://127.0.0.1:${port}`, '/config_dump')).status, 503)
  })

  test('may be one where a file is all of the configuration: its owner is that of the gateway', async () => {
    const [port, admin] = [await freePort(), await freePort()]
    const file = {
      config: { adminAddr: `127.0.0.1:${admin}`, statsAddr: '127.0.0.1:0', readinessAddr: '127.0.0.1:0' },
      binds: [{ port, address: '127.0.0.1', listeners: [{ routes: [toHost(`127.0.0.1:${admin}`)] }] }],
    }
    await using daemon = await startDaemon(stringify(file))
    await inForce(daemon, 1)
    assert.equal((await sendRequest(`http://127.0.0.1:${port}`, '/config_dump')).status, 200)
  })
})
