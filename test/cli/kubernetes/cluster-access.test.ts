import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer, type RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { loadCluster } from '../../../src/cli/kubernetes/load-cluster.ts'
import { programPath, programsProblem } from '../../kubernetes/lab/programs.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { runAgctlProgram } from '../../support/cli/agctl.ts'
import { startProxy } from '../../support/http-proxy.ts'
import { listening } from '../../support/upstream-servers.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** What the API server sees of a caller. */
type Seen = Readonly<Record<string, unknown>>

const peerOf = (socket: Partial<TLSSocket>): unknown => {
  const certificate: { readonly subject?: { readonly CN?: unknown } } = socket.getPeerCertificate?.() ?? {}
  return certificate.subject?.CN
}

/** A program that prints credentials, for the `exec` of a user. */
const plugin = (status: string) => `#!/bin/sh
cat <<END
{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":${status}}
END
`

test('a server that is no API server is reported, and not taken for an empty cluster', async () => {
  await using server = await listening(
    createPlainServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>')
    }),
  )
  using folder = mkdtempDisposableSync(join(tmpdir(), 'no-api-server-'))
  const kubeconfig = join(folder.path, 'config')
  const cluster = { name: 'a', cluster: { server: `http://127.0.0.1:${server.port}` } }
  const context = { name: 'a', context: { cluster: 'a' } }
  writeFileSync(
    kubeconfig,
    JSON.stringify({ 'current-context': 'a', clusters: [cluster], contexts: [context] }),
  )
  for (const [args, what] of [
    [['check'], 'failed reading gateway.networking.k8s.io/v1'],
    [['proxy', 'config', 'all'], 'failed listing Gateways in namespace "default"'],
    [['controller', 'log'], 'failed listing pods in namespace "agentgateway-system"'],
  ] as const) {
    const { code, stderr } = await runAgctlProgram([...args, '-k', kubeconfig])
    assert.deepEqual(
      [code, stderr.split('\n')[0]],
      [3, `Error: ${what}: the server sent no list: is it the API server of a cluster?`],
    )
  }
})

