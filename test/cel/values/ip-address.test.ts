import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseCelIp, parseCelIpRange } from '../../../src/cel/values/ip-address.ts'

test('IP addresses', async (t) => {
  await t.test('are accepted if Node accepts them', () => {
    const nearly = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4Extended(),
      fc
        .array(fc.constantFrom('0', '1', 'ff', 'fffff', ':', '::', '.', '255', '256', '01', '%1'), {
          maxLength: 12,
        })
        .map((a) => a.join('')),
    )
    fc.assert(
      fc.property(nearly, (text) => {
        // Node accepts zones, which are not allowed in address rules.
        const expected = text.includes('%') ? 0 : isIP(text)
        assert.equal(parseCelIp(text) !== undefined, expected !== 0, text)
      }),
      { numRuns: 5_000, seed: 7 },
    )
  })

  await t.test('are formatted by RFC 5952, and parsed back to the same value', () => {
    const texts = [
      '::',
      '::1',
      '1::',
      '2001:db8::1',
      '2001:0:0:1::1',
      '1:0:2:3:4:5:6:7',
      'fe80::1:0:0:1',
      '10.0.0.1',
    ]
    assert.deepEqual(
      texts.map((text) => parseCelIp(text)?.toString()),
      texts,
    )
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const address = parseCelIp(text)
        assert.deepEqual(parseCelIp(address?.toString() ?? ''), address)
      }),
    )
  })

  await t.test('of IPv4 mapped into IPv6 are IPv4', () => {
    assert.deepEqual(parseCelIp('::ffff:10.0.0.1'), parseCelIp('10.0.0.1'))
    assert.deepEqual(parseCelIp('::ffff:0a00:1'), parseCelIp('10.0.0.1'))
    assert.equal(parseCelIpRange('::ffff:10.0.0.0/104')?.toString(), '10.0.0.0/8')
    assert.equal(parseCelIpRange('::ffff:10.0.0.0/95'), undefined)
  })

  await t.test('match ranges by their prefix bits', () => {
    const contains = (range: string, address: string) =>
      parseCelIpRange(range)!.containsIp(parseCelIp(address)!)
    assert.ok(contains('0.0.0.0/0', '1.2.3.4') && !contains('0.0.0.0/0', '::1'))
    assert.ok(contains('192.0.2.128/25', '192.0.2.255') && !contains('192.0.2.128/25', '192.0.2.127'))
    assert.ok(contains('2001:db8::/33', '2001:db8:7fff::') && !contains('2001:db8::/33', '2001:db8:8000::'))
    assert.ok(contains('10.0.0.1/32', '10.0.0.1') && !contains('10.0.0.1/32', '10.0.0.0'))
  })

  await t.test('form no range with an invalid prefix length', () => {
    for (const text of ['10.0.0.0', '10.0.0.0/', '10.0.0.0/33', '::/129', '10.0.0.0/-1', '10.0.0.0/8x', '/8'])
      assert.equal(parseCelIpRange(text), undefined, text)
  })
})
