import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { type ConnectionOptions, connect } from 'node:tls'
import fc from 'fast-check'
import { readClientHello } from '../../../src/protocols/tls/client-hello.ts'

/** The first bytes of Node's own TLS client. */
const clientHello = async (options: ConnectionOptions): Promise<Buffer> => {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _, done) => {
      done()
      resolve(chunk)
    },
  })
  const client = connect({ ...options, socket }).on('error', () => undefined)
  return promise.finally(() => client.destroy())
}

const found = (bytes: Buffer) => {
  const reading = readClientHello(bytes)
  if (reading.kind !== 'found') assert.fail(reading.kind)
  return reading.hello
}

/** The same handshake bytes in records of at most `size` bytes. */
const fragmented = (hello: Buffer, size: number): Buffer => {
  const message = hello.subarray(5)
  const records: Buffer[] = []
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size)
    const head = Buffer.from([22, 3, 1, 0, 0])
    head.writeUInt16BE(part.length, 3)
    records.push(head, part)
  }
  return Buffer.concat(records)
}

const sized = (size: 1 | 2, body: Buffer) => {
  const head = Buffer.alloc(size)
  head.writeUIntBE(body.length, 0, size)
  return Buffer.concat([head, body])
}
const extension = (type: number, body: Buffer) =>
  Buffer.concat([Buffer.from([type >> 8, type & 255]), sized(2, body)])
const serverName = (name: string, type = 0) =>
  extension(0, sized(2, Buffer.concat([Buffer.from([type]), sized(2, Buffer.from(name, 'latin1'))])))
const handmade = (...extensions: Buffer[]) => {
  const body = Buffer.concat([
    Buffer.alloc(34),
    Buffer.from([0, 0, 2, 0x13, 1, 1, 0]),
    sized(2, Buffer.concat(extensions)),
  ])
  return fragmented(Buffer.concat([Buffer.alloc(5), Buffer.from([1, 0]), sized(2, body)]), 16_384)
}

test('readClientHello', async (t) => {
  const bytes = await clientHello({ servername: 'Shop.Example', ALPNProtocols: ['h2', 'http/1.1'] })

  await t.test('finds the server name and the protocols of a real client', async () => {
    assert.deepEqual(found(bytes), { serverName: 'shop.example', alpn: ['h2', 'http/1.1'] })
    assert.deepEqual(found(await clientHello({ host: '127.0.0.1' })), { serverName: undefined, alpn: [] })
    const old = await clientHello({ servername: 'a.example', maxVersion: 'TLSv1.2' })
    assert.equal(found(old).serverName, 'a.example')
  })

  await t.test('requests more bytes until it is complete, and ignores what follows', () => {
    for (let length = 0; length < bytes.length; length++)
      assert.equal(readClientHello(bytes.subarray(0, length)).kind, 'more')
    assert.equal(found(Buffer.concat([bytes, Buffer.from('anything')])).serverName, 'shop.example')
  })

  await t.test('reassembles a ClientHello from several records', () => {
    for (const size of [60, 100, bytes.length - 6]) {
      const split = fragmented(bytes, size)
      assert.deepEqual(found(split), found(bytes))
      for (let length = 0; length < split.length; length++)
        assert.equal(readClientHello(split.subarray(0, length)).kind, 'more')
    }
    const tinyStart = Buffer.concat([
      fragmented(bytes.subarray(0, 8), 1),
      fragmented(Buffer.concat([Buffer.alloc(5), bytes.subarray(8)]), 500),
    ])
    assert.equal(found(tinyStart).serverName, 'shop.example')
  })

  await t.test('stops at 64 records and at 16 KiB', () => {
    assert.equal(readClientHello(fragmented(bytes, 1)).kind, 'invalid')
    assert.equal(readClientHello(Buffer.from([22, 3, 1, 0x40, 0, 1, 0, 0x40, 0])).kind, 'invalid')
    assert.equal(readClientHello(Buffer.from([22, 3, 1, 0x40, 0, 1, 0, 0x3f, 0xfc])).kind, 'more')
  })

  await t.test('refuses other data at its first wrong byte', () => {
    const hostile = [
      'GET / HTTP/1.1',
      '\x80',
      '\x16\x02',
      '\x16\x03\x01\x00\x00',
      '\x16\x03\x01\x40\x01',
      '\x16\x03\x03\x00\x04\x02\x00\x00\x00',
      '\x15\x03\x01',
    ]
    assert.deepEqual(
      hostile.filter((text) => readClientHello(Buffer.from(text, 'latin1')).kind !== 'invalid'),
      [],
    )
  })

  await t.test('reads valid server names, and refuses others', () => {
    assert.equal(found(handmade(serverName('A.b-c_d.'))).serverName, 'a.b-c_d')
    assert.deepEqual(found(handmade()), { serverName: undefined, alpn: [] })
    const names = ['', '.', 'a..b', 'a b', 'a\0b', 'a/b', 'a:80', '\u00e4', 'a'.repeat(255), '*.a']
    assert.deepEqual(
      names.filter((name) => readClientHello(handmade(serverName(name))).kind !== 'invalid'),
      [],
    )
  })

  await t.test('refuses extensions that are malformed or repeated', () => {
    const broken = {
      'two names': handmade(serverName('a'), serverName('b')),
      'a name of an unknown type': handmade(serverName('a', 1)),
      'an empty name list': handmade(extension(0, Buffer.from([0, 0]))),
      'two names in one list': handmade(extension(0, sized(2, Buffer.from([0, 0, 1, 97, 0, 0, 1, 98])))),
      'a name cut off': handmade(extension(0, Buffer.from([0, 5, 0, 0, 9, 97]))),
      'an empty protocol': handmade(extension(16, Buffer.from([0, 1, 0]))),
      'no protocol': handmade(extension(16, Buffer.from([0, 0]))),
      'a protocol cut off': handmade(extension(16, Buffer.from([0, 2, 5, 97]))),
      'an extension cut off': handmade(Buffer.from([0, 5, 0, 9, 1])),
    }
    for (const [what, hello] of Object.entries(broken))
      assert.equal(readClientHello(hello).kind, 'invalid', what)
  })

  await t.test('never throws for changed bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 4 }), (changes) => {
        const changed = Buffer.from(bytes)
        for (const [at, value] of changes) changed[at] = value
        assert.ok(['more', 'invalid', 'found'].includes(readClientHello(changed).kind))
      }),
      { numRuns: 2000 },
    )
  })
})
