import type { Metadata } from '@grpc/grpc-js'
import assert from 'node:assert/strict'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Authorization } from '../../src/protocols/grpc/ext-authz.gen.ts'
import { RateLimitResponse_Code as Code, RateLimitService } from '../../src/protocols/grpc/rate-limit.gen.ts'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { type GrpcServer, grpcServer, unary } from '../support/grpc-server.ts'
import { respondingTo, asItIs, type Processor, startProcessor } from '../support/processor.ts'
import { checkSignature } from '../support/sigv4.ts'
import { startTokenServer, type TokenServer } from '../support/token-server.ts'
import { keySetOf, secondsFromNow, signer } from '../support/tokens.ts'
import { httpServer, type UpstreamServer } from '../support/upstream-servers.ts'

interface Heard {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const SECRET_KEY = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const idp = signer('k1')
const token = idp.token({ iss: 'https://idp', sub: 'ann', exp: secondsFromNow(600) })

const jwt = (mode: string) => `jwtAuth: { mode: ${mode}, issuer: "https://idp", jwks: '${keySetOf(idp)}' }`

/** Routes by the first segment of the path. */
const route = (name: string, policies: string, host: string): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: { ${policies} }
    backends: [{ host: "${host}" }]`

interface Places {
  readonly host: string
  readonly http: string
  readonly grpc: string
  readonly processor: string
  readonly tokens: string
}

const configuration = ({ host, http, grpc, processor, tokens }: Places): string => {
  const overHttp = (policies: string, more = '') =>
    `extAuthz: { host: "${http}", protocol: { http: {} }, policies: { ${policies} }${more} }`
  const overGrpc = (policies: string, more = '') =>
    `extAuthz: { host: "${grpc}", policies: { ${policies} }${more} }`
  const own = `clientCredentials: { url: "http://${tokens}/own", clientAuth: { clientId: gateway, clientSecret: s3cr3t } }`
  const traded = `oauthTokenExchange: { host: "${tokens}", path: /traded }`
  const limit = `domain: d, descriptors: [{ entries: [{ key: path, value: request.path }] }]`
  const heads = 'processingOptions: { requestBodyMode: none, responseBodyMode: none }'
  return `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
backends:
  - name: keyed
    host: "${http}"
    policies: { backendAuth: { key: own-key }, transformations: { request: { set: { x-own: "'1'" } } } }
  - name: keyed-grpc
    host: "${grpc}"
    policies: { backendAuth: { key: own-key } }
routes:
${route('key', overHttp('backendAuth: { key: secret-key, credentials: [{ key: second-key, location: { queryParameter: { name: k } } }] }'), host)}
${route('named', 'extAuthz: { backend: keyed, protocol: { http: {} } }', host)}
${route('nearer', 'extAuthz: { backend: keyed, protocol: { http: {} }, policies: { backendAuth: { key: nearer-key } } }', host)}
${route('changed', `${jwt('strict')}, ${overHttp(`transformations: { request: { set: { x-sub: jwt.sub, x-from: request.path, ":path": "'/decide'" }, body: "{'asks': request.method}" }, response: { set: { ":status": "response.headers['x-really'] == 'no' ? 403 : response.code" } } }, requestHeaderModifier: { set: { x-last: word } }`)}`, host)}
${route('failing', overHttp(`transformations: { request: { body: "json(request.headers['x-json']).a" } }`, ', includeRequestHeaders: [x-json], failureMode: allow'), host)}
${route('passed', `${jwt('optional')}, ${overHttp('backendAuth: { passthrough: {} }')}`, host)}
${route('own', overHttp(`backendAuth: { ${own} }`), host)}
${route('again', overHttp(`backendAuth: { ${own.replace('/own', '/again')} }`), host)}
${route('timed', overHttp(`backendAuth: { ${own.replace('/own', '/timed')} }`), host)}
${route('traded', `${jwt('optional')}, ${overHttp(`backendAuth: { ${traded} }`, ', failureMode: allow')}`, host)}
${route('signed', overHttp(`backendAuth: { aws: { accessKeyId: AKIDEXAMPLE, secretAccessKey: "${SECRET_KEY}", region: eu-north-1, serviceName: execute-api } }`, ', includeRequestBody: {}'), host)}
${route('gkey', overGrpc('backendAuth: { key: { value: secret-key, location: { header: { name: X-Key } } } }, transformations: { request: { set: { x-path: request.path, x-verb: "request.method" } } }, requestHeaderModifier: { set: { x-last: word } }'), host)}
${route('gnamed', 'extAuthz: { backend: keyed-grpc }', host)}
${route('gown', overGrpc(`backendAuth: { ${own} }`), host)}
${route('gtraded', `${jwt('optional')}, ${overGrpc(`backendAuth: { ${traded} }`, ', failureMode: allow')}`, host)}
${route('limited', `remoteRateLimit: { host: "${grpc}", ${limit}, policies: { backendAuth: { ${own} } } }`, host)}
${route('glimited', `${jwt('optional')}, remoteRateLimit: { host: "${grpc}", ${limit}, failureMode: failOpen, policies: { backendAuth: { ${traded} } } }`, host)}
${route('processed', `extProc: { host: "${processor}", ${heads}, policies: { backendAuth: { ${own} } } }`, host)}
${route('pkey', `extProc: { host: "${processor}", ${heads}, policies: { backendAuth: { key: secret-key } } }`, host)}
${route('ptraded', `${jwt('optional')}, extProc: { host: "${processor}", ${heads}, failureMode: failOpen, policies: { backendAuth: { ${traded} } } }`, host)}
${route('pbody', `extProc: { host: "${processor}", policies: { backendAuth: { ${own} } } }`, host)}
`
}

suite('policies of a callout service', () => {
  let daemon: Daemon
  let upstream: EchoUpstream
  let server: UpstreamServer
  let grpc: GrpcServer
  let processor: Processor
  let tokens: TokenServer
  let decide: (heard: Heard, res: ServerResponse) => void
  const heard: Heard[] = []
  const told: Metadata[] = []

  before(async () => {
    upstream = await startEcho('upstream')
    tokens = await startTokenServer()
    processor = await startProcessor()
    server = await httpServer((req, res) => {
      text(req).then(
        (body) => {
          const { method = '', url = '', headers } = req
          const one = { method, target: url, headers, body }
          heard.push(one)
          decide(one, res)
        },
        () => res.destroy(),
      )
    })
    grpc = await grpcServer([
      unary(Authorization.method.check, (_, call) => {
        told.push(call.metadata)
        return { status: { code: 0 } }
      }),
      unary(RateLimitService.method.shouldRateLimit, (_, call) => {
        told.push(call.metadata)
        return { overallCode: Code.OK }
      }),
    ])
    daemon = await startDaemon(
      configuration({
        host: upstream.host,
        http: `127.0.0.1:${server.port}`,
        grpc: grpc.host,
        processor: processor.host,
        tokens: tokens.host,
      }),
    )
  })

  beforeEach(() => {
    heard.length = told.length = tokens.asked.length = 0
    decide = (_, res) => res.end()
    tokens.answer = ({ target }) => ({
      body: {
        access_token: `token-of${target}`,
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 3600,
      },
    })
    processor.onStream = respondingTo(() => asItIs)
  })

  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await Promise.all([upstream, server, grpc, processor, tokens].map((one) => one[Symbol.asyncDispose]()))
  })

  const status = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
    (await sendRequest(daemon.url('default'), path, { headers })).status

  test('send credentials to an HTTP service in place of those of the client', async () => {
    assert.equal(await status('/key/a?b=c&k=mine', { authorization: 'Bearer of-the-client' }), 200)
    assert.equal(heard[0]?.headers.authorization, 'Bearer secret-key')
    assert.equal(heard[0].target, '/key/a?b=c&k=second-key')
  })

  test('of a named backend apply to callouts', async () => {
    assert.equal(await status('/named'), 200)
    assert.equal(heard[0]?.headers.authorization, 'Bearer own-key')
    assert.equal(heard[0].headers['x-own'], '1')
    assert.equal(await status('/nearer'), 200)
    assert.equal(heard[1]?.headers.authorization, 'Bearer nearer-key')
    assert.equal(await status('/gnamed'), 200)
    assert.deepEqual(told[0]?.get('authorization'), ['Bearer own-key'])
  })

  test('transform callout requests, and interpret callout responses', async () => {
    const headers = { authorization: `Bearer ${token}` }
    assert.equal(await status('/changed/a', headers), 200)
    const [question] = heard
    assert.equal(question?.target, '/decide')
    assert.equal(question.headers['x-sub'], 'ann')
    assert.equal(question.headers['x-from'], '/changed/a')
    assert.equal(question.headers['x-last'], 'word')
    assert.equal(question.body, '{"asks":"GET"}')
    decide = (_, res) => res.setHeader('x-really', 'no').end()
    assert.equal(await status('/changed/a', headers), 403)
  })

  test('that fail refuse the request, even if the service is optional', async () => {
    assert.equal(await status('/failing', { 'x-json': '{"a":"b"}' }), 200)
    assert.equal(heard[0]?.body, 'b')
    assert.equal(await status('/failing', { 'x-json': 'no' }), 403)
    assert.equal(heard.length, 1)
  })

  test('forward the token of the client once it is verified', async () => {
    assert.equal(await status('/passed', { authorization: `Bearer ${token}` }), 200)
    assert.equal(heard[0]?.headers.authorization, `Bearer ${token}`)
    assert.equal(await status('/passed'), 200)
    assert.equal(heard[1]?.headers.authorization, undefined)
  })

  test('request a token once, and again if the service refuses it', async () => {
    assert.equal(await status('/own'), 200)
    assert.equal(await status('/own'), 200)
    assert.deepEqual(
      heard.map(({ headers }) => headers.authorization),
      ['Bearer token-of/own', 'Bearer token-of/own'],
    )
    assert.equal(tokens.asked.length, 1)
    assert.equal(await status('/again'), 200)
    tokens.answer = () => ({ body: { access_token: 'another', token_type: 'Bearer', expires_in: 3600 } })
    decide = ({ headers }, res) => {
      if (headers.authorization === 'Bearer another') res.end()
      else res.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end()
    }
    assert.equal(await status('/again'), 200)
    assert.equal(heard.at(-1)?.headers.authorization, 'Bearer another')
    assert.equal(tokens.asked.length, 3)
  })

  test('exchange the token of the client, and refuse requests without one', async () => {
    assert.equal(await status('/traded', { authorization: `Bearer ${token}` }), 200)
    assert.equal(heard[0]?.headers.authorization, 'Bearer token-of/traded')
    assert.equal(tokens.asked[0]?.parameters.subject_token, token)
    assert.equal(await status('/traded'), 403)
    assert.equal(await status('/gtraded'), 403)
    assert.equal(await status('/glimited'), 500)
    assert.equal(await status('/ptraded'), 500)
    assert.equal(heard.length, 1)
    assert.equal(told.length, 0)
  })

  test('sign callouts for AWS', async () => {
    const asked = { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } }
    assert.equal((await sendRequest(daemon.url('default'), '/signed/a?b=c', asked)).status, 200)
    const [question] = heard
    assert.ok(question)
    const { isRight, isOfBody, scope } = checkSignature(question, SECRET_KEY)
    assert.deepEqual([isRight, isOfBody], [true, true])
    assert.match(scope, /eu-north-1\/execute-api/)
    assert.equal(question.body, '{"a":1}')
  })

  test('send credentials and changed headers to a gRPC service as metadata', async () => {
    assert.equal(await status('/gkey'), 200)
    const [metadata] = told
    assert.deepEqual(metadata?.get('x-key'), ['secret-key'])
    assert.deepEqual(metadata.get('x-path'), ['/envoy.service.auth.v3.Authorization/Check'])
    assert.deepEqual(metadata.get('x-verb'), ['POST'])
    assert.deepEqual(metadata.get('x-last'), ['word'])
    assert.equal(await status('/gown'), 200)
    assert.deepEqual(told[1]?.get('authorization'), ['Bearer token-of/own'])
    assert.equal(await status('/limited'), 200)
    assert.deepEqual(told[2]?.get('authorization'), ['Bearer token-of/own'])
  })

  test('count each call in the metrics of its own policy', async () => {
    const page = async () => (await fetch(`${daemon.url('stats')}/metrics`)).text()
    const counts = async () =>
      Object.fromEntries(
        [
          ...(await page()).matchAll(/call_duration_seconds_count\{kind="Policy",subtype="(\w+)"\} (\d+)/g),
        ].map(([, kind = '', count]) => [kind, Number(count)] as const),
      )
    const before = await counts()
    for (const path of ['/key', '/gkey', '/limited', '/pkey', '/timed']) await status(path)
    const expected = { ExtAuthz: 3, RateLimit: 1, ExtProc: 1, Http: 1 }
    const more = async () => {
      const after = await counts()
      return Object.fromEntries(
        Object.keys(expected).map((kind) => [kind, (after[kind] ?? 0) - (before[kind] ?? 0)]),
      )
    }
    // A stream may end after the reply that it was about.
    while (((await more()).ExtProc ?? 0) < expected.ExtProc) await setTimeout(10)
    assert.deepEqual(await more(), expected)
  })

  test('apply to the stream of a processor', async () => {
    const begun: Metadata[] = []
    processor.onStream = (talk) => {
      begun.push(talk.metadata)
      respondingTo(() => asItIs)(talk)
    }
    assert.equal(await status('/pkey'), 200)
    assert.equal(await status('/processed'), 200)
    const asked = { method: 'POST', body: 'x'.repeat(300_000) }
    const { text: answer } = await sendRequest(daemon.url('default'), '/pbody', asked)
    assert.equal((JSON.parse(answer) as { body: string }).body.length, 300_000)
    assert.deepEqual(
      begun.map((metadata) => metadata.get('authorization')),
      [['Bearer secret-key'], ['Bearer token-of/own'], ['Bearer token-of/own']],
    )
  })
})
