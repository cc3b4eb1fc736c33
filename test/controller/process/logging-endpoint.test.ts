import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveEndpoints } from '../../../src/admin/server/endpoint-server.ts'
import { ComponentLevels } from '../../../src/controller/process/component-levels.ts'
import { controllerLoggingEndpoint } from '../../../src/controller/process/logging-endpoint.ts'
import { levelOf } from '../../../src/sinks/log/levels.ts'

test('/logging of the control plane shows and sets levels of components', async (t) => {
  const levels = new ComponentLevels('info')
  const server = await serveEndpoints({
    address: { host: '127.0.0.1', port: 0 },
    endpoints: [controllerLoggingEndpoint(levels)],
    hosts: [],
  })
  t.after(() => server.close())
  const post = async (query: string, method = 'POST') => {
    const response = await fetch(`http://${server.addresses[0] ?? ''}/logging${query}`, { method })
    return [response.status, await response.text()] as const
  }
  assert.deepEqual(await post(''), [
    200,
    'current log levels:\n---\ndefault: info\ndeployer: info\ngateway controller: info\nsyncer: info\ntranslator: info\n',
  ])
  assert.deepEqual(await post('?deployer=DEBUG&gateway%20controller=warn', 'PUT'), [
    200,
    'component deployer log level set to: debug\ncomponent gateway controller log level set to: warn\n',
  ])
  assert.equal(levelOf(levels, 'deployer'), 'debug')
  assert.equal(levelOf(levels, 'syncer'), 'info')
  assert.deepEqual(await post('?level=error'), [200, 'all logger levels updated to level: error\n'])
  assert.equal(levelOf(levels, 'deployer'), 'error')
  assert.deepEqual(await post('?level=loud'), [400, '"loud" is no log level\n'])
  assert.equal((await post('?syncr=info'))[0], 400)
  assert.equal((await post('', 'GET'))[0], 405)
})
