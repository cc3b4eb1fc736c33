import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Headers } from '../../../src/model/headers.ts'
import { clientAddress } from '../../../src/protocols/http/client-address.ts'
import { addressOf, formatForwarded, parseForwarded } from '../../../src/protocols/http/forwarded.ts'
import { type Arrival, effectiveArrival, setForwarding } from '../../../src/protocols/http/forwarding.ts'
import { parseIpRange } from '../../../src/protocols/ip/ip-range.ts'

const seen: Arrival = { address: '10.0.0.1', proto: 'http', host: 'gateway:3000' }
const ranges = ['10.0.0.0/8', 'fd00::/8'].map((text) => parseIpRange(text)!)

test('parseForwarded', async (t) => {
  await t.test('reads elements, quoted or not, and leaves extensions out', () => {
    const value =
      'For="[2001:db8::1]:4711";proto=https;host="a.example:8443" , for=192.0.2.43;by=_me;x="a,b;c\\"d",, for=unknown'
    assert.deepEqual(parseForwarded(value), [
      { for: '[2001:db8::1]:4711', host: 'a.example:8443', proto: 'https' },
      { for: '192.0.2.43', by: '_me' },
      { for: 'unknown' },
    ])
    assert.deepEqual(parseForwarded('for=192.0.2.43:80'), [{ for: '192.0.2.43:80' }])
    assert.deepEqual(parseForwarded(''), [])
  })

  await t.test('takes no part of a malformed value', () => {
    const malformed = [
      'for',
      'for=',
      '=a',
      'for="a',
      'for="a"b',
      'for=a;for=b',
      'for=a b',
      'f r=a',
      'for="a\\',
      'for=a, "',
      'for=<a>',
    ]
    assert.deepEqual(
      malformed.filter((value) => parseForwarded(value)),
      [],
    )
  })

  await t.test('reads what formatForwarded wrote', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '1', '.', ':', '[', '"', '\\', ',', ';', '=', ' '),
      minLength: 1,
    })
    fc.assert(
      fc.property(
        fc.record(
          { for: text, by: text, host: text, proto: text },
          { requiredKeys: ['for'], noNullPrototype: true },
        ),
        (element) => {
          assert.deepEqual(parseForwarded(`for=x, ${formatForwarded(element)}, for=y`), [
            { for: 'x' },
            element,
            { for: 'y' },
          ])
        },
      ),
    )
  })
})

test('addressOf finds the address in an entry, and nothing in anything else', () => {
  const table = {
    '10.0.0.1': '10.0.0.1',
    '10.0.0.1:80': '10.0.0.1',
    '::1': '::1',
    '[::1]': '::1',
    '[::1]:80': '::1',
    unknown: undefined,
    _hidden: undefined,
    'a.example': undefined,
    '': undefined,
    '10.0.0.1:0': undefined,
    '010.0.0.1': undefined,
  }
  assert.deepEqual(Object.fromEntries(Object.keys(table).map((entry) => [entry, addressOf(entry)])), table)
})

test('clientAddress', async (t) => {
  const chain = ['6.6.6.6', '203.0.113.7', '10.0.0.2']

  await t.test('believes nobody unless told to', () => {
    assert.deepEqual(clientAddress('10.0.0.1', chain, {}), { address: '10.0.0.1', proxies: 0 })
    assert.deepEqual(clientAddress('10.0.0.1', chain, { hops: 0 }), { address: '10.0.0.1', proxies: 0 })
  })

  await t.test('goes back as many hops as are trusted', () => {
    assert.deepEqual(clientAddress('10.0.0.1', chain, { hops: 1 }), { address: '10.0.0.2', proxies: 1 })
    assert.deepEqual(clientAddress('10.0.0.1', chain, { hops: 2 }), { address: '203.0.113.7', proxies: 2 })
    assert.equal(clientAddress('10.0.0.1', chain, { hops: 9 }).address, '6.6.6.6')
    assert.equal(clientAddress('10.0.0.1', [], { hops: 2 }).address, '10.0.0.1')
  })

  await t.test('goes back while the address lies in a trusted range', () => {
    assert.deepEqual(clientAddress('10.0.0.1', chain, { ranges }), { address: '203.0.113.7', proxies: 2 })
    assert.deepEqual(clientAddress('8.8.8.8', chain, { ranges }), { address: '8.8.8.8', proxies: 0 })
    assert.equal(clientAddress('::ffff:10.0.0.1', ['1.1.1.1', 'fd00::1'], { ranges }).address, '1.1.1.1')
  })

  await t.test('stops at an entry that is no address', () => {
    assert.equal(clientAddress('10.0.0.1', ['1.1.1.1', undefined], { hops: 2 }).address, '10.0.0.1')
    assert.equal(clientAddress('10.0.0.1', [undefined, '10.0.0.2'], { ranges }).address, '10.0.0.2')
  })
})

