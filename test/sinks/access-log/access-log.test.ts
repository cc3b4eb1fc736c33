import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestSpans } from '../../../src/model/tracing/request-spans.ts'
import { SpanScope } from '../../../src/model/tracing/span-scope.ts'
import { compile } from '../../../src/cel/compile.ts'
import { ExchangeContext } from '../../../src/cel/context/exchange-context.ts'
import { emptyBody } from '../../../src/model/exchange/body.ts'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { LlmCall } from '../../../src/model/llm/llm-call.ts'
import type { AccessLog } from '../../../src/model/resources/frontend-policies.ts'
import { Redaction } from '../../../src/model/trace/redact.ts'
import { deny, Reply } from '../../../src/model/exchange/reply.ts'
import { A2aAttributes } from '../../../src/model/exchange/a2a-attributes.ts'
import { accessLog, accessLogFields } from '../../../src/sinks/access-log/access-log.ts'
import { accessLogRules } from '../../../src/sinks/access-log/access-log-policy.ts'
import { exchange, type ExchangeOverrides } from '../../../src/testing/exchange.ts'
import { lineCollector } from '../../support/line-collector.ts'

const labels = {
  bind: 'bind/3000',
  gateway: 'default/default',
  listener: 'main',
  route: 'default/files',
  routeRule: 'rule0',
}

const upstreamReply = (headers: string[] = []): Reply =>
  new Reply(200, new Headers(headers), emptyBody, 'Upstream')

/** An exchange that ended after 12 ms. */
const ended = (
  overrides: ExchangeOverrides = {},
  change: (x: Exchange) => void = () => undefined,
): Exchange => {
  const x = exchange({ labels, reply: upstreamReply(), authority: 'a.test:3000', ...overrides })
  x.downstream.committed = true
  x.downstream.endedAt = x.request.startedAt + 12.9
  change(x)
  return x
}

const line = (x: Exchange, format: 'text' | 'json' = 'text', policy?: Partial<AccessLog>): string => {
  const destination = lineCollector()
  const rules =
    policy &&
    accessLogRules(
      { add: [], remove: [], ...policy },
      {
        test: (text) => (one) => compile(text).test(new ExchangeContext(one)),
        value: (text) => (one) => compile(text).evaluate(new ExchangeContext(one)).value,
      },
    )
  accessLog({ format, destination, rules: () => rules, redaction: new Redaction(['x-badge']) })(x)
  return destination.lines.join('').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, '<time>')
}

const proxied = (x: Exchange): void => {
  x.upstream.endpoint = '127.0.0.1:8081'
  x.upstream.backend = { name: '/files/backend0', type: 'static', protocol: 'http' }
  x.upstream.attempts = 3
}

