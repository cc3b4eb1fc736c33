import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { CredentialFault } from '../../../src/upstream/credentials/credential-fault.ts'
import { gcpToken } from '../../../src/upstream/credentials/gcp-token.ts'
import { CLOUD_TIMEOUT_MS, within } from '../../../src/upstream/credentials/issue-token.ts'

test('within', async (t) => {
  await t.test('returns a result in time', async () => {
    assert.equal(await within('A cloud', Promise.resolve('token'), 1_000), 'token')
  })

  await t.test('waits for five seconds at most', async () => {
    const never = new Promise<string>(() => undefined)
    await assert.rejects(within('A cloud', never, 20), {
      message: 'backend authentication failed: A cloud gave no credentials within 0.02 s',
    })
    assert.equal(CLOUD_TIMEOUT_MS, 5_000)
  })

  await t.test('hides error texts of a library', async () => {
    const cause = new Error('the secret s3cr3t is wrong')
    await assert.rejects(within('A cloud', Promise.reject(cause)), (fault: CredentialFault) => {
      assert.equal(fault.message, 'backend authentication failed: A cloud gave no credentials')
      assert.equal(fault.cause, cause)
      return true
    })
    const own = new CredentialFault('said by us')
    await assert.rejects(within('A cloud', Promise.reject(own)), own)
  })

  await t.test('fails with a server that accepts the connection and sends nothing', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => sockets.push(socket.on('error', () => undefined))).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    process.env.GCE_METADATA_HOST = `127.0.0.1:${(server.address() as AddressInfo).port}`
    process.env.METADATA_SERVER_DETECTION = 'assume-present'
    const began = performance.now()
    try {
      await assert.rejects(gcpToken({ type: 'accessToken' })(undefined), CredentialFault)
      assert.ok(performance.now() - began < 15_000)
    } finally {
      delete process.env.GCE_METADATA_HOST
      delete process.env.METADATA_SERVER_DETECTION
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  })
})
