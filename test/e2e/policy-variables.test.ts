import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ReceivedResponse, sendRequest } from '../support/send-request.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { keySetOf, secondsFromNow, signer } from '../support/tokens.ts'
import { httpServer, type UpstreamServer } from '../support/upstream-servers.ts'

/** All attributes from policies that verify credentials, as one text. */
const proved = "jwt.sub + '|' + apiKey.team + '|' + basicAuth.username + '|' + source.address"
const facts = `${proved} + '|' + extauthz.said + '|' + metadata.note + '|' + request.headers['x-h']`
const seen = 'ann|red|carol|127.0.0.1|yes|noted|h'
const holds = `${facts} == '${seen}'`

interface Answered extends ReceivedResponse {
  /** The fields that the backend received; undefined if it was not called. */
  readonly got: Readonly<Record<string, string>> | undefined
}

/** A policy that evaluates an expression, and how its value can be observed. */
interface Reader {
  readonly policies?: Readonly<Record<string, object>>
  readonly backendPolicies?: Readonly<Record<string, object>>
  /** Replies by itself: nothing behind it is called. */
  readonly answers?: boolean
  readonly check: (answer: Answered) => void
}

const limit = { maxTokens: 1000, tokensPerFill: 1000, fillInterval: '1s' }
const readers: Readonly<Record<string, Reader>> = {
  authorization: {
    policies: { authorization: { rules: [holds] } },
    check: ({ status }) => assert.equal(status, 200),
  },
  localRateLimit: {
    policies: { localRateLimit: { conditional: [{ condition: holds, ...limit }] } },
    check: ({ headers }) => assert.equal(headers['x-ratelimit-limit'], '1000'),
  },
  'transformations.request': {
    policies: { transformations: { request: { set: { 'x-of-route': facts } } } },
    check: ({ got }) => {
      if (got) assert.equal(got['x-of-route'], seen)
    },
  },
  'transformations.response': {
    policies: { transformations: { response: { set: { 'x-of-response': facts } } } },
    check: ({ headers }) => assert.equal(headers['x-of-response'], seen),
  },
  delay: {
    // An index beyond the end of the list is an error to the client.
    policies: { delay: { duration: `[0][${holds} ? 0 : 1]` } },
    check: ({ status }) => assert.equal(status, 200),
  },
  'retry.precondition': {
    policies: { retry: { attempts: 1, codes: [503], precondition: holds } },
    check: ({ got }) => assert.equal(got?.['x-retry-attempt'], '1'),
  },
  'retry.condition': {
    policies: { retry: { attempts: 1, codes: [599], condition: `response.code == 503 && ${holds}` } },
    check: ({ got }) => assert.equal(got?.['x-retry-attempt'], '1'),
  },
  directResponse: {
    policies: { directResponse: { status: 200, bodyExpression: facts } },
    answers: true,
    check: ({ text }) => assert.equal(text, seen),
  },
  'directResponse.conditional': {
    policies: { directResponse: { conditional: [{ condition: holds, status: 200, body: 'chosen' }] } },
    answers: true,
    check: ({ text }) => assert.equal(text, 'chosen'),
  },
  'authorization of the backend': {
    backendPolicies: { authorization: { rules: [holds] } },
    check: ({ status }) => assert.equal(status, 200),
  },
  'transformations of the backend': {
    backendPolicies: { transformations: { request: { set: { 'x-of-backend': facts } } } },
    check: ({ got }) => assert.equal(got?.['x-of-backend'], seen),
  },
}

const isBehind = ({ backendPolicies, policies }: Reader): boolean =>
  backendPolicies !== undefined || policies?.retry !== undefined

/** All pairs that can be combined. */
const pairs = Object.entries(readers).flatMap(([one, a], i) =>
  Object.entries(readers)
    .slice(i)
    .filter(([, b]) => {
      if ((a.answers && isBehind(b)) || (b.answers && isBehind(a))) return false
      const shared = Object.keys(a.policies ?? {}).filter((kind) => kind in (b.policies ?? {}))
      return a === b || shared.every((kind) => kind === 'transformations')
    })
    .map(([other, b]) => ({ name: one === other ? one : `${one} and ${other}`, readers: [a, b] })),
)

