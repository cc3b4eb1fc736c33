import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createGateway, type Gateway } from '../../../src/create-gateway.ts'
import { sendRequest } from '../../support/send-request.ts'
import { sendTlsRequest } from '../../support/send-tls-request.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { freePort } from '../../support/free-port.ts'

/** A route that replies with its name. */
const says = (name: string, parts: object = {}): object => ({
  name,
  policies: { directResponse: { status: 200, body: name } },
  ...parts,
})
const exactly = (path: string): object => ({ matches: [{ path: { exact: path } }] })

suite('cleartext listeners of one port', () => {
  let gateway: Gateway
  let base: string
  /** Host and path of a request: the name of the route, or the status. */
  const at = async (host: string, path = '/'): Promise<string> => {
    const { status, text } = await sendRequest(base, path, { headers: { host } })
    return status === 200 ? text : String(status)
  }

  before(async () => {
    const port = await freePort()
    base = `http://127.0.0.1:${port}`
    const listeners = [
      { name: 'any' },
      { name: 'wide', hostname: '*.shop.test' },
      { name: 'narrow', hostname: '*.eu.shop.test' },
      { name: 'exact', hostname: 'de.eu.shop.test' },
      { name: 'other', hostname: 'other.test' },
    ]
    const names = ['any', 'wide', 'narrow', 'exact']
    gateway = await createGateway(
      JSON.stringify({
        gateways: { default: { port, address: '127.0.0.1', listeners } },
        routes: [
          ...names.map((name) => says(name, { gateways: `default/${name}`, ...exactly(`/${name}`) })),
          // Host names that fit several listeners, some listeners, or none.
          says('hosts', {
            gateways: 'default',
            hostnames: ['fr.eu.shop.test', '*.us.shop.test', 'de.eu.shop.test', 'elsewhere.test'],
            ...exactly('/hosts'),
          }),
          says('all', { gateways: ['default/wide'], hostnames: ['*.test'], ...exactly('/all') }),
        ],
      }),
    )
  })
  after(() => gateway.close())

  test('leave each request to the most specific one, whose routes are the only ones', async () => {
    const owners = {
      any: 'somewhere.test',
      wide: 'com.shop.test',
      narrow: 'fr.eu.shop.test',
      exact: 'de.eu.shop.test',
    }
    for (const [owner, host] of Object.entries(owners))
      for (const name of Object.keys(owners))
        assert.equal(await at(host, `/${name}`), name === owner ? name : '404', `${host}/${name}`)
  })

  test('compare host names without case, port and final dot', async () => {
    for (const host of ['DE.eu.shop.test', 'de.eu.shop.test:8080', 'de.eu.shop.test.', 'De.Eu.Shop.Test.:80'])
      assert.equal(await at(host, '/exact'), 'exact', host)
    // A wildcard covers one label or more, and not none.
    assert.equal(await at('a.b.c.shop.test', '/wide'), 'wide')
    assert.equal(await at('shop.test', '/wide'), '404')
    assert.equal(await at('shop.test', '/any'), 'any')
  })

  test('apply the host names of a route within those of the listener', async () => {
    assert.equal(await at('fr.eu.shop.test', '/hosts'), 'hosts')
    assert.equal(await at('de.eu.shop.test', '/hosts'), 'hosts')
    assert.equal(await at('a.us.shop.test', '/hosts'), 'hosts')
    assert.equal(await at('elsewhere.test', '/hosts'), 'hosts')
    assert.equal(await at('it.eu.shop.test', '/hosts'), '404')
    assert.equal(await at('us.shop.test', '/hosts'), '404')
    assert.equal(await at('com.shop.test', '/all'), 'all')
    assert.equal(await at('somewhere.test', '/all'), '404')
  })

  test('reply 404 without a route', async () => {
    assert.equal(await at('other.test'), '404')
  })
})

