import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'

/** A route that replies with its own name. */
const says = (name: string, rest: string): string =>
  `  - { name: ${name}, ${rest}, policies: { directResponse: { status: 200, body: ${name} } } }`

/** The order in the file is the reverse of precedence wherever possible, so that it cannot decide. */
const configuration = `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  second:
    port: 0
    address: 127.0.0.1
    listeners:
      - { name: shop, hostname: shop.example }
      - { name: any-shop, hostname: "*.shop.example" }
      - { name: deep-shop, hostname: "*.eu.shop.example" }
routes:
${says('any-host', 'gateways: default')}
${says('example-suffix', 'hostnames: ["*.example"]')}
${says('deep-suffix', 'hostnames: ["*.deep.example"]')}
${says('exact-host', 'hostnames: [exact.deep.example, UPPER.example.]')}
${says('host-with-path', 'hostnames: [path.example], matches: [{ path: { exact: /here } }]')}
${says('prefix-short', 'matches: [{ path: { pathPrefix: /p } }]')}
${says('prefix-long', 'matches: [{ path: { pathPrefix: /p/long/ } }]')}
${says('exact', 'matches: [{ path: { exact: /p/long/exact } }]')}
${says('regex-longer', 'matches: [{ path: { regex: "/p/long/r[0-9]+" } }]')}
${says('regex-shorter', 'matches: [{ path: { regex: "/p/l.*" } }]')}
${says('regex-whole', 'matches: [{ path: { regex: "/whole/[a-z]+" } }]')}
${says('m-none', 'matches: [{ path: { exact: /m } }]')}
${says('m-query', 'matches: [{ path: { exact: /m }, query: [{ name: a, value: { exact: "1 2" } }] }]')}
${says('m-header', 'matches: [{ path: { exact: /m }, headers: [{ name: X-A, value: { exact: one } }] }]')}
${says('m-headers', 'matches: [{ path: { exact: /m }, headers: [{ name: x-a, value: { exact: one } }, { name: x-b, value: { regex: "b+" } }] }]')}
${says('m-method', 'matches: [{ path: { exact: /m }, method: POST }]')}
${says('m-authority', 'matches: [{ path: { exact: /a }, headers: [{ name: ":authority", value: { regex: "[a-z]+[.]auth" } }] }]')}
${says('either', 'matches: [{ path: { exact: /one } }, { path: { exact: /two }, method: PUT }]')}
${says('first', 'matches: [{ path: { exact: /same } }]')}
${says('last', 'matches: [{ path: { exact: /same } }]')}
${says('second-shop', 'gateways: second/shop')}
${says('second-any', 'gateways: [second/any-shop]')}
${says('second-deep', 'gateways: second/deep-shop')}
${says('second-all', 'gateways: second, matches: [{ path: { exact: /all } }]')}
  - name: none-here
    hostnames: [narrow.example]
    matches: [{ path: { exact: /only } }]
    policies: { directResponse: { status: 200, body: none-here } }
  - name: delegates
    matches: [{ path: { pathPrefix: /team } }]
    policies: { responseHeaderModifier: { add: { x-by: outer } } }
    backends: [{ routeGroup: team }]
routeGroups:
  - name: team
    routes:
      - name: inner
        matches: [{ path: { pathPrefix: /team/a } }]
        policies: { responseHeaderModifier: { add: { x-by: inner } }, directResponse: { status: 200, body: inner } }
      - name: further
        matches: [{ path: { pathPrefix: /team/b } }]
        backends: [{ routeGroup: below }]
  - name: below
    routes:
      - { name: bottom, policies: { directResponse: { status: 200, body: bottom } } }
`

interface Case extends RequestParts {
  readonly target?: string
  readonly host?: string
  readonly gateway?: string
}

