import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdsResource } from '../../../src/config/xds/xds-resource.ts'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { freePort } from '../../support/free-port.ts'
import { portResources, replyRoute, startXdsServer } from '../../support/xds/xds-server.ts'

test('models of a control plane are served beside the routes of a listener', async () => {
  const port = await freePort()
  await using server = await startXdsServer()
  server.sets.set('default/web', [
    ...portResources(port),
    replyRoute('hello', 'hello'),
    xdsResource(
      'models',
      'default/web/http',
      {
        models: [{ name: 'slow', visibility: 'internal', provider: { mock: {} } }],
        virtualModels: [
          { name: 'any', routing: { failover: { targets: [{ model: 'slow', priority: 0 }] } } },
        ],
      },
      ['default/web/http'],
    ),
  ])
  const env = { XDS_ADDRESS: `http://127.0.0.1:${server.port}`, NAMESPACE: 'default', GATEWAY: 'web' }
  await using daemon = await startDaemon(anyPorts, { env })
  await daemon.printed(/(?:configuration in force[^]*){2}/)
  const ask = (model: string) =>
    fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    })
  const reply = await ask('any')
  assert.equal(reply.status, 200)
  assert.equal(((await reply.json()) as { readonly object: string }).object, 'chat.completion')
  assert.equal((await ask('slow')).status, 404)
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/hello`)).text(), 'hello')
})