test('access to an API server, as kubectl has it', async (t) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'cluster-access-'))
  using authority = makeAuthority()
  using other = makeAuthority()
  const { cert, key } = authority.issue('api', ['IP:127.0.0.1', 'DNS:api.example.test', 'DNS:behind.test'])
  const client = authority.issue('alice')
  const seen: Seen[] = []
  const respond: RequestListener = ({ headers, socket, rawHeaders }, response) => {
    const tls = socket as Partial<TLSSocket>
    const groups = rawHeaders.filter((_, i) => rawHeaders[i - 1]?.toLowerCase() === 'impersonate-group')
    const all: Seen = {
      authorization: headers.authorization,
      user: headers['impersonate-user'],
      groups: groups.length > 0 ? groups : undefined,
      peer: peerOf(tls),
      servername: tls.servername === false ? undefined : tls.servername,
    }
    seen.push(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[]}')
  }
  await using server = await listening(
    createServer({ cert, key, ca: authority.cert, requestCert: true, rejectUnauthorized: false }, respond),
  )
  await using plain = await listening(createPlainServer(respond))
  await using proxy = await startProxy()
  const url = `https://127.0.0.1:${server.port}`
  const data = { 'certificate-authority-data': base64(authority.cert) }
  const write = (name: string, text: string, mode = 0o600) => {
    const path = join(folder.path, name)
    writeFileSync(path, text, { mode })
    return path
  }
  mkdirSync(join(folder.path, 'sub'))
  write('sub/ca.pem', authority.cert)
  write('sub/alice.pem', client.cert)
  write('sub/alice.key', client.key)
  write('sub/token', 'of a file\n')
  write('sub/login', plugin('{"token":"of a plugin for $TEAM"}'), 0o700)
  const pair = JSON.stringify({ clientCertificateData: client.cert, clientKeyData: client.key })
  write('sub/certificate', plugin(pair), 0o700)

  const config = (cluster: object, user: object | undefined, name = 'config') =>
    write(
      join('sub', name),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'x',
        clusters: [{ name: 'x', cluster: { server: url, ...cluster } }],
        users: user === undefined ? [] : [{ name: 'x', user }],
        contexts: [{ name: 'x', context: { cluster: 'x', ...(user !== undefined && { user: 'x' }) } }],
      }),
    )
  /** Sends one request, and returns what the API server has seen. */
  const request = async (kubeconfig: string, env: Readonly<Record<string, string>> = {}): Promise<Seen> => {
    const before = { ...process.env }
    Object.assign(process.env, env)
    try {
      const { client: library, config: loaded } = await loadCluster({ kubeconfig })
      seen.length = 0
      const api = loaded.makeApiClient(library.CustomObjectsApi)
      await api.listClusterCustomObject({ group: 'example.com', version: 'v1', plural: 'things' })
    } finally {
      for (const name of Object.keys(env)) Reflect.deleteProperty(process.env, name)
      Object.assign(process.env, before)
    }
    return seen[0] ?? assert.fail('the API server has seen nothing')
  }
  const kubectl = async (kubeconfig: string, env: Readonly<Record<string, string>> = {}): Promise<Seen> => {
    seen.length = 0
    const args = [`--kubeconfig=${kubeconfig}`, 'get', '--raw', '/apis/example.com/v1/things']
    const running = promisify(execFile)(await programPath('kubectl'), args, {
      env: { ...process.env, ...env },
      timeout: 120_000,
    })
    running.child.stdin?.end()
    await running
    return seen[0] ?? assert.fail('the API server has seen nothing')
  }
  const hasKubectl = programsProblem(['kubectl']) === false

  const apiVersion = 'client.authentication.k8s.io/v1'
  const exec = {
    apiVersion,
    command: './login',
    interactiveMode: 'Never',
    env: [{ name: 'TEAM', value: 'web' }],
  }
  const named = { ...data, server: `https://behind.test:${server.port}` }
  const cases: readonly (readonly [
    what: string,
    cluster: object,
    user: object | undefined,
    expected: Seen,
    env?: Readonly<Record<string, string>>,
  ])[] = [
    ['an authority in data', data, { token: 'a' }, { authorization: 'Bearer a' }],
    ['an authority for a context without a user', data, undefined, {}],
    [
      'an authority in a file beside the kubeconfig',
      { 'certificate-authority': 'ca.pem' },
      { token: 'a' },
      { authorization: 'Bearer a' },
    ],
    ['no verification', { 'insecure-skip-tls-verify': true }, { token: 'a' }, { authorization: 'Bearer a' }],
    [
      'another name of the server',
      { ...data, 'tls-server-name': 'api.example.test' },
      { token: 'a' },
      { authorization: 'Bearer a', servername: 'api.example.test' },
    ],
    [
      'a certificate in files beside the kubeconfig',
      data,
      { 'client-certificate': 'alice.pem', 'client-key': 'alice.key' },
      { peer: 'alice' },
    ],
    [
      'a certificate in data',
      data,
      { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) },
      { peer: 'alice' },
    ],
    ['a name and a password', data, { username: 'a', password: 'b' }, { authorization: 'Basic YTpi' }],
    [
      'a token in a file beside the kubeconfig',
      data,
      { tokenFile: 'token' },
      { authorization: 'Bearer of a file' },
    ],
    [
      'the file before the token',
      data,
      { token: 'a', tokenFile: 'token' },
      { authorization: 'Bearer of a file' },
    ],
    ['the token of a plugin', data, { exec }, { authorization: 'Bearer of a plugin for web' }],
    [
      'the certificate of a plugin',
      data,
      { exec: { apiVersion, command: './certificate', interactiveMode: 'Never' } },
      { peer: 'alice' },
    ],
    ['a token before a plugin', data, { token: 'a', exec }, { authorization: 'Bearer a' }],
    [
      'another account, and its groups',
      data,
      { token: 'a', as: 'bob', 'as-groups': ['one', 'two'] },
      { authorization: 'Bearer a', user: 'bob', groups: ['one', 'two'] },
    ],
    [
      'a server without TLS, and then no credentials',
      { server: `http://127.0.0.1:${plain.port}` },
      { token: 'a' },
      {},
    ],
    [
      'a proxy of the kubeconfig',
      { ...named, 'proxy-url': `http://127.0.0.1:${proxy.port}` },
      { token: 'a' },
      { authorization: 'Bearer a', servername: 'behind.test' },
    ],
    [
      'a proxy of the environment',
      named,
      { token: 'a' },
      { authorization: 'Bearer a', servername: 'behind.test' },
      { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` },
    ],
    [
      'no proxy for this machine',
      data,
      { token: 'a' },
      { authorization: 'Bearer a' },
      { HTTPS_PROXY: 'http://127.0.0.1:1' },
    ],
  ]
  for (const [what, cluster, user, expected, env] of cases)
    await t.test(`with ${what}`, async () => {
      const file = config(cluster, user)
      proxy.lines.length = 0
      assert.deepEqual(await request(file, env), expected)
      assert.equal(proxy.lines.length > 0, what.startsWith('a proxy'))
      // Without a user, kubectl wants a name and a password typed.
      if (hasKubectl && user !== undefined) assert.deepEqual(await kubectl(file, env), expected)
    })

  await t.test('not with another authority, nor by another name', async () => {
    const wrong = { 'certificate-authority-data': base64(other.cert) }
    for (const cluster of [wrong, {}, { ...data, 'tls-server-name': 'other.example.test' }]) {
      await assert.rejects(request(config(cluster, { token: 'a' })))
      if (hasKubectl) await assert.rejects(kubectl(config(cluster, { token: 'a' })))
    }
  })

  await t.test('not with another authority, which is what the failure is about', async () => {
    const wrong = { 'certificate-authority-data': base64(other.cert) }
    const { code, stderr } = await runAgctlProgram(['check', '-k', config(wrong, { token: 'a' })])
    assert.equal(code, 3)
    assert.match(stderr, /^Error: failed reading \S+: (self-signed certificate in|unable to verify)[a-z ]+\n/)
    assert.match(stderr, /\ncertificate-authority of the cluster, in the kubeconfig file, has what signs/)
  })

  await t.test('not with a proxy that NO_PROXY excludes', async () => {
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'other.test,.behind.test,test' }
    proxy.lines.length = 0
    await assert.rejects(request(config(named, { token: 'a' }), env))
    assert.deepEqual(proxy.lines, [])
  })

  await t.test('with an authority of the machine', async () => {
    const file = config({}, { token: 'a' })
    seen.length = 0
    await runAgctlProgram(['check', '-k', file], { env: { SSL_CERT_FILE: authority.certFile } })
    assert.deepEqual(seen[0], { authorization: 'Bearer a' })
  })

  await t.test('not with a plugin that fails, which is named', async () => {
    const fails: readonly (readonly [object, RegExp])[] = [
      [{ command: 'no-such-plugin', installHint: 'get it' }, /no-such-plugin: .*ENOENT; get it/],
      [{ command: 'false' }, /false: it ended with 1/],
      [{ command: 'echo' }, /echo printed no JSON/],
      [{ command: './login', apiVersion: 'other' }, /printed no ExecCredential of other/],
      [{ command: './login', interactiveMode: 'Always' }, /login needs a terminal/],
    ]
    for (const [fields, message] of fails) {
      const file = config(data, { exec: { ...exec, ...fields } })
      await assert.rejects(request(file), { message: RegExp(`getting credentials: .*${message.source}`) })
    }
    write('sub/empty', plugin('{}'), 0o700)
    const empty = config(data, { exec: { ...exec, command: './empty' } })
    await assert.rejects(request(empty), /printed neither a token nor a certificate with its key/)
  })

  await t.test('not for a context whose user is not there', async () => {
    const file = config(data, undefined)
    const text = { cluster: 'x', user: 'gone' }
    const document = {
      'current-context': 'x',
      clusters: [{ name: 'x', cluster: { server: url, ...data } }],
      contexts: [{ name: 'x', context: text }],
    }
    writeFileSync(file, JSON.stringify(document))
    await assert.rejects(request(file), /the user "gone" of context "x" is not there/)
    if (hasKubectl) await assert.rejects(kubectl(file))
  })
})