test('effectiveArrival', async (t) => {
  const forged = Headers.of({
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
    forwarded: 'for=6.6.6.6;proto=https;host=evil.example',
  })

  await t.test('does not look at what a client says', () => {
    assert.equal(effectiveArrival(forged, seen, {}), seen)
    assert.equal(effectiveArrival(forged, seen, { hops: 0 }), seen)
    assert.deepEqual(effectiveArrival(forged, { ...seen, address: '8.8.8.8' }, { ranges }), {
      ...seen,
      address: '8.8.8.8',
    })
    assert.deepEqual(
      effectiveArrival(forged, { ...seen, address: '8.8.8.8' }, { ranges, from: 'forwarded' }).host,
      seen.host,
    )
  })

  await t.test('is what the outermost trusted proxy saw', () => {
    const headers = Headers.of({
      'x-forwarded-for': ['6.6.6.6, 203.0.113.7', '10.0.0.2:1234'],
      'x-forwarded-proto': 'HTTPS',
      'x-forwarded-host': 'evil.example, Shop.Example, inner',
    })
    const expected = { address: '203.0.113.7', proto: 'https', host: 'shop.example' }
    assert.deepEqual(effectiveArrival(headers, seen, { hops: 2 }), expected)
    assert.deepEqual(effectiveArrival(headers, seen, { ranges }), expected)
  })

  await t.test('reads only the field that the trusted proxies write', () => {
    const headers = Headers.of({
      'x-forwarded-for': '6.6.6.6',
      forwarded: 'for=6.6.6.6, for="[2001:db8::1]:9";proto=https;host=A.example',
    })
    const arrival = effectiveArrival(headers, seen, { hops: 1, from: 'forwarded' })
    assert.deepEqual(arrival, { address: '2001:db8::1', proto: 'https', host: 'a.example' })
  })

  await t.test('falls back to what was seen here for values that are malformed or missing', () => {
    const headers = Headers.of({
      'x-forwarded-for': 'unknown',
      'x-forwarded-proto': 'javascript',
      'x-forwarded-host': 'a b',
    })
    assert.deepEqual(effectiveArrival(headers, seen, { hops: 1 }), seen)
    assert.deepEqual(
      effectiveArrival(Headers.of({ forwarded: 'for="' }), seen, { hops: 1, from: 'forwarded' }),
      seen,
    )
    const protoOnly = Headers.of({ 'x-forwarded-proto': 'https' })
    assert.deepEqual(effectiveArrival(protoOnly, seen, { hops: 1 }), { ...seen, proto: 'https' })
  })
})

test('setForwarding', async (t) => {
  const set = (
    given: Record<string, string | string[]>,
    rules: Parameters<typeof setForwarding>[2],
    from = seen,
  ) => {
    const headers = Headers.of(given)
    setForwarding(headers, from, rules)
    return Object.fromEntries(headers.entries())
  }

  await t.test('says what was seen here where nothing was said', () => {
    const expected = {
      'x-forwarded-for': '10.0.0.1',
      forwarded: 'for=10.0.0.1;host="gateway:3000";proto=http',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'gateway:3000',
    }
    assert.deepEqual(set({}, { mode: 'append' }), expected)
    assert.deepEqual(set({}, { mode: 'overwrite' }), expected)
  })

  await t.test('appends this hop, and replaces the proto and host that nobody trusted wrote', () => {
    const given = {
      'x-forwarded-for': ['6.6.6.6', '7.7.7.7'],
      forwarded: 'for=6.6.6.6;secret=x',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil.example',
    }
    assert.deepEqual(set(given, { mode: 'append' }, { ...seen, address: 'fd00::1' }), {
      'x-forwarded-for': '6.6.6.6, 7.7.7.7, fd00::1',
      forwarded: 'for=6.6.6.6;secret=x, for="[fd00::1]";host="gateway:3000";proto=http',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'gateway:3000',
    })
  })

  await t.test('keeps the proto and host of a trusted proxy', () => {
    const given = {
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'shop.example',
    }
    const appended = set(given, { mode: 'append', hops: 1 })
    assert.equal(appended['x-forwarded-for'], '203.0.113.7, 10.0.0.1')
    assert.deepEqual([appended['x-forwarded-proto'], appended['x-forwarded-host']], ['https', 'shop.example'])
  })

  await t.test('overwrites with the client alone', () => {
    const given = {
      'x-forwarded-for': '6.6.6.6, 203.0.113.7',
      'x-forwarded-proto': 'https',
      forwarded: 'for=6.6.6.6',
    }
    const overwritten = set(given, { mode: 'overwrite', hops: 1 })
    assert.equal(overwritten['x-forwarded-for'], '203.0.113.7')
    assert.equal(overwritten.forwarded, 'for=203.0.113.7;host="gateway:3000";proto=https')
    assert.equal(set(given, { mode: 'overwrite' })['x-forwarded-for'], '10.0.0.1')
  })

  await t.test('appends nothing to a malformed Forwarded', () => {
    const headers = set({ forwarded: 'for="6.6.6.6' }, { mode: 'append' })
    assert.equal(headers.forwarded, 'for=10.0.0.1;host="gateway:3000";proto=http')
  })
})