test('the access log', async (t) => {
  await t.test('writes a line of text per exchange', () => {
    assert.equal(
      line(ended({ path: '/files/a?page=2' }, proxied)),
      '<time>\tinfo\trequest gateway=default/default listener=main route_rule=rule0 route=default/files ' +
        'endpoint=127.0.0.1:8081 src.addr=127.0.0.1:50000 http.method=GET http.host=a.test:3000 ' +
        'http.path=/files/a?page=2 http.version=HTTP/1.1 http.status=200 protocol=http retry.attempt=2 ' +
        'reason=Upstream duration=12ms durationMs=12.9\n',
    )
  })

  await t.test('writes a JSON object per exchange', () => {
    assert.equal(
      line(ended({ path: '/files/a?page=2' }, proxied), 'json'),
      '{"level":"info","time":"<time>","scope":"request","gateway":"default/default","listener":"main",' +
        '"route_rule":"rule0","route":"default/files","endpoint":"127.0.0.1:8081","src.addr":"127.0.0.1:50000",' +
        '"http.method":"GET","http.host":"a.test:3000","http.path":"/files/a?page=2","http.version":"HTTP/1.1",' +
        '"http.status":200,"protocol":"http","retry.attempt":2,"reason":"Upstream","duration":"12ms","durationMs":12.9}\n',
    )
  })

  await t.test('has the reason, the code and the error of a failure', () => {
    const reply = deny(404, 'route_not_found', { message: 'route not found' })
    assert.match(
      line(ended({ reply })),
      / http\.status=404 error="route not found" reason=NotFound code=route_not_found duration=12ms durationMs=12\.9\n$/,
    )
  })

  await t.test('has the cause of an error', () => {
    const cause = (behind: unknown, change?: (x: Exchange) => void) => {
      const reply = deny(503, 'upstream_failed')
      reply.cause = behind
      return / cause=("[^"\\\n]*"|\S+) reason=/.exec(line(ended({ reply }, change)))?.[1]
    }
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:80'), { code: 'ECONNREFUSED' })
    assert.equal(cause(refused), '"connect ECONNREFUSED 10.1.2.3:80 (ECONNREFUSED)"')
    assert.equal(
      cause(new Error('no answer', { cause: new Error('no route', { cause: 'lost' }) })),
      '"no answer; because: no route; because: lost"',
    )
    assert.equal(cause('late'), 'late')
    const secret = 'correct horse'
    const hidden = (x: Exchange) => {
      x.policy.secrets = [secret]
    }
    assert.equal(cause(new Error(`not ${secret}`), hidden), '"not <redacted>"')
    assert.doesNotMatch(cause(new Error('asked with Bearer abcdefgh12345678')) ?? '', /abcdefgh/)
    for (const text of ['hello secret', `{"a": ${'x'.repeat(100)}`])
      try {
        JSON.parse(text)
      } catch (error) {
        assert.match(cause(error) ?? '', /^"Unexpected token '.', text that is not valid JSON"$/)
      }
  })

  await t.test('records a disconnected client, with a status only if a reply was sent', () => {
    const left = (committed: boolean) =>
      line(
        ended({}, (x) => {
          x.downstream.truncatedBy = 'client left'
          x.downstream.committed = committed
        }),
      )
    assert.match(left(true), / http\.status=200 error="client left" /)
    assert.doesNotMatch(left(false), /http\.status/)
  })

  await t.test('has the original request, whatever was rewritten', () => {
    const x = ended({ path: '/public/a' }, ({ request }) => {
      request.path = '/internal/a'
      request.authority = 'backend.test'
    })
    assert.match(line(x), / http\.host=a\.test:3000 http\.path=\/public\/a /)
  })

  await t.test('supports IPv6, HTTP/2, gRPC and TLS without a host', () => {
    const connection = {
      sourceAddress: '::1',
      tls: { serverName: 'sni.test', alpn: 'h2', version: 'TLSv1.3', client: undefined },
    }
    const reply = upstreamReply(['grpc-status', '7'])
    const text = line(ended({ connection, httpVersion: '2', authority: '', reply }))
    assert.match(text, / src\.addr=\[::1\]:50000 /)
    assert.match(text, / http\.version=HTTP\/2\.0 http\.status=200 grpc\.status=7 tls\.sni=sni\.test /)
  })

  await t.test('has the ids of request and connection on request', () => {
    const destination = lineCollector()
    const write = accessLog({ format: 'text', destination, withIds: true })
    const [first, second, third] = [ended(), ended(), ended()]
    Object.assign(second.request, { connection: first.request.connection })
    const all = [first, second, third]
    for (const x of all) write(x)
    const found = destination.lines.map((text) =>
      /\trequest connection\.id=(\d+) request\.id=(\d+) gate/.exec(text),
    )
    assert.deepEqual(
      found.map((ids) => ids?.[2]),
      all.map(({ request }) => String(request.id)),
    )
    const [one, same, other] = found.map((ids) => ids?.[1])
    assert.ok(one === same && one !== other)
  })

  await t.test('has the client certificate', () => {
    const client = {
      subject: 'CN=a',
      subjectCn: 'a',
      issuer: 'CN=ca',
      subjectAltNames: [],
      spiffeId: 'spiffe://cluster.test/ns/shop/sa/web',
      pem: '',
    }
    const tls = { serverName: 'a.test', alpn: 'h2', version: 'TLSv1.3', client }
    assert.match(
      line(ended({ connection: { tls } })),
      / src\.addr=\S+ src\.identity=spiffe:\/\/cluster\.test\/ns\/shop\/sa\/web http\.method=/,
    )
  })

  await t.test('has the subject of an MCP request, and only a hash of its session and of secrets', () => {
    const text = line(
      ended({}, (x) => {
        x.policy.addSecret('hunter2-hunter2')
        x.protocol.mcp = {
          methodName: 'resources/read',
          sessionId: 'a session that opens doors',
          target: 'files',
          kind: 'resource',
          resource: { target: 'files', name: 'db://ann:pw@host/x?token=4711' },
          error: { code: -32602, message: `no hunter2-hunter2 ${'z'.repeat(1000)}` },
        }
      }),
    )
    assert.match(
      text,
      / mcp\.method\.name=resources\/read mcp\.target=files mcp\.resource\.type=resource mcp\.resource\.uri=db:\/\/<redacted>@host\/x\?token=<redacted> mcp\.session\.id=16e39d91cd438764 mcp\.error\.code=-32602 mcp\.error\.message="no <redacted> z+…"/,
    )
    assert.doesNotMatch(text, /opens doors|4711|hunter2|z{300}/)
  })

  await t.test('has its fields in the documented order', () => {
    const everything = ended({ authority: '' }, (x) => {
      proxied(x)
      x.reply = deny(503, 'upstream_failed', { headers: { 'grpc-status': '14' } })
      x.reply.cause = 'lost'
      x.identity = { jwt: { sub: 'ann' } }
      const spans = new RequestSpans(undefined, 0)
      x.span = new SpanScope(spans, spans.server)
      const heard = { outcome: 'error', errorCode: -32001, kind: 'task', taskState: 'failed', contextId: 'c' }
      x.protocol.a2a = Object.assign(new A2aAttributes('message/send'), heard)
      x.protocol.mcp = {
        methodName: 'tools/call',
        sessionId: 's',
        target: 'files',
        kind: 'tool',
        tool: { target: 'files', name: 'read' },
        prompt: { name: 'p' },
        resource: { name: 'file:///a' },
        error: { code: -32602, message: 'no' },
      }
      x.protocol.llm = Object.assign(new LlmCall('completions'), {
        ...{ provider: 'openai', requestModel: 'a', responseModel: 'b', cost: { total: 1 } },
        ...{ inputTokens: 9, cacheCreationInputTokens: 1, cachedInputTokens: 2, inputAudioTokens: 3 },
        ...{ outputTokens: 9, reasoningTokens: 1, outputImageTokens: 2, outputAudioTokens: 3 },
        ...{ timeToFirstTokenMs: 5, timePerOutputTokenMs: 1 },
        params: {
          ...{ temperature: 1, top_p: 1, frequency_penalty: 0, presence_penalty: 0, seed: 1 },
          ...{ max_tokens: 1, encoding_format: 'float', dimensions: 1 },
        },
      })
      Object.assign(x.request, {
        connection: {
          ...x.request.connection,
          tls: { serverName: 'sni.test', client: { spiffeId: 'spiffe://a' } },
        },
      })
    })
    const destination = lineCollector()
    accessLog({ format: 'json', destination, withIds: true })(everything)
    const names = Object.keys(JSON.parse(destination.lines[0] ?? '') as object).slice(3)
    assert.deepEqual(
      names,
      accessLogFields.filter((name) => name !== 'http.host'),
    )
  })
})