const merged = (list: readonly (Reader['policies'] | undefined)[]): object => {
  const all: Record<string, object> = {}
  for (const policies of list)
    for (const [kind, policy] of Object.entries(policies ?? {})) all[kind] = { ...all[kind], ...policy }
  return all
}

const idp = signer('k1')
const credentials = {
  authorization: `Bearer ${idp.token({ iss: 'https://idp.test', aud: 'api', sub: 'ann', exp: secondsFromNow(3000) })}`,
  'x-api-key': 'key-of-red',
  'proxy-authorization': `Basic ${Buffer.from('carol:secret').toString('base64')}`,
  'x-h': 'h',
}

/** Policies that authenticate the caller. */
const proving = (decider: string): object => ({
  jwtAuth: { mode: 'strict', issuer: 'https://idp.test', audiences: ['api'], jwks: keySetOf(idp) },
  apiKey: {
    mode: 'strict',
    location: { header: { name: 'x-api-key' } },
    keys: [{ key: 'key-of-red', metadata: { team: 'red' } }],
  },
  basicAuth: {
    mode: 'strict',
    htpasswd: 'carol:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=',
    authorizationLocation: { header: { name: 'Proxy-Authorization', prefix: 'Basic ' } },
  },
  extAuthz: {
    host: decider,
    protocol: {
      http: { addRequestHeaders: { 'x-proved': proved }, metadata: { said: "response.headers['x-said']" } },
    },
  },
})

suite('every policy of a route reads the same variables', () => {
  let daemon: Daemon
  let upstream: UpstreamServer
  let decider: UpstreamServer
  const told: (string | string[] | undefined)[] = []
  before(async () => {
    // Responds with what it received; on a route with a retry, the second time only.
    upstream = await httpServer((req, res) => {
      res.statusCode = req.headers['x-fails'] === '1' && !req.headers['x-retry-attempt'] ? 503 : 200
      res.end(JSON.stringify(req.headers))
    })
    decider = await httpServer((req, res) => {
      told.push(req.headers['x-proved'])
      res.setHeader('x-said', 'yes').end()
    })
    const noted = { transformations: { request: { metadata: { note: "'noted'" } } } }
    const at = proving(`127.0.0.1:${decider.port}`)
    const routes = pairs.flatMap((pair, i) =>
      (['route', 'gateway'] as const).map((place) => ({
        name: `${place}${i}`,
        gateways: place,
        matches: [{ path: { exact: `/${place}/${i}` } }],
        policies: {
          ...(place === 'route' ? at : {}),
          ...merged(pair.readers.map(({ policies }) => policies)),
        },
        backends: [
          {
            host: `127.0.0.1:${upstream.port}`,
            policies: merged(pair.readers.map(({ backendPolicies }) => backendPolicies)),
          },
        ],
      })),
    )
    const any = '127.0.0.1:0'
    daemon = await startDaemon(
      JSON.stringify({
        config: { adminAddr: any, statsAddr: any, readinessAddr: any },
        gateways: {
          route: { port: 0, address: '127.0.0.1', ...noted },
          gateway: { port: 0, address: '127.0.0.1', ...noted, ...at },
        },
        frontendPolicies: { accessLog: { add: { seen: facts } } },
        routes,
      }),
    )
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
    await decider[Symbol.asyncDispose]()
  })

  for (const place of ['route', 'gateway'])
    for (const [i, pair] of pairs.entries())
      test(`${pair.name}, with credentials verified by the ${place}`, async () => {
        const path = `/${place}/${i}`
        const fails = pair.readers.some(({ policies }) => policies?.retry !== undefined)
        const headers = { ...credentials, 'x-fails': fails ? '1' : '0' }
        const answer = await sendRequest(daemon.url(place), path, { headers })
        const got = answer.text.startsWith('{') ? (JSON.parse(answer.text) as Answered['got']) : undefined
        for (const { check } of pair.readers) check({ ...answer, got })
        assert.equal(told.at(-1), seen.split('|').slice(0, 4).join('|'))
      })

  test('and so does the log', async () => {
    for (const place of ['route', 'gateway'])
      for (const i of pairs.keys()) {
        const [line] = await daemon.printed(new RegExp(`^.*http\\.path=/${place}/${i} .*$`, 'm'))
        assert.ok(line.includes(seen), line)
      }
  })

  test('in more than fifty pairs', () => {
    assert.ok(pairs.length > 50, String(pairs.length))
  })
})
