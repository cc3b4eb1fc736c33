import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restartRequired } from '../../src/config/restart-required.ts'
import { parseConfig } from '../../src/config/parse.ts'

const settingsOf = (section: string, env = {}) =>
  parseConfig(`config: ${section}\nroutes: []\n`, 'test', env).process

test('changed fields of the section config are listed once each, without values', () => {
  const before = settingsOf('{ session: { key: "' + '00'.repeat(32) + '" }, adminAddr: "localhost:1" }')
  const after = settingsOf(`{
    session: { key: "${'11'.repeat(32)}" }, adminAddr: "localhost:2", dns: { lookupFamily: V4Only },
    logging: { level: debug, format: json }, backend: { poolMaxSize: 3, keepalives: { time: 1m } },
    mcp: { sessionTtl: 1m }, metrics: { remove: [agentgateway_requests_total] }, sensitiveHeaders: [x-a]
  }`)
  assert.deepEqual(restartRequired(before, after), [
    'config.adminAddr',
    'config.dns.lookupFamily',
    'config.sensitiveHeaders',
    'config.session.key',
    'config.mcp.sessionTtl',
    'config.logging.level',
    'config.logging.format',
    'config.metrics.remove',
    'config.backend.keepalives',
    'config.backend.poolMaxSize',
  ])
  assert.deepEqual(restartRequired(after, after), [])
})

test('a field that an environment variable overrides has not changed', () => {
  const env = { ADMIN_ADDR: 'localhost:3' }
  const [before, after] = ['localhost:1', 'localhost:2'].map((at) =>
    settingsOf(`{ adminAddr: "${at}" }`, env),
  )
  assert.ok(before && after)
  assert.deepEqual(restartRequired(before, after), [])
})