suite('HTTPS listeners of one port', () => {
  const authority = makeAuthority()
  const { cert: certPem, key: keyPem } = authority.issue('any', ['DNS:*.test'])
  let gateway: Gateway
  let port: number
  let without: number

  before(async () => {
    ;[port, without] = [await freePort(), await freePort()]
    const listener = (name: string, hostname?: string) => ({
      name,
      ...(hostname && { hostname }),
      protocol: 'HTTPS',
      tls: { certPem, keyPem },
      routes: [says(name, name === 'any' ? { hostnames: ['one.test'] } : {})],
    })
    const named = [listener('two', 'two.test'), listener('wide', '*.wide.test'), listener('x', 'x.wide.test')]
    gateway = await createGateway(
      JSON.stringify({
        binds: [
          { port, address: '127.0.0.1', listeners: [listener('any'), ...named] },
          { port: without, address: '127.0.0.1', listeners: named },
        ],
      }),
    )
  })
  after(async () => {
    await gateway.close()
    authority[Symbol.dispose]()
  })

  /** Server name, host, and what comes back: the listener, or the status. */
  const cases: readonly (readonly [serverName: string, host: string, expected: string])[] = [
    ['one.test', 'one.test', 'any'],
    ['one.test', 'two.test', '421'],
    ['one.test', 'a.wide.test', '421'],
    ['one.test', 'unknown.test', '404'],
    ['two.test', 'two.test', 'two'],
    ['two.test', 'TWO.test:443', 'two'],
    ['two.test', 'one.test', '421'],
    ['two.test', 'unknown.test', '421'],
    ['a.wide.test', 'a.wide.test', 'wide'],
    ['a.wide.test', 'b.wide.test', 'wide'],
    ['a.wide.test', 'x.wide.test', '421'],
    ['a.wide.test', 'two.test', '421'],
    ['a.wide.test', 'unknown.test', '421'],
    ['x.wide.test', 'x.wide.test', 'x'],
    ['x.wide.test', 'a.wide.test', '421'],
    ['unknown.test', 'one.test', 'any'],
    ['unknown.test', 'unknown.test', '404'],
  ]
  for (const version of ['1.1', '2'] as const)
    test(`serve only their own hosts on a connection, with HTTP/${version}`, async () => {
      for (const [serverName, host, expected] of cases) {
        const { status, text } = await sendTlsRequest(port, { serverName, host, version })
        assert.equal(status === 200 ? text : String(status), expected, `${serverName} ${host}`)
      }
    })

  test('reply 404 to a host of no listener, and fail a handshake for none', async () => {
    for (const version of ['1.1', '2'] as const)
      assert.equal(
        (await sendTlsRequest(without, { serverName: 'two.test', host: 'one.test', version })).status,
        404,
      )
    await assert.rejects(sendTlsRequest(without, { serverName: 'one.test' }), {
      message: /unrecognized name/,
    })
  })
})

suite('a port with 64 listeners', () => {
  test('serves each by its own certificate, routes and host names', async () => {
    using authority = makeAuthority()
    const one = authority.issue('one', ['DNS:*.odd.test'])
    const two = authority.issue('two', ['DNS:*.even.test'])
    const hostOf = (index: number) => (index % 2 === 0 ? `h${index}.even.test` : `h${index}.odd.test`)
    const [secure, clear] = [await freePort(), await freePort()]
    const numbers = Array.from({ length: 64 }, (_, index) => index)
    const listeners = numbers.map((index) => {
      const { cert: certPem, key: keyPem } = index % 2 === 0 ? two : one
      const routes = [says(hostOf(index))]
      return {
        name: `l${index}`,
        hostname: hostOf(index),
        protocol: 'HTTPS',
        tls: { certPem, keyPem },
        routes,
      }
    })
    await using _ = await createGateway(
      JSON.stringify({
        binds: [
          { port: secure, address: '127.0.0.1', listeners },
          {
            port: clear,
            address: '127.0.0.1',
            listeners: listeners.map(({ name, hostname, routes }) => ({ name, hostname, routes })),
          },
        ],
      }),
    )
    for (const index of numbers) {
      const host = hostOf(index)
      const verified = { ca: authority.cert, rejectUnauthorized: true }
      const version = index % 3 === 0 ? '2' : '1.1'
      assert.equal((await sendTlsRequest(secure, { serverName: host, version, tls: verified })).text, host)
      assert.equal((await sendRequest(`http://127.0.0.1:${clear}`, '/', { headers: { host } })).text, host)
    }
  })
})
