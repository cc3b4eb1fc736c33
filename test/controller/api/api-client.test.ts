import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { firstValueFrom } from 'rxjs'
import { ApiClient } from '../../../src/controller/api/api-client.ts'
import { ApiFailure } from '../../../src/controller/api/api-failure.ts'
import { ClusterAccess, loadClusterAccess } from '../../../src/controller/api/cluster-access.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { freePort } from '../../support/free-port.ts'
import { configOf, startScriptedApi } from '../support/scripted-api.ts'

const get = (client: ApiClient, timeoutMs = 10_000) =>
  firstValueFrom(client.request({ method: 'GET', path: '/version', timeoutMs }))

const failure = async (promise: Promise<unknown>): Promise<ApiFailure> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ApiFailure, String(error))
  return error
}

test('requests fail with what the API server says', async (t) => {
  await using api = await startScriptedApi({ responseBytes: 1_000 })

  await t.test('as a Status', async () => {
    const failing = failure(get(api.client))
    ;(await api.calls.next()).fail(403, 'Forbidden', 'pods is forbidden')
    const { status, reason, message } = await failing
    assert.deepEqual([status, reason, message], [403, 'Forbidden', 'pods is forbidden'])
  })

  await t.test('as anything else', async () => {
    const failing = failure(get(api.client))
    ;(await api.calls.next()).json('bad gateway', 502, { 'retry-after': '7' })
    const { status, reason, retryAfterMs } = await failing
    assert.deepEqual([status, reason, retryAfterMs], [502, 'Http502', 7_000])
  })

  await t.test('not at all', async () => {
    const failing = failure(get(api.client))
    ;(await api.calls.next()).cut()
    assert.equal((await failing).reason, 'Unreachable')
  })

  await t.test('too late', async () => {
    const failing = failure(get(api.client, 1_000)) // long enough to be sent on a busy machine
    const call = await api.calls.next()
    assert.equal((await failing).reason, 'Timeout')
    await call.closed
  })

  await t.test('without JSON, whose text is not in the message', async () => {
    const failing = failure(get(api.client))
    const call = await api.calls.next()
    call.write('"secret')
    call.end()
    const { reason, message } = await failing
    assert.equal(reason, 'Malformed')
    assert.doesNotMatch(message, /secret/)
  })

  await t.test('at too great length', async () => {
    const failing = failure(get(api.client))
    ;(await api.calls.next()).json('x'.repeat(2_000))
    assert.equal((await failing).reason, 'TooLarge')
  })
})

test('unsubscribing aborts a request', async () => {
  await using api = await startScriptedApi()
  const subscription = api.client.request({ method: 'GET', path: '/version' }).subscribe()
  const call = await api.calls.next()
  subscription.unsubscribe()
  await call.closed
})

test('proxies of the environment are not used', async () => {
  const before = process.env.HTTP_PROXY
  process.env.HTTP_PROXY = `http://127.0.0.1:${await freePort()}`
  try {
    await using api = await startScriptedApi()
    const response = get(api.client)
    ;(await api.calls.next()).json({ ok: true })
    assert.deepEqual(await response, { ok: true })
  } finally {
    if (before === undefined) delete process.env.HTTP_PROXY
    else process.env.HTTP_PROXY = before
  }
})

test('credentials', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'credentials-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const withUser = async (user: object) => {
    const api = await startScriptedApi()
    return { api, client: new ApiClient(new ClusterAccess(configOf(api.origin, user))) }
  }

  await t.test('come from a token file', async () => {
    const tokenFile = join(folder, 'token')
    writeFileSync(tokenFile, 'from-the-file\n')
    const { api, client } = await withUser({ authProvider: { name: 'tokenFile', config: { tokenFile } } })
    const response = get(client)
    const call = await api.calls.next()
    assert.equal(call.headers.authorization, 'Bearer from-the-file')
    call.json({})
    await response
    await client.close()
    await api[Symbol.asyncDispose]()
  })

  await t.test('come from an exec plugin, and a plugin that fails is a failure', async () => {
    const command = join(folder, 'plugin')
    const credential = { status: { token: 'from-the-plugin' } }
    writeFileSync(command, `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`)
    chmodSync(command, 0o700)
    const { api, client } = await withUser({ exec: { command, args: [] } })
    const response = get(client)
    const call = await api.calls.next()
    assert.equal(call.headers.authorization, 'Bearer from-the-plugin')
    call.json({})
    await response
    await client.close()
    writeFileSync(command, '#!/bin/sh\nexit 1\n')
    const failing = new ApiClient(new ClusterAccess(configOf(api.origin, { exec: { command, args: [] } })))
    assert.equal((await failure(get(failing))).reason, 'CredentialsUnavailable')
    await api[Symbol.asyncDispose]()
  })

  await t.test('are required: no cluster is a default', async () => {
    const { KUBECONFIG, KUBERNETES_SERVICE_HOST, HOME } = process.env
    delete process.env.KUBECONFIG
    delete process.env.KUBERNETES_SERVICE_HOST
    process.env.HOME = folder
    try {
      await assert.rejects(loadClusterAccess(), /no access to a cluster/)
    } finally {
      Object.assign(
        process.env,
        Object.fromEntries(
          Object.entries({ KUBECONFIG, KUBERNETES_SERVICE_HOST, HOME }).filter(
            ([, value]) => value !== undefined,
          ),
        ),
      )
    }
  })
})

test('checks the certificate of the API server, and shows its own', async () => {
  using authority = makeAuthority()
  const { cert, key } = authority.issue('api', ['IP:127.0.0.1'])
  const client = authority.issue('controller')
  const server = createServer({ cert, key, ca: authority.cert, requestCert: true }, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate()
    response.end(JSON.stringify({ subject: subject.CN }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = mkdtempSync(join(tmpdir(), 'access-'))
  const clientWith = async (cluster: object) => {
    const file = join(folder, 'config')
    const user = { 'client-certificate': client.certFile, 'client-key': client.keyFile }
    const config = {
      'current-context': 'tls',
      clusters: [{ name: 'tls', cluster: { server: url, ...cluster } }],
      users: [{ name: 'controller', user }],
      contexts: [{ name: 'tls', context: { cluster: 'tls', user: 'controller' } }],
    }
    writeFileSync(file, JSON.stringify(config))
    return new ApiClient(await loadClusterAccess(file))
  }
  // The second one is for the library.
  for (const more of [{}, { 'insecure-skip-tls-verify': false }]) {
    const trusting = await clientWith({ 'certificate-authority': authority.certFile, ...more })
    assert.deepEqual(await get(trusting), { subject: 'controller' })
    const doubting = await clientWith(more)
    assert.equal((await failure(get(doubting))).reason, 'Unreachable')
    await Promise.all([trusting.close(), doubting.close()])
  }
  rmSync(folder, { recursive: true })
  server.close()
})

test('requests on connections apart delay no others', async () => {
  await using api = await startScriptedApi({})
  const access = new ClusterAccess(configOf(api.origin))
  const [client, apart] = [new ApiClient(access), new ApiClient(access.apart(2))]
  const pending = Promise.allSettled([1, 2, 3, 4].map(() => get(apart)))
  const begun = [await api.calls.next(), await api.calls.next()]
  const other = firstValueFrom(client.request({ method: 'GET', path: '/other' }))
  // The third of the others waits for one of two connections.
  const call = await api.calls.next()
  assert.equal(call.path, '/other')
  call.json({})
  await other
  for (const one of begun) one.json({})
  for (let index = 2; index < 4; index++) (await api.calls.next()).json({})
  await pending
  await Promise.all([client.close(), apart.close()])
})