test('an accessLog policy', async (t) => {
  await t.test('logs only what matches its filter', () => {
    const filter = 'response.code >= 400'
    assert.equal(line(ended(), 'text', { filter }), '')
    assert.notEqual(line(ended({ reply: deny(404, 'route_not_found') }), 'text', { filter }), '')
  })

  await t.test('removes fields, including those of the location', () => {
    const text = line(ended(), 'text', { remove: ['gateway', 'listener', 'src.addr', 'duration'] })
    assert.doesNotMatch(text, / (gateway|listener|src\.addr|duration)=/)
    assert.match(text, /request route_rule=rule0 route=default\/files http\.method=GET /)
  })

  await t.test('appends fields, replaces those of the same name, and skips those that fail', () => {
    const add: AccessLog['add'] = [
      ['agent', 'request.headers["user-agent"]'],
      ['http.method', '"was " + request.method'],
      ['count', '1 + 1'],
      ['flag', 'true'],
      ['list', '[1, "a"]'],
      ['absent', 'request.headers["x-absent"]'],
      ['nothing', 'null'],
    ]
    const x = ended({ headers: { 'user-agent': 'curl 8' } })
    assert.match(
      line(x, 'text', { add }),
      / duration=12ms durationMs=12\.9 agent="curl 8" http\.method="was GET" count=2 flag=true list="\[1,\\"a\\"\]"\n$/,
    )
    const record = JSON.parse(line(x, 'json', { add })) as Record<string, unknown>
    assert.deepEqual(
      [record.agent, record['http.method'], record.count, record.flag, record.list],
      ['curl 8', 'was GET', 2, true, [1, 'a']],
    )
  })

  await t.test('expands a flattened map into several fields', () => {
    const add: AccessLog['add'] = [['h', 'flatten({"a": 1, "b c": {"d": 2}})']]
    const record = JSON.parse(line(ended(), 'json', { add })) as Record<string, unknown>
    assert.deepEqual([record['h.a'], record['h.b_c']], [1, { d: 2 }])
  })
})

