import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepUsedClasses } from '../../src/controller/kept-classes.ts'
import type { GatewayClass } from '../../src/controller/kinds/gateway-api.ts'
import { assertGrowth, cpuTimeMs } from '../support/cpu-time.ts'
import { gatewayObject } from './support/objects.ts'

const us = 'agentgateway.dev/agentgateway'
const classOf = (controllerName: string): GatewayClass => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name: 'agentgateway' },
  spec: { controllerName },
})

const startTarget = () => {
  const objects = new Set<string>()
  const target = keepUsedClasses(
    {
      set: (kind, key) => objects.add(`${kind} ${key}`),
      delete: (kind, key) => objects.delete(`${kind} ${key}`),
    },
    us,
  )
  return { target, hasClass: () => objects.has('GatewayClass agentgateway'), objects }
}

test('a class that is gone stays until the last of its Gateways is gone', () => {
  const { target, hasClass, objects } = startTarget()
  target.set('GatewayClass', 'agentgateway', classOf(us))
  target.set('Gateway', 'ns/a', gatewayObject('ns/a', '1'))
  target.set('Gateway', 'ns/b', gatewayObject('ns/b', '1'))
  target.delete('GatewayClass', 'agentgateway')
  assert.ok(hasClass())
  target.delete('Gateway', 'ns/a')
  assert.ok(hasClass())
  const other = gatewayObject('ns/b', '2')
  target.set('Gateway', 'ns/b', { ...other, spec: { ...other.spec, gatewayClassName: 'other' } })
  assert.ok(!hasClass())
  assert.deepEqual([...objects], ['Gateway ns/b'])
})

test('a class that is not used, or not ours, goes at once', () => {
  const { target, hasClass } = startTarget()
  target.set('GatewayClass', 'agentgateway', classOf(us))
  target.delete('GatewayClass', 'agentgateway')
  assert.ok(!hasClass())
  target.set('Gateway', 'ns/a', gatewayObject('ns/a', '1'))
  target.set('GatewayClass', 'agentgateway', classOf('example.com/other'))
  target.delete('GatewayClass', 'agentgateway')
  assert.ok(!hasClass())
})

test('a class that comes back is the one that counts', () => {
  const { target, hasClass } = startTarget()
  target.set('GatewayClass', 'agentgateway', classOf(us))
  target.set('Gateway', 'ns/a', gatewayObject('ns/a', '1'))
  target.delete('GatewayClass', 'agentgateway')
  target.set('GatewayClass', 'agentgateway', classOf('example.com/other'))
  target.delete('Gateway', 'ns/a')
  assert.ok(hasClass())
  target.delete('GatewayClass', 'agentgateway')
  assert.ok(!hasClass())
})

test('many Gateways that go take time in proportion to their number while their class is gone', () => {
  const tookMs = (count: number): number => {
    const { target, hasClass } = startTarget()
    const keys = Array.from({ length: count }, (_, index) => `ns/g${index}`)
    target.set('GatewayClass', 'agentgateway', classOf(us))
    for (const key of keys) target.set('Gateway', key, gatewayObject(key, '1'))
    target.delete('GatewayClass', 'agentgateway')
    const begin = cpuTimeMs()
    for (const key of keys) {
      assert.ok(hasClass())
      target.delete('Gateway', key)
    }
    assert.ok(!hasClass())
    return cpuTimeMs() - begin
  }
  tookMs(100)
  assertGrowth(tookMs, { few: 1_000, many: 8_000, times: 24 })
})
