import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminServerWarnings } from '../../../../src/controller/translate/backend/admin-server-warnings.ts'

const isWarnedOf = (host: string) => adminServerWarnings({ host }).length > 0

test('the admin server of proxies is known however its address is written', () => {
  for (const host of [
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    'LocalHost',
    'a.localhost.',
  ])
    assert.ok(isWarnedOf(`${host}:15000`), host)
})

test('other ports, machines and names are not taken for it', () => {
  for (const address of [
    '127.0.0.1:15020',
    '127.0.0.1:1500',
    '10.0.0.1:15000',
    '[fd00::1]:15000',
    'localhost.example.com:15000',
    'notlocalhost:15000',
    'unix:/run/127.0.0.1:15000',
  ])
    assert.ok(!isWarnedOf(address), address)
})

test('addresses of policies are of other services, and one address has one warning', () => {
  const target = { name: 'a', mcp: { host: 'localhost', port: 15_000 } }
  const warnings = adminServerWarnings({
    mcp: { targets: [target, { ...target, name: 'b' }] },
    policies: { backendTunnel: { proxy: { host: '127.0.0.1:15000' } } },
  })
  assert.deepEqual(warnings, [
    'localhost:15000 is the admin server of the proxies themselves: they do not connect to it',
  ])
})
