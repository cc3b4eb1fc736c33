import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ask } from '../../support/ask.ts'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { freePort } from '../../support/free-port.ts'
import { portResources, replyRoute, startXdsServer } from '../../support/xds/xds-server.ts'

const environment = (port: number) => ({
  XDS_ADDRESS: `http://127.0.0.1:${port}`,
  NAMESPACE: 'default',
  GATEWAY: 'web',
})

suite('a gateway with a control plane', () => {
  test('serves a route that it was sent', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    server.sets.set('default/web', [...portResources(port), replyRoute('hello', 'hello')])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    await daemon.printed(/listens on http:\/\/127\.0\.0\.1:\d+[^]*connected to the control plane[^]*in force/)
    const reply = await ask(`http://127.0.0.1:${port}`, '/hello')
    assert.deepEqual([reply.status, reply.text], [200, 'hello'])
  })
})
