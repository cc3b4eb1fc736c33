import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { firstValueFrom } from 'rxjs'
import { stringify } from 'yaml'
import { ApiClient } from '../../../src/controller/api/api-client.ts'
import { loadClusterAccess } from '../../../src/controller/api/cluster-access.ts'
import { plainKubeconfig, podConfig } from '../../../src/controller/api/plain-config.ts'
import { startScriptedApi } from '../support/scripted-api.ts'

/** A folder with files. */
const openFolder = () => {
  const path = mkdtempSync(join(tmpdir(), 'plain-config-'))
  return {
    path,
    write: (name: string, text: string): string => {
      const file = join(path, name)
      writeFileSync(file, text)
      return file
    },
    [Symbol.dispose]: () => {
      rmSync(path, { recursive: true })
    },
  }
}

const kubeconfig = (user: object, cluster: object = {}, more: object = {}) => ({
  'current-context': 'here',
  clusters: [
    { name: 'other', cluster: { server: 'https://other:6443' } },
    { name: 'near', cluster: { server: 'https://near:6443/base', ...cluster } },
  ],
  users: [{ name: 'me', user }],
  contexts: [{ name: 'here', context: { cluster: 'near', user: 'me', namespace: 'mine' } }],
  ...more,
})

suite('a kubeconfig file', () => {
  test('is read with a token and the data of certificates', async () => {
    using folder = openFolder()
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const file = folder.write(
      'config',
      stringify(
        kubeconfig(
          { token: 'secret', 'client-certificate-data': base64('cert'), 'client-key-data': base64('key') },
          { 'certificate-authority-data': base64('ca'), 'tls-server-name': 'api' },
        ),
      ),
    )
    const config = plainKubeconfig(file)
    assert.deepEqual(
      [config?.server, config?.namespace, config?.proxyUrl],
      ['https://near:6443/base', 'mine', undefined],
    )
    assert.deepEqual(await config?.credentials(), {
      ca: Buffer.from('ca'),
      cert: Buffer.from('cert'),
      key: Buffer.from('key'),
      servername: 'api',
      headers: { authorization: 'Bearer secret' },
    })
  })

  test('names files beside it, which are read again each time', async () => {
    using folder = openFolder()
    mkdirSync(join(folder.path, 'pki'))
    folder.write('pki/ca.crt', 'ca')
    folder.write('token', 'first\n')
    const file = folder.write(
      'config',
      stringify(kubeconfig({ tokenFile: 'token' }, { 'certificate-authority': 'pki/ca.crt' })),
    )
    const config = plainKubeconfig(file)
    const headers = async () => (await config?.credentials())?.headers
    assert.deepEqual((await config?.credentials())?.ca, Buffer.from('ca'))
    assert.deepEqual(await headers(), { authorization: 'Bearer first' })
    folder.write('token', 'second')
    assert.deepEqual(await headers(), { authorization: 'Bearer second' })
    rmSync(join(folder.path, 'token'))
    await assert.rejects(headers(), { code: 'ENOENT' })
  })

  test('is left to the library for anything else, be it a field that is not known', () => {
    using folder = openFolder()
    const isPlain = (document: unknown): boolean =>
      plainKubeconfig(folder.write('config', stringify(document))) !== undefined
    assert.ok(isPlain(kubeconfig({})))
    const users = [
      { exec: { command: 'plugin' } },
      { 'auth-provider': { name: 'oidc' } },
      { username: 'me', password: 'p' },
      { token: 'a', as: 'root' },
      { token: 'a', tokenFile: 'token' },
      { token: 5 },
      { token: '' },
    ]
    const clusters = [
      { 'insecure-skip-tls-verify': true },
      { 'proxy-url': 'http://proxy' },
      { server: null },
      { server: 'http://near' },
      { 'certificate-authority': ['a'] },
    ]
    for (const user of users) assert.ok(!isPlain(kubeconfig(user)), JSON.stringify(user))
    for (const cluster of clusters) assert.ok(!isPlain(kubeconfig({}, cluster)), JSON.stringify(cluster))
    const broken = [
      { 'current-context': 'away' },
      { users: [] },
      { users: 'me' },
      { users: [null, 5] },
      {
        users: [
          { name: 'me', user: {} },
          { name: 'me', user: { token: 'a' } },
        ],
      },
      { contexts: [{ name: 'here' }] },
    ]
    for (const more of broken) assert.ok(!isPlain(kubeconfig({}, {}, more)), JSON.stringify(more))
    for (const document of [null, [], 'text', 5]) assert.ok(!isPlain(document))
    assert.equal(plainKubeconfig(folder.write('config', '{ not: [yaml')), undefined)
    assert.equal(plainKubeconfig(join(folder.path, 'missing')), undefined)
  })

  test('gives access with a plugin', async () => {
    using folder = openFolder()
    await using api = await startScriptedApi()
    const credential = JSON.stringify({ status: { token: 'from-the-plugin' } })
    const user = { exec: { command: 'echo', args: [credential] } }
    const cluster = { server: api.origin, 'insecure-skip-tls-verify': true }
    const file = folder.write('config', stringify(kubeconfig(user, cluster)))
    const client = new ApiClient(await loadClusterAccess(file))
    const response = firstValueFrom(client.request({ method: 'GET', path: '/version' }))
    const call = await Promise.race([api.calls.next(), response.then(() => undefined)])
    assert.equal(call?.headers.authorization, 'Bearer from-the-plugin')
    call.json({})
    await response
    await client.close()
  })
})

suite('the account of a pod', () => {
  test('is read again each time', async () => {
    using folder = openFolder()
    folder.write('namespace', 'system')
    folder.write('ca.crt', 'ca')
    folder.write('token', 'first')
    const config = podConfig({ KUBERNETES_SERVICE_HOST: 'fd00::1' }, folder.path)
    assert.deepEqual([config?.server, config?.namespace], ['https://[fd00::1]:443', 'system'])
    assert.deepEqual(await config?.credentials(), {
      ca: Buffer.from('ca'),
      headers: { authorization: 'Bearer first' },
    })
    folder.write('token', 'second\n')
    assert.deepEqual((await config?.credentials())?.headers, { authorization: 'Bearer second' })
    rmSync(join(folder.path, 'ca.crt'))
    await assert.rejects(async () => config?.credentials(), { code: 'ENOENT' })
  })

  test('is that of the port that is given, and none outside of pods', () => {
    const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '6443' }
    assert.equal(podConfig(env, '/nowhere')?.server, 'https://10.96.0.1:6443')
    assert.equal(podConfig({}), undefined)
  })
})
