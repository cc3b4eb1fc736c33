import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fetchKeySet } from '../../../../src/controller/sinks/jwks/fetch-key-set.ts'
import { isFetchAddress } from '../../../../src/controller/sinks/jwks/fetch-guard.ts'

const serve = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const { signal } = new AbortController()
const everywhere = () => true

test('a key set is given as its text', async () => {
  await using server = await serve((request, response) => {
    assert.equal(request.url, '/keys?a=b')
    assert.equal(request.headers.authorization, undefined)
    response.end('{ "keys": [] }')
  })
  const url = `http://127.0.0.1:${server.port}/keys?a=b`
  assert.equal(await fetchKeySet({ url }, signal, everywhere), '{ "keys": [] }')
})

const responses: Readonly<Record<string, readonly [RequestListener, RegExp]>> = {
  'a redirect is not followed': [
    (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    /it answered with status 302/,
  ],
  'an error is none': [(_, response) => response.writeHead(500).end('{"keys":[]}'), /status 500/],
  'a page is none': [(_, response) => response.end('<html>'), /no key set/],
  'a list of keys is none': [(_, response) => response.end('[]'), /no key set/],
  'an endless document is not read to its end': [
    (_, response) => {
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    },
    /more than 1048576 bytes/,
  ],
}
for (const [name, [listener, message]] of Object.entries(responses))
  test(name, async () => {
    await using server = await serve(listener)
    await assert.rejects(
      fetchKeySet({ url: `http://127.0.0.1:${server.port}/` }, signal, everywhere),
      message,
    )
  })

test('this machine is not asked, by its address or by a name', async () => {
  let requests = 0
  await using server = await serve((_, response) => {
    requests++
    response.end('{"keys":[]}')
  })
  for (const host of [
    '127.0.0.1',
    '127.1',
    '0x7f000001',
    '2130706433',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
  ])
    await assert.rejects(
      fetchKeySet({ url: `http://${host}:${server.port}/` }, signal),
      /address that keys are not fetched from/,
      host,
    )
  await assert.rejects(
    fetchKeySet({ url: `http://localhost:${server.port}/` }, signal),
    /localhost has no address that keys are fetched from/,
  )
  assert.equal(requests, 0)
})

test('addresses of links and of the metadata of clouds are refused', () => {
  for (const address of [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '::127.0.0.1',
    '::ffff:168.63.129.16',
    '0.0.0.0',
    '224.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fe80::1%eth0',
    '2002:7f00:1::1',
    '64:ff9b::168.63.129.16',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::7f00:1',
    '64:ff9b::100.100.100.200',
    'name',
  ])
    assert.equal(isFetchAddress(address), false, address)
  for (const address of ['10.0.0.1', '93.184.216.34', '192.168.1.1', 'fd00::1', '2001:db8::1'])
    assert.equal(isFetchAddress(address), true, address)
})
