import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { crc32c } from '../../../src/protocols/proxy-protocol/crc32c.ts'
import { encodeProxyV2 } from '../../support/encode-proxy-v2.ts'
import type { ProxyHeader } from '../../../src/protocols/proxy-protocol/proxy-header.ts'
import { readProxyHeader } from '../../../src/protocols/proxy-protocol/read-proxy-header.ts'

const parsed = (bytes: Buffer): ProxyHeader => {
  const reading = readProxyHeader(bytes)
  if (reading.kind !== 'parsed') assert.fail(reading.kind)
  return reading.header
}
const line = (text: string) => Buffer.from(text, 'latin1')
const kind = (bytes: Buffer, accept?: 'v1' | 'v2' | 'all') => readProxyHeader(bytes, accept).kind

/** Version 2 header with these bytes after the signature. */
const binary = (...bytes: number[]) => Buffer.concat([line('\r\n\r\n\0\r\nQUIT\n'), Buffer.from(bytes)])
const tcp4 = [10, 0, 0, 1, 10, 0, 0, 2, 0x30, 0x39, 0x01, 0xbb]

test('PROXY protocol version 1', async (t) => {
  await t.test('has both ends and the offset of the payload', () => {
    const text = 'PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n'
    const header = parsed(line(`${text}GET / HTTP/1.1\r\n`))
    assert.deepEqual(header, {
      version: 1,
      source: { address: '192.168.0.1', port: 56324 },
      destination: { address: '192.168.0.11', port: 443 },
      headerLength: text.length,
      tlvs: [],
      authority: undefined,
    })
    const six = parsed(line('PROXY TCP6 2001:DB8::1 ::1 0 65535\r\n'))
    assert.deepEqual(six.source, { address: '2001:db8::1', port: 0 })
    assert.deepEqual(six.destination, { address: '::1', port: 65535 })
  })

  await t.test('has no ends for an UNKNOWN connection', () => {
    for (const text of ['PROXY UNKNOWN\r\n', 'PROXY UNKNOWN ffff::1 x y z\r\n']) {
      const header = parsed(line(text))
      assert.deepEqual(
        [header.source, header.destination, header.headerLength],
        [undefined, undefined, text.length],
      )
    }
  })

  await t.test('waits for the end of the line, for 107 bytes at most', () => {
    const text = 'PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n'
    for (let length = 0; length < text.length; length++)
      assert.equal(kind(line(text.slice(0, length))), 'more')
    assert.equal(kind(line(`PROXY UNKNOWN ${'x'.repeat(92)}`)), 'more')
    assert.equal(parsed(line(`PROXY UNKNOWN ${'x'.repeat(91)}\r\n`)).headerLength, 107)
    assert.equal(kind(line(`PROXY UNKNOWN ${'x'.repeat(92)}\r\n`)), 'invalid')
    assert.equal(kind(line(`PROXY UNKNOWN ${'x'.repeat(500)}`)), 'invalid')
  })

  await t.test('refuses what its specification does not allow', () => {
    const table = [
      ...[
        '',
        ' ',
        'TCP4',
        'TCP5 1.1.1.1 2.2.2.2 1 2',
        'tcp4 1.1.1.1 2.2.2.2 1 2',
        'TCP4 1.1.1.1 2.2.2.2 1',
        'UNIX /a /b',
      ],
      ...[
        'TCP4 1.1.1.1 2.2.2.2 1 2 3',
        'TCP4  1.1.1.1 2.2.2.2 1 2',
        'TCP4 1.1.1.1 2.2.2.2 1 2 ',
        'TCP4 ::1 ::2 1 2',
      ],
      ...[
        'TCP6 1.1.1.1 2.2.2.2 1 2',
        'TCP4 1.1.1.1 2.2.2.2 01 2',
        'TCP4 1.1.1.1 2.2.2.2 65536 2',
        'TCP4 1.1.1.1 2.2.2.2 -1 2',
      ],
      ...[
        'TCP4 1.1.1.256 2.2.2.2 1 2',
        'TCP4 01.1.1.1 2.2.2.2 1 2',
        'TCP4 1.1.1.1 2.2.2.2 1 2\n',
        'TCP4\t1.1.1.1 2.2.2.2 1 2',
      ],
    ]
    assert.deepEqual(
      table.filter((text) => kind(line(`PROXY ${text}\r\n`)) !== 'invalid'),
      [],
    )
  })
})

