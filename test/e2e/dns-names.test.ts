import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { request } from 'node:https'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { makeAuthority, type Authority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { type Names, ownNames } from '../support/resolver-names.ts'

/** Servers on one port of several loopback addresses; each responds with its address. */
const startAt = async (addresses: readonly string[]): Promise<{ port: number; servers: Server[] }> => {
  const servers: Server[] = []
  // One that the system gives for the first address may be in use at another.
  const port = await freePort()
  for (const address of addresses) {
    const server = createServer((_, res) => res.end(address))
    servers.push(server)
    server.listen(port, address)
    await once(server, 'listening')
  }
  return { port, servers }
}

suite('upstreams with a DNS name', () => {
  let names: Names
  let daemon: Daemon
  let authority: Authority
  let port: number
  let servers: Server[]

  before(async () => {
    ;({ port, servers } = await startAt(['127.0.0.1', '127.0.0.2', '127.0.0.3']))
    authority = makeAuthority()
    const { certFile, keyFile } = authority.issue('gateway.test')
    names = ownNames({
      'several.test': ['127.0.0.1', '127.0.0.2', '127.0.0.3'],
      'partly.test': ['127.0.0.250', '127.0.0.2'],
      'public.test': ['93.184.216.34', '127.0.0.1'],
      'private.test': ['127.0.0.1'],
      'carried.test': ['::ffff:127.0.0.1'],
      'turning.test': ['127.0.0.1'],
    })
    const route = (name: string, backend: string): string =>
      `  - { name: ${name}, gateways: [default, secure], matches: [{ path: { pathPrefix: /${name} } }], backends: [${backend}] }`
    daemon = await startDaemon(
      `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  secure: { port: 0, address: 127.0.0.1, tls: { cert: ${certFile}, key: ${keyFile} } }
routes:
${route('several', `{ host: "several.test:${port}" }`)}
${route('stays', `{ host: "several.test:${port}", policies: { sessionAffinity: { source: "request.headers['x-user']" } } }`)}
${route('partly', `{ host: "partly.test:${port}" }`)}
${route('unknown', `{ host: "unknown.test:${port}" }`)}
${route('dials-local', '{ dynamic: { allow: { hosts: ["*"], privateRanges: [127.0.0.0/8] } } }')}
${route('dials-tls', '{ dynamic: { allow: { hosts: ["*"], privateRanges: [127.0.0.0/8] } }, policies: { backendTLS: { insecure: true } } }')}
${route('dials-public', '{ dynamic: { allow: { hosts: ["*"] } } }')}
`,
      names.options,
    )
  })
  after(async () => {
    for (const server of servers) server.close()
    await daemon.stop('SIGKILL')
    names[Symbol.dispose]()
    authority[Symbol.dispose]()
  })

  const get = (path: string, headers: Record<string, string> = {}) =>
    sendRequest(daemon.url('default'), path, { headers })
  const tally = async (count: number, path: string, headers?: Record<string, string>) => {
    const answers = await Promise.all(Array.from({ length: count }, () => get(path, headers)))
    return new Set(answers.map(({ status, text }) => (status === 200 ? text : `${status} ${text}`)))
  }

  test('are balanced over the addresses of the name', async () => {
    // Which ones are preferred depends on their latency.
    const reached = new Set<string>()
    while (reached.size < 3) reached.add((await get('/several')).text)
    assert.deepEqual(reached, new Set(['127.0.0.1', '127.0.0.2', '127.0.0.3']))
  })

  test('keep a client on one address if configured', async () => {
    for (const user of ['alice', 'bob', 'carol'])
      assert.equal((await tally(10, '/stays', { 'x-user': user })).size, 1)
  })

  test('skip addresses that refuse connections', async () => {
    assert.deepEqual(await tally(10, '/partly'), new Set(['127.0.0.2']))
  })

  test('fail with 503 if the name does not resolve', async () => {
    const { status, text } = await get('/unknown')
    assert.deepEqual([status, text], [503, 'backends required DNS resolution which failed'])
  })

  suite('in a request', () => {
    test('are called at their addresses, if those are allowed', async () => {
      assert.equal((await get('/dials-local', { host: `private.test:${port}` })).text, '127.0.0.1')
      assert.equal((await get('/dials-local', { host: `carried.test:${port}` })).text, '127.0.0.1')
    })

    for (const name of [
      'private.test',
      'public.test',
      'carried.test',
      '127.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
    ])
      test(`are refused for ${name}, which has a private address`, async () => {
        const { status, text } = await get('/dials-public', { host: `${name}:${port}` })
        assert.deepEqual([status, text], [403, 'the requested destination is not allowed'])
      })

    test('are connected at the address that was checked, even if the name changes', async () => {
      const turn = () => get('/dials-local', { host: `turning.test:${port}` })
      assert.equal((await turn()).text, '127.0.0.1')
      names.set('turning.test', ['127.0.0.2'])
      for (const server of servers) server.closeAllConnections()
      // New connections are needed now, and the name is still not resolved between check and connection.
      for (let i = 0; i < 5; i++) {
        assert.equal((await turn()).text, '127.0.0.1')
        for (const server of servers) server.closeAllConnections()
      }
    })

    // Nothing listens there, which does not matter: the log has the address that the gateway used.
    const ports: Readonly<Record<string, readonly [gateway: string, path: string, port: number]>> = {
      'a request over HTTP': ['default', '/dials-local/a', 80],
      'a request over HTTPS': ['secure', '/dials-local/b', 443],
      'a backend with TLS': ['default', '/dials-tls/c', 443],
    }
    for (const [what, [gateway, path, expected]] of Object.entries(ports))
      test(`are called at port ${expected} for ${what} without a port`, async () => {
        const base = daemon.url(gateway)
        const host = `127.8.7.${expected % 250}`
        if (gateway === 'default') await sendRequest(base, path, { headers: { host } })
        else await askSecurely(base, path, host)
        const [line] = await daemon.printed(new RegExp(`^.*http\\.path=${path} .*$`, 'm'))
        assert.match(line, new RegExp(` endpoint=${host}:${expected} `))
      })
  })

  const askSecurely = async (base: string, path: string, host: string): Promise<void> => {
    const { port: at } = new URL(base)
    const req = request({
      host: '127.0.0.1',
      port: at,
      path,
      headers: { host },
      ca: authority.cert,
      servername: 'gateway.test',
      agent: false,
    })
    req.end()
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    res.resume()
    await once(res, 'end')
  }
})
