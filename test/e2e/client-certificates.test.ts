import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { type Certificate, makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type EchoUpstream, startEcho } from '../support/echo-upstream.ts'

const SPIFFE = 'spiffe://mesh.example/ns/shop/sa/orders'
/** Attributes of a client certificate that rules and transformations can read. */
const facts = {
  'x-spiffe': 'source.spiffeId',
  'x-trust-domain': 'source.identity.trustDomain',
  'x-namespace': 'source.identity.namespace',
  'x-account': 'source.identity.serviceAccount',
  'x-names': 'source.subjectAltNames.join("|")',
  'x-subject': 'source.subject',
  'x-cn': 'source.subjectCn',
  'x-issuer': 'source.issuer',
  'x-certificate': 'base64.encode(source.certificate)',
}
const rules: Readonly<Record<string, string>> = {
  spiffe: `source.spiffeId == "${SPIFFE}"`,
  identity: 'source.identity.namespace == "shop" && source.identity.serviceAccount == "orders"',
  names: 'source.subjectAltNames.exists(name, name == "orders.example")',
  subject: 'source.subject.contains("O=tests")',
  cn: 'source.subjectCn == "orders"',
  issuer: 'source.issuer == "CN=test authority"',
  certificate: 'source.certificate.startsWith("-----BEGIN CERTIFICATE-----")',
}

suite('a client certificate', () => {
  const authority = makeAuthority()
  const strangers = makeAuthority()
  const server = authority.issue('gateway.example')
  const orders = authority.issue('orders', [`URI:${SPIFFE}`, 'DNS:orders.example'])
  const other = authority.issue('other')
  const stranger = strangers.issue('orders', [`URI:${SPIFFE}`])
  let upstream: EchoUpstream
  let daemon: Daemon

  const ask = (path: string, client?: Certificate): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const options = {
        servername: 'gateway.example',
        ca: authority.cert,
        agent: false,
        ...(client && { cert: client.cert, key: client.key }),
      } as const
      const req = request(new URL(path, daemon.url('default')), options, (res) => {
        text(res).then((body) => resolve({ status: res.statusCode ?? 0, text: body }), reject)
      })
      req.on('error', reject).end()
    })

  before(async () => {
    upstream = await startEcho('upstream')
    const routes = Object.entries(rules).map(
      ([name, rule]) => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: { authorization: { rules: ['${rule}'] } }
    backends: [{ host: "${upstream.host}" }]`,
    )
    const set = Object.entries(facts).map(([name, expression]) => `${name}: '${expression}'`)
    daemon = await startDaemon(`${anyPorts}  logging: { level: 'info,request=debug' }
gateways:
  default:
    port: 0
    address: 127.0.0.1
    tls: { cert: "${server.certFile}", key: "${server.keyFile}", root: "${authority.certFile}" }
routes:
  - name: facts
    matches: [{ path: { exact: /facts } }]
    policies: { transformations: { request: { set: { ${set.join(', ')} } } } }
    backends: [{ host: "${upstream.host}" }]
${routes.join('')}
`)
  })
  after(async () => {
    await daemon.stop()
    await upstream[Symbol.asyncDispose]()
    authority[Symbol.dispose]()
    strangers[Symbol.dispose]()
  })

  test('is available to expressions', async () => {
    const { status, text: body } = await ask('/facts', orders)
    assert.equal(status, 200)
    const { headers } = JSON.parse(body) as { headers: Record<string, string> }
    const { 'x-certificate': certificate = '', ...rest } = Object.fromEntries(
      Object.keys(facts).map((name) => [name, headers[name]]),
    )
    assert.deepEqual(rest, {
      'x-spiffe': SPIFFE,
      'x-trust-domain': 'mesh.example',
      'x-namespace': 'shop',
      'x-account': 'orders',
      'x-names': `${SPIFFE}|orders.example`,
      'x-subject': 'O=tests, CN=orders',
      'x-cn': 'orders',
      'x-issuer': 'CN=test authority',
    })
    const pem = Buffer.from(certificate, 'base64').toString()
    assert.equal(pem.trim(), readFileSync(orders.certFile, 'utf8').trim())
  })

  for (const name of Object.keys(rules)) {
    test(`can be checked in a rule about source.${name}`, async () => {
      assert.equal((await ask(`/${name}`, orders)).status, 200)
      // These do not identify the holder of the certificate.
      const fitsAll = ['subject', 'issuer', 'certificate'].includes(name)
      assert.equal((await ask(`/${name}`, other)).status, fitsAll ? 200 : 403)
    })
  }

  test('is available over HTTP/2 as well', async () => {
    const client = connectHttp2(daemon.url('default'), {
      servername: 'gateway.example',
      ca: authority.cert,
      cert: orders.cert,
      key: orders.key,
    })
    const stream = client.request({ ':path': '/spiffe', ':authority': 'gateway.example' })
    const status = await new Promise((resolve, reject) => {
      stream.on('response', (headers) => resolve(headers[':status'])).on('error', reject)
    })
    await text(stream)
    client.close()
    assert.equal(status, 200)
  })

  test('is logged, with the id of its connection', async () => {
    const session = connectHttp2(daemon.url('default'), {
      servername: 'gateway.example',
      ca: authority.cert,
      cert: orders.cert,
      key: orders.key,
    })
    const get = (path: string) => text(session.request({ ':path': path, ':authority': 'gateway.example' }))
    await get('/spiffe?one')
    await get('/spiffe?two')
    session.close()
    await ask('/spiffe?three', orders)
    const lineOf = (query: string) =>
      daemon.printed(
        new RegExp(
          `connection\\.id=(\\d+) request\\.id=\\d+ .* src\\.identity=${SPIFFE} .*/spiffe\\?${query} `,
        ),
      )
    const [one, two, three] = [await lineOf('one'), await lineOf('two'), await lineOf('three')].map(
      (m) => m[1],
    )
    assert.equal(one, two)
    assert.notEqual(one, three)
  })

  test('is refused if another authority issued it, or if it is missing', async () => {
    await assert.rejects(ask('/spiffe', stranger))
    await assert.rejects(ask('/spiffe'))
  })
})