test('PROXY protocol version 2', async (t) => {
  await t.test('has both ends, the extensions and the offset of the payload', () => {
    const authority = [0x02, 0, 9, ...Buffer.from('A.example')]
    const noop = [0x04, 0, 1, 0]
    const bytes = binary(0x21, 0x11, 0, 28, ...tcp4, ...noop, ...authority)
    const header = parsed(Buffer.concat([bytes, line('GET /')]))
    assert.deepEqual(header.source, { address: '10.0.0.1', port: 12345 })
    assert.deepEqual(header.destination, { address: '10.0.0.2', port: 443 })
    assert.deepEqual([header.version, header.headerLength, header.authority], [2, 44, 'a.example'])
    assert.deepEqual(header.tlvs, [{ type: 2, value: Buffer.from('A.example') }])
  })

  await t.test('is read as encodeProxyV2 writes it, for every family', () => {
    const ends = [
      [
        { address: '10.0.0.1', port: 1 },
        { address: '10.0.0.2', port: 65535 },
      ],
      [
        { address: '2001:db8::1', port: 1 },
        { address: '::', port: 0 },
      ],
      [{ path: '/run/a.sock' }, { path: '\0abstract' }],
    ] as const
    for (const [source, destination] of ends) {
      const header = parsed(
        encodeProxyV2({
          source,
          destination,
          checksum: true,
          tlvs: [{ type: 0xe0, value: Buffer.from('x') }],
        }),
      )
      assert.deepEqual([header.source, header.destination], [source, destination])
      assert.deepEqual(header.tlvs[0], { type: 0xe0, value: Buffer.from('x') })
    }
    assert.deepEqual(parsed(encodeProxyV2({})).source, undefined)
    assert.throws(() => encodeProxyV2({ source: { address: '10.0.0.1', port: 1 } }), RangeError)
  })

  await t.test('has no ends for a LOCAL or unspecified connection', () => {
    for (const bytes of [
      binary(0x20, 0, 0, 0),
      binary(0x20, 0x11, 0, 12, ...tcp4),
      binary(0x20, 0xff, 0, 1, 9),
      binary(0x21, 0, 0, 0),
    ]) {
      const header = parsed(bytes)
      assert.deepEqual(
        [header.source, header.destination, header.headerLength],
        [undefined, undefined, bytes.length],
      )
    }
  })

  await t.test('waits for the whole header, up to 4 KiB', () => {
    const bytes = binary(0x21, 0x11, 0, 12, ...tcp4)
    for (let length = 0; length < bytes.length; length++)
      assert.equal(kind(bytes.subarray(0, length)), 'more')
    assert.equal(kind(binary(0x21, 0x11, 0x0f, 0xf0)), 'more')
    assert.equal(kind(binary(0x21, 0x11, 0x0f, 0xf1)), 'invalid')
    assert.equal(kind(binary(0x21, 0x11, 0xff, 0xff)), 'invalid')
  })

  await t.test('refuses what its specification does not allow', () => {
    const hostile = {
      'version 1': binary(0x11, 0x11, 0, 12, ...tcp4),
      'unknown command': binary(0x22, 0x11, 0, 12, ...tcp4),
      'unknown family': binary(0x21, 0x41, 0, 12, ...tcp4),
      'unknown transport': binary(0x21, 0x13, 0, 12, ...tcp4),
      'family without transport': binary(0x21, 0x10, 0, 12, ...tcp4),
      'addresses cut off': binary(0x21, 0x11, 0, 11, ...tcp4.slice(1)),
      'IPv6 with the bytes of IPv4': binary(0x21, 0x21, 0, 12, ...tcp4),
      'extension without length': binary(0x21, 0x11, 0, 14, ...tcp4, 0x02, 0),
      'extension longer than the header': binary(0x21, 0x11, 0, 16, ...tcp4, 0x02, 0, 2, 97),
      'wrong checksum': binary(0x21, 0x11, 0, 19, ...tcp4, 0x03, 0, 4, 1, 2, 3, 4),
      'short checksum': binary(0x21, 0x11, 0, 16, ...tcp4, 0x03, 0, 1, 0),
    }
    for (const [what, bytes] of Object.entries(hostile)) assert.equal(kind(bytes), 'invalid', what)
  })

  await t.test('ignores an authority that is not a host', () => {
    const name = [...Buffer.from('a b/c')]
    assert.equal(parsed(binary(0x21, 0x11, 0, 20, ...tcp4, 0x02, 0, 5, ...name)).authority, undefined)
  })

  await t.test('checks the checksum over the whole header', () => {
    const given = {
      source: { address: '10.0.0.1', port: 1 },
      destination: { address: '10.0.0.2', port: 2 },
      checksum: true,
    }
    const bytes = encodeProxyV2(given)
    for (let i = 16; i < 28; i++) {
      const broken = Buffer.from(bytes)
      broken[i]! ^= 1
      assert.equal(kind(broken), 'invalid', `byte ${i}`)
    }
    assert.equal(crc32c(Buffer.from('123456789')), 0xe3069283)
  })
})

test('readProxyHeader', async (t) => {
  await t.test('detects a connection without a header, or with a version that is not accepted', () => {
    for (const text of [
      'GET / HTTP/1.1\r\n',
      'PROXX',
      'PRI * HTTP/2.0\r\n',
      '\x16\x03\x01',
      '\r\n\r\nGET',
      'proxy TCP4',
    ])
      assert.equal(kind(line(text)), 'absent', text)
    assert.equal(kind(line('PROXY UNKNOWN\r\n'), 'v2'), 'absent')
    assert.equal(kind(binary(0x20, 0, 0, 0), 'v1'), 'absent')
    assert.equal(kind(line('PROXY UNKNOWN\r\n'), 'v1'), 'parsed')
    assert.equal(kind(binary(0x20, 0, 0, 0), 'v2'), 'parsed')
  })

  await t.test('never throws, and never consumes more bytes than there are', () => {
    const start = fc.constantFrom(
      line(''),
      line('PROXY '),
      line('PROXY TCP4 '),
      binary(0x21),
      binary(0x21, 0x11, 0),
      binary(0x21, 0x31, 0),
    )
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 300 }), (head, tail) => {
        const bytes = Buffer.concat([head, tail])
        const reading = readProxyHeader(bytes)
        if (reading.kind === 'parsed') assert.ok(reading.header.headerLength <= bytes.length)
      }),
      { numRuns: 3000 },
    )
  })
})