const cases: Readonly<Record<string, readonly [answer: string, asked: Case]>> = {
  'a host of its own wins': ['exact-host', { host: 'exact.deep.example' }],
  'the longest suffix wins': ['deep-suffix', { host: 'other.deep.example' }],
  'a suffix takes several labels': ['deep-suffix', { host: 'a.b.c.deep.example' }],
  'a suffix does not take its own name': ['example-suffix', { host: 'deep.example' }],
  'other hosts go where none is named': ['any-host', { host: 'elsewhere.test' }],
  'an address is a host like any other': ['any-host', { host: '127.0.0.1:80' }],
  'the port of the host does not count': ['exact-host', { host: 'exact.deep.example:8080' }],
  'hosts have no case': ['exact-host', { host: 'EXACT.Deep.example' }],
  'nor a final dot': ['exact-host', { host: 'exact.deep.example.:80' }],
  'in the file neither': ['exact-host', { host: 'upper.example' }],
  'a host without a fitting path falls through to its suffix': [
    'example-suffix',
    { host: 'path.example', target: '/elsewhere' },
  ],
  'a host with a fitting path': ['host-with-path', { host: 'path.example', target: '/here' }],
  'a host wins over a better path': ['example-suffix', { host: 'a.example', target: '/p/long/exact' }],
  'exact paths come first': ['exact', { target: '/p/long/exact' }],
  'exact paths are exact': ['prefix-long', { target: '/p/long/exact/' }],
  'the query is no part of the path': ['exact', { target: '/p/long/exact?a=b' }],
  'a longer prefix wins': ['prefix-long', { target: '/p/long/x' }],
  'a prefix takes its own path': ['prefix-long', { target: '/p/long' }],
  'a prefix ends with a segment': ['regex-shorter', { target: '/p/longer' }],
  'a prefix is no beginning of a word': ['any-host', { target: '/pp' }],
  'a longer expression wins over a prefix': ['regex-longer', { target: '/p/long/r12' }],
  'an expression fits the whole path': ['any-host', { target: '/whole/a1' }],
  'an expression does not search': ['any-host', { target: '/x/whole/a' }],
  'an expression': ['regex-whole', { target: '/whole/abc' }],
  'no condition': ['m-none', { target: '/m' }],
  'a parameter is form-decoded': ['m-query', { target: '/m?a=1+2' }],
  'the last of several parameters counts': ['m-query', { target: '/m?a=0&a=1%202' }],
  'a parameter that is another': ['m-none', { target: '/m?a=1%202&a=0' }],
  'a header, whatever its case': ['m-header', { target: '/m', headers: { 'X-a': 'one' } }],
  'values have case': ['m-none', { target: '/m', headers: { 'x-a': 'One' } }],
  'a value among several of a header': ['m-header', { target: '/m', headers: { 'x-a': ['zero', 'one'] } }],
  'headers win over parameters': ['m-header', { target: '/m?a=1+2', headers: { 'x-a': 'one' } }],
  'more headers win': ['m-headers', { target: '/m', headers: { 'x-a': 'one', 'x-b': 'bbb' } }],
  'expressions for headers fit the whole value': [
    'm-header',
    { target: '/m', headers: { 'x-a': 'one', 'x-b': 'bc' } },
  ],
  'a method wins over headers': [
    'm-method',
    { target: '/m', method: 'POST', headers: { 'x-a': 'one', 'x-b': 'b' } },
  ],
  'pseudo-headers': ['m-authority', { target: '/a', host: 'some.auth' }],
  'any of several matchers': ['either', { target: '/two', method: 'PUT' }],
  'all of one matcher': ['any-host', { target: '/two' }],
  'of identical matchers the first': ['first', { target: '/same' }],
  'a group': ['inner', { target: '/team/a/x' }],
  'a group of a group': ['bottom', { target: '/team/b' }],
  'a group where nothing fits': ['route not found', { target: '/team/c' }],
  'a listener by host': ['second-shop', { gateway: 'second', host: 'shop.example' }],
  'a listener by suffix': ['second-any', { gateway: 'second', host: 'us.shop.example' }],
  'the listener with the longest suffix': ['second-deep', { gateway: 'second', host: 'de.eu.shop.example' }],
  'a route of all listeners': ['second-all', { gateway: 'second', host: 'shop.example', target: '/all' }],
  'a host without a listener': ['listener not found', { gateway: 'second', host: 'other.example' }],
}

suite('the route of a request', () => {
  let daemon: Daemon
  before(async () => {
    daemon = await startDaemon(configuration)
  })
  after(() => daemon.stop('SIGKILL'))

  for (const [name, [expected, { gateway = 'default', target = '/', host, ...asked }]] of Object.entries(
    cases,
  ))
    test(`${name}: ${expected}`, async () => {
      const headers = { ...asked.headers, ...(host === undefined ? {} : { host }) }
      const answer = await sendRequest(daemon.url(gateway), target, { ...asked, headers })
      assert.equal(answer.text, expected)
    })

  test('runs its own stages and those of its group', async () => {
    const { headers } = await sendRequest(daemon.url('default'), '/team/a')
    assert.equal(headers['x-by'], 'inner, outer')
  })

  test('is missing with 404', async () => {
    const statusOf = async (target: string, gateway = 'default', host = 'x.test') =>
      (await sendRequest(daemon.url(gateway), target, { headers: { host } })).status
    assert.deepEqual([await statusOf('/team/c'), await statusOf('/', 'second')], [404, 404])
  })
})
