import assert from 'node:assert/strict'
import { test } from 'node:test'
import { respond } from '../../../src/model/exchange/reply.ts'
import { replying, type FrontendParts, startGateway } from '../../support/gateway.ts'
import { get as h2Get, frameType, headers, RawHttp2Client } from '../../support/h2-client.ts'
import { RawClient, statusesIn } from '../../support/raw-client.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
const v1 = 'PROXY TCP4 192.0.2.1 198.51.100.2 1234 443\r\n'
const signature = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a])
const v2 = Buffer.concat([
  signature,
  Buffer.from([0x21, 0x11, 0, 12, 192, 0, 2, 1, 198, 51, 100, 2, 0x04, 0xd2, 0x01, 0xbb]),
])
const local = Buffer.concat([signature, Buffer.from([0x20, 0, 0, 0])])

type Policy = NonNullable<FrontendParts['proxyProtocol']>

const serving = (policy: Policy) =>
  startGateway([
    {
      frontend: { proxyProtocol: policy },
      listeners: [
        {
          pipeline: replying((x) => {
            const { sourceAddress, sourcePort, rawAddress, destinationAddress, destinationPort } =
              x.request.connection
            return respond(
              200,
              [sourceAddress, sourcePort, rawAddress, destinationAddress, destinationPort].join(' '),
            )
          }),
        },
      ],
    },
  ])

const ask = async (policy: Policy, ...parts: readonly (string | Buffer)[]): Promise<string> => {
  await using gateway = await serving(policy)
  using client = await RawClient.to(gateway.port())
  for (const part of parts) {
    client.send(part)
    // So that each arrives in its own packet.
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const answer = await client.end()
  return answer.slice(answer.indexOf('\r\n\r\n') + 4)
}

test('PROXY protocol', async (t) => {
  const told = '192.0.2.1 1234 127.0.0.1 198.51.100.2 443'

  await t.test('sets the addresses of the client, in either version', async () => {
    assert.equal(await ask({ version: 'all', mode: 'strict' }, v1 + get), told)
    assert.equal(await ask({ version: 'all', mode: 'strict' }, Buffer.concat([v2, Buffer.from(get)])), told)
  })

  await t.test('may arrive in pieces', async () => {
    assert.equal(await ask({ version: 'v1', mode: 'strict' }, v1.slice(0, 3), v1.slice(3), get), told)
    assert.equal(await ask({ version: 'v2', mode: 'strict' }, v2.subarray(0, 5), v2.subarray(5), get), told)
  })

  await t.test('keeps the addresses of the proxy for LOCAL connections', async () => {
    const answer = await ask({ version: 'v2', mode: 'strict' }, Buffer.concat([local, Buffer.from(get)]))
    assert.match(answer, /^127\.0\.0\.1 \d+ 127\.0\.0\.1 127\.0\.0\.1 \d+$/)
  })

  await t.test('is required if it is strict', async () => {
    assert.equal(await ask({ version: 'v2', mode: 'strict' }, get), '')
    assert.equal(await ask({ version: 'v2', mode: 'strict' }, v1 + get), '')
  })

  await t.test('is optional if configured', async () => {
    assert.match(await ask({ version: 'all', mode: 'optional' }, get), /^127\.0\.0\.1 /)
    assert.equal(await ask({ version: 'all', mode: 'optional' }, v1 + get), told)
  })

  await t.test('that is malformed closes the connection', async () => {
    assert.equal(await ask({ version: 'all', mode: 'optional' }, `PROXY TCP4 nonsense\r\n${get}`), '')
  })

  await t.test('is refused on a bind without it', async () => {
    await using gateway = await startGateway([
      { listeners: [{ pipeline: replying(() => respond(200, 'ok')) }] },
    ])
    using client = await RawClient.to(gateway.port())
    client.send(v1 + get)
    assert.deepEqual(statusesIn(await client.end()), [400])
  })

  await t.test('precedes HTTP/2 as well', async () => {
    await using gateway = await serving({ version: 'v1', mode: 'strict' })
    using client = new RawHttp2Client(gateway.port(), v1)
    client.send(headers(1, h2Get()))
    const data = await client.until(({ type, stream }) => type === frameType.data && stream === 1)
    assert.equal(String(data?.payload), told)
  })
})
