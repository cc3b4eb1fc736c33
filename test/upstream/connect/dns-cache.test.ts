import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../../src/model/exchange/fault.ts'
import { DnsEntry, systemLookup, type Lookup } from '../../../src/upstream/connect/dns-cache.ts'

/** A name service with manual responses. */
const service = () => {
  const asked: ((error: Error | null, addresses: readonly string[]) => void)[] = []
  const lookup: Lookup = (_, told) => asked.push(told)
  return { asked, lookup, answer: (...addresses: string[]) => asked.shift()?.(null, addresses) }
}

test('a host name', async (t) => {
  await t.test('is looked up once for concurrent requests', () => {
    const { asked, lookup, answer } = service()
    const name = new DnsEntry('up.test', lookup)
    const told: unknown[] = []
    name.resolve(0, (found) => told.push(found))
    name.resolve(0, (found) => told.push(found))
    assert.equal(asked.length, 1)
    answer('10.0.0.1', '10.0.0.2', '10.0.0.1')
    assert.deepEqual(told, [
      ['10.0.0.1', '10.0.0.2'],
      ['10.0.0.1', '10.0.0.2'],
    ])
  })

  await t.test('is looked up again in the background while it is in use', () => {
    const { asked, lookup, answer } = service()
    const changes: (readonly string[])[] = []
    const name = new DnsEntry('up.test', lookup, (found) => changes.push(found))
    name.resolve(0, () => undefined)
    answer('10.0.0.1')
    assert.deepEqual(name.known(10_000), ['10.0.0.1'])
    assert.equal(asked.length, 0)
    assert.deepEqual(name.known(10_001), ['10.0.0.1'])
    assert.deepEqual(name.known(10_002), ['10.0.0.1'])
    assert.equal(asked.length, 1)
    answer('10.0.0.2')
    assert.deepEqual(name.known(10_003), ['10.0.0.2'])
    assert.deepEqual(changes, [['10.0.0.1'], ['10.0.0.2']])
  })

  await t.test('is unchanged if its addresses have another order', () => {
    const { lookup, answer } = service()
    const changes: (readonly string[])[] = []
    const name = new DnsEntry('up.test', lookup, (found) => changes.push(found))
    name.resolve(0, () => undefined)
    answer('10.0.0.1', '10.0.0.2')
    name.known(20_000)
    answer('10.0.0.2', '10.0.0.1')
    assert.equal(changes.length, 1)
  })

  await t.test('keeps its last addresses while the name service fails', () => {
    const { asked, lookup, answer } = service()
    const name = new DnsEntry('up.test', lookup)
    name.resolve(0, () => undefined)
    answer('10.0.0.1')
    name.known(20_000)
    asked.shift()?.(new Error('SERVFAIL'), [])
    assert.deepEqual(name.known(20_001), ['10.0.0.1'])
  })

  await t.test('that does not exist is a fault, which is cached for a second', async () => {
    const { asked, lookup } = service()
    const name = new DnsEntry('up.test', lookup)
    const told: unknown[] = []
    name.resolve(5_000, (found) => told.push(found))
    asked.shift()?.(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), [])
    name.resolve(5_999, (found) => told.push(found))
    await Promise.resolve()
    assert.equal(asked.length, 0)
    for (const fault of told) {
      assert.ok(fault instanceof Fault)
      assert.deepEqual(
        [fault.status, fault.code, fault.message],
        [503, 'upstream_dns', 'backends required DNS resolution which failed'],
      )
    }
    assert.equal(told.length, 2)
    name.resolve(6_000, () => undefined)
    assert.equal(asked.length, 1)
  })

  await t.test('with an unreachable address is looked up again soon', () => {
    const { asked, lookup, answer } = service()
    const name = new DnsEntry('up.test', lookup)
    name.resolve(0, () => undefined)
    answer('10.0.0.1')
    name.doubt(2_000)
    name.known(2_500)
    assert.equal(asked.length, 0)
    name.known(3_001)
    assert.equal(asked.length, 1)
  })

  await t.test('is looked up in the hosts file as well', async () => {
    const addresses = await new Promise<readonly string[]>((resolve, reject) => {
      systemLookup('V4Only', true)('localhost', (error, found) => (error ? reject(error) : resolve(found)))
    })
    assert.deepEqual(addresses, ['127.0.0.1'])
  })
})
