import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { serveEndpoints } from '../../src/admin/server/endpoint-server.ts'
import { loggingEndpoint } from '../../src/admin/handlers/logging.ts'
import { logLevelAccess } from '../../src/admin/log-levels.ts'
import { silentLog } from '../../src/model/log/module-log.ts'
import { LogLevelControl } from '../../src/sinks/log/level-control.ts'
import { parseLogLevels } from '../../src/sinks/log/levels.ts'

const usage = `
usage: POST /logging						(To show the current levels)
usage: POST /logging?level=<level>				(To set the default level)
usage: POST /logging?level={mod1}={level1},{mod2}={level2}	(To set the levels of modules)

hint: loglevel:	error|warn|info|debug|trace|off
hint: mod_name:	gateway|http|upstream|config|cel|auth|mcp|llm|guard|trace|admin|request|payload
`

const serve = async (t: TestContext, startup = 'info') => {
  const levels = new LogLevelControl(parseLogLevels(startup))
  const changes: unknown[] = []
  const log = { ...silentLog, info: (...message: readonly unknown[]) => void changes.push(message) }
  const server = await serveEndpoints({
    address: { host: '127.0.0.1', port: 0 },
    endpoints: [loggingEndpoint(logLevelAccess(levels, log))],
    hosts: [],
  })
  t.after(() => server.close(0))
  const call = async (query = '', method = 'POST', headers: Record<string, string> = {}) => {
    const url = `http://${server.addresses[0] ?? ''}/logging${query}`
    const response = await fetch(url, { method, headers })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  return { levels, call, changes }
}

test('/logging shows the levels', async (t) => {
  const { call, changes } = await serve(t, 'info,request=off')
  for (const [query, method] of [
    ['', 'GET'],
    ['', 'POST'],
    ['?level=', 'POST'],
    ['?level=', 'GET'],
    ['?reset=false', 'GET'],
  ] as const) {
    const { status, text, headers } = await call(query, method)
    assert.deepEqual([status, text], [200, 'current log level is info,request=off\n'])
    assert.match(headers.get('content-type') ?? '', /^text\/plain/)
  }
  assert.deepEqual(await call('', 'HEAD').then(({ status, text }) => [status, text]), [200, ''])
  assert.deepEqual(changes, [])
})

test('/logging sets levels, which add up until they are reset', async (t) => {
  const { call, changes } = await serve(t, 'info,request=off')
  const after = async (query: string) => (await call(query)).text.replace('current log level is ', '').trim()
  assert.equal(await after('?level=debug'), 'debug,request=off')
  assert.equal(
    await after('?level=info,upstream=debug,mcp=trace'),
    'info,request=off,upstream=debug,mcp=trace',
  )
  assert.equal(await after('?level=mcp:warn,request%3Dinfo'), 'info,request=info,upstream=debug,mcp=warn')
  assert.equal(await after('?level=off'), 'off,request=info,upstream=debug,mcp=warn')
  assert.equal(await after('?reset'), 'info,request=off')
  assert.equal(await after('?reset=true&level=warn,cel=trace'), 'warn,request=off,cel=trace')
  assert.equal(await after('?reset&level='), 'info,request=off')
  assert.equal(changes.length, 7)
  assert.deepEqual(changes[0], [
    'the log levels are set',
    { levels: 'debug,request=off', before: 'info,request=off' },
  ])
})

test('/logging?modules lists every module with its level', async (t) => {
  const { call } = await serve(t, 'warn')
  const expected = (request: string) =>
    'gateway http upstream config cel auth mcp llm guard trace admin request payload\n'
      .trim()
      .split(' ')
      .map((name) => `${name}=${name === 'request' ? request : 'warn'}\n`)
      .join('')
  assert.equal((await call('?modules', 'GET')).text, expected('warn'))
  assert.equal((await call('?modules&level=request=off')).text, expected('off'))
})

test('/logging refuses what it does not know, and changes nothing', async (t) => {
  const { call, levels, changes } = await serve(t)
  const known = 'known are off, error, warn, info, debug, trace'
  for (const [query, message] of [
    ['?level=bogus', `Invalid level provided: bogus\nunknown level: bogus; ${known}`],
    ['?level=DEBUG', `Invalid level provided: DEBUG\nunknown level: DEBUG; ${known}`],
    ['?level=mcp', `Invalid level provided: mcp\nunknown level: mcp; ${known}`],
    [
      '?level=http=debug,mcp=loud',
      `Invalid level provided: http=debug,mcp=loud\nunknown level: loud; ${known}`,
    ],
    [
      '?level=proxy:debug',
      'Invalid level provided: proxy:debug\nunknown module: proxy; known are gateway, http, upstream, config, ' +
        'cel, auth, mcp, llm, guard, trace, admin, request, payload',
    ],
    ['?level=mcp=debug,mcp=info', 'Invalid level provided: mcp=debug,mcp=info\nmodule given twice: mcp'],
    ['?level=debug&level=info', 'parameter given twice: level'],
    ['?lvel=debug', 'unknown parameter: lvel; known are level, reset, modules'],
    ['?reset=yes', 'reset must be empty, true, or false'],
    ['?level=a%1b[31m', `Invalid level provided: a\\u001b[31m\nunknown level: a\\u001b[31m; ${known}`],
  ] as const) {
    const { status, text } = await call(query)
    assert.deepEqual([status, text], [400, `${message}\n${usage}`])
  }
  const long = await call(`?level=${'x'.repeat(5_000)}`)
  assert.equal(long.status, 400)
  assert.ok(long.text.length < 1_500)
  assert.equal(levels.directive, 'info')
  assert.deepEqual(changes, [])
})

test('/logging is changed by POST only, and not from other sites', async (t) => {
  const { call, levels } = await serve(t)
  for (const [query, method] of [
    ['?level=debug', 'GET'],
    ['?reset', 'GET'],
    ['?level=debug', 'HEAD'],
  ] as const) {
    const { status, headers } = await call(query, method)
    assert.deepEqual([status, headers.get('allow')], [405, 'POST'])
  }
  for (const method of ['PUT', 'DELETE', 'PATCH'])
    assert.deepEqual(
      await call('?level=debug', method).then(({ status, headers }) => [status, headers.get('allow')]),
      [405, 'GET, HEAD, POST'],
    )
  assert.equal((await call('?level=debug', 'POST', { origin: 'http://evil.test' })).status, 403)
  assert.equal(levels.directive, 'info')
})

test('/logging takes 200 callers at once', async (t) => {
  const { call, levels } = await serve(t)
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, i) => call(i % 2 ? '?level=debug' : '?modules', i % 2 ? 'POST' : 'GET')),
  )
  assert.ok(replies.every(({ status }) => status === 200))
  assert.equal(levels.directive, 'debug')
})