test('a line of the access log has no duplicate names, whatever is added', () => {
  const add: AccessLog['add'] = [
    ...['scope', 'level', 'time', 'durationMs', 'a b', 'a_b'].map((name): [string, string] => [
      name,
      "'mine'",
    ]),
  ]
  const text = line(ended(), 'json', { add })
  const names = [...text.matchAll(/"([\w.]+)":/g)].map(([, name]) => name)
  assert.equal(new Set(names).size, names.length, text)
  assert.partialDeepStrictEqual(JSON.parse(text), { scope: 'mine', level: 'mine', durationMs: 'mine' })
  assert.equal((JSON.parse(line(ended(), 'json')) as { durationMs: unknown }).durationMs, 12.9)
})

test('an access log contains no credentials', async (t) => {
  const headers = {
    authorization: 'Bearer SECRET-bearer',
    cookie: 'theme=dark; session=SECRET-cookie',
    'x-api-key': 'SECRET-api',
    'x-badge': 'SECRET-badge',
  }
  const path = '/a?page=2&token=SECRET-a&client_secret=SECRET-b&X-Amz-Signature=SECRET-c&code=SECRET-d'
  const reply = deny(503, 'upstream_failed', {
    message: 'cannot reach http://user:SECRET-user@a.test/?password=SECRET-url with Bearer SECRET-token',
    headers: { 'set-cookie': 'SECRET-set' },
  })
  const add: AccessLog['add'] = [
    ['one', 'request.headers["authorization"]'],
    ['part', 'request.headers["authorization"].substring(7)'],
    ['wrapped', '"key: " + request.headers["x-api-key"]'],
    ['all', 'request.headers'],
    ['list', '[request.headers["x-badge"]]'],
    ['set', 'response.headers["set-cookie"]'],
    ['cookie', 'request.headers.cookie("session")'],
    ['uri', 'request.uri'],
  ]
  for (const format of ['text', 'json'] as const)
    await t.test(`as ${format}, in the query, the error and added fields`, () => {
      const text = line(ended({ path, headers, reply }), format, { add })
      assert.deepEqual(text.match(/SECRET-[a-z]+/g), null)
      assert.match(text, /\/a\?page=2&token=<redacted>&client_secret=<redacted>/)
      assert.match(text, /key: <redacted>/)
    })
})
