import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatIp, parseIp } from '../../../src/protocols/ip/ip-address.ts'
import { ipRangeContains, parseIpRange } from '../../../src/protocols/ip/ip-range.ts'

test('parseIp', async (t) => {
  await t.test('parses addresses, and formatIp writes the canonical text', () => {
    const table = {
      '127.0.0.1': '127.0.0.1',
      '0.0.0.0': '0.0.0.0',
      '::': '::',
      '::1': '::1',
      '1::': '1::',
      '2001:DB8:0:0:0:0:0:1': '2001:db8::1',
      '2001:db8:0:1:0:0:0:1': '2001:db8:0:1::1',
      '1:0:2:0:3:0:4:0': '1:0:2:0:3:0:4:0',
      '::ffff:10.1.2.3': '::ffff:10.1.2.3',
      '::ffff:a01:203': '::ffff:10.1.2.3',
      '1:2:3:4:5:6:7:8': '1:2:3:4:5:6:7:8',
      '1:2:3:4:5:6:7::': '1:2:3:4:5:6:7:0',
    }
    const written = Object.keys(table).map((text) => [text, formatIp(parseIp(text) ?? new Uint8Array())])
    assert.deepEqual(Object.fromEntries(written), table)
  })

  await t.test('expands :: to at least one group', () => {
    assert.equal(parseIp('1:2:3:4::5:6:7:8'), undefined)
    assert.equal(parseIp('1:2:3::4:5:6:7')?.length, 16)
  })

  await t.test('agrees with Node about valid addresses', () => {
    const part = fc.constantFrom(
      '0',
      '1',
      '255',
      '256',
      '01',
      'a',
      'ffff',
      '10000',
      ':',
      '::',
      '.',
      '%1',
      '1.2.3.4',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 16 }), (parts) => {
        const text = parts.join('')
        const length = parseIp(text)?.length
        // Zone identifiers are local to one machine, and refused here.
        assert.equal(length === 4 ? 4 : length === 16 ? 6 : 0, text.includes('%') ? 0 : isIP(text), text)
      }),
      { numRuns: 5000 },
    )
  })

  await t.test('parses the output of formatIp', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      fc
        .array(fc.constantFrom(0, 0, 1, 255), { minLength: 16, maxLength: 16 })
        .map((list) => Uint8Array.from(list)),
    )
    fc.assert(fc.property(bytes, (given) => assert.deepEqual(parseIp(formatIp(given)), given)))
  })
})

test('ipRangeContains', async (t) => {
  const inside = (range: string, address: string) => ipRangeContains(parseIpRange(range)!, parseIp(address)!)

  await t.test('compares only the bits of the prefix', () => {
    assert.ok(inside('10.0.0.0/8', '10.255.0.1'))
    assert.ok(!inside('10.0.0.0/8', '11.0.0.1'))
    assert.ok(inside('192.168.1.128/25', '192.168.1.200'))
    assert.ok(!inside('192.168.1.128/25', '192.168.1.100'))
    assert.ok(inside('0.0.0.0/0', '8.8.8.8'))
    assert.ok(inside('127.0.0.1', '127.0.0.1'))
    assert.ok(!inside('127.0.0.1', '127.0.0.2'))
    assert.ok(inside('fd00::/8', 'fdab::1'))
    assert.ok(!inside('fd00::/8', 'fe80::1'))
  })

  await t.test('treats a mapped address as its IPv4 address', () => {
    assert.ok(inside('10.0.0.0/8', '::ffff:10.1.1.1'))
    assert.ok(inside('::ffff:10.0.0.0/104', '10.1.1.1'))
    assert.ok(inside('::ffff:10.0.0.0/64', '::1'))
    assert.ok(!inside('::/0', '10.1.1.1'))
    assert.ok(!inside('10.0.0.0/8', '::10.1.1.1'))
  })

  await t.test('has no range for invalid text', () => {
    const nonsense = [
      '',
      '/',
      '10.0.0.0/',
      '10.0.0.0/33',
      '10.0.0.0/08',
      '10.0.0.0/-1',
      '::/129',
      'a/8',
      '10.0.0/8',
      '1.2.3.4/8/8',
    ]
    assert.deepEqual(
      nonsense.filter((text) => parseIpRange(text)),
      [],
    )
  })
})
