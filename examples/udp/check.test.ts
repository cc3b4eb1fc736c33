import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startExample } from '../../test/support/example.ts'
import { RawClient } from '../../test/support/raw-client.ts'
import { UdpClientSocket, udpServer } from '../../test/support/udp.ts'
import { rawServer } from '../../test/support/upstream-servers.ts'

test('examples/udp', async (t) => {
  // One server has the port number for both, so that one variable names it.
  await using connections = await rawServer((socket) => socket.end('first, by TCP'))
  await using first = await udpServer(
    (_, from, socket) => socket.send('first', from.port, from.address),
    connections.port,
  )
  await using second = await udpServer((_, from, socket) => socket.send('second', from.port, from.address))
  await using daemon = await startExample('udp', {
    FIRST: `127.0.0.1:${first.port}`,
    SECOND: `127.0.0.1:${second.port}`,
  })
  const portOf = (scheme: string) =>
    Number(new RegExp(`dns listens on ${scheme}://\\S+:(\\d+)`).exec(daemon.output())?.[1])

  await t.test('sends three of four clients to the first name server', async () => {
    const responses: string[] = []
    for (let i = 0; i < 4; i++) {
      using client = await UdpClientSocket.to(portOf('udp'))
      responses.push(String(await client.ask('?')))
    }
    assert.deepEqual(responses.sort(), ['first', 'first', 'first', 'second'])
  })

  await t.test('serves connections at the same port number', async () => {
    using client = await RawClient.to(portOf('http'))
    assert.equal(await client.end(), 'first, by TCP')
  })
})
