import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '../../src/cel/compile.ts'
import { toPlain } from '../../src/cel/values/values.ts'
import { fullContext } from './full-context.ts'

/** Static type → all attributes of this type. */
const readable: Readonly<Record<string, string>> = {
  string: `request.method request.uri request.host request.scheme request.path request.pathAndQuery request.version
    proxy.bind proxy.gateway.namespace proxy.gateway.name proxy.listener.name proxy.route.namespace proxy.route.name
    proxy.route.kind proxy.route.rule env.podName env.namespace env.gateway basicAuth.username
    llm.requestModel llm.responseModel llm.provider llm.serviceTier llm.params.encoding_format
    source.address source.rawAddress source.identity.trustDomain source.identity.namespace
    source.identity.serviceAccount source.spiffeId source.issuer source.subject source.subjectCn source.certificate
    source.unverifiedWorkload.name source.unverifiedWorkload.namespace source.unverifiedWorkload.serviceAccount
    destination.address destination.hostname backend.name backend.type backend.protocol
    mcp.methodName mcp.method mcp.sessionId mcp.tool.target mcp.tool.name mcp.prompt.target mcp.prompt.name
    mcp.resource.target mcp.resource.name mcp.task.target mcp.task.name`,
  int: `response.code response.grpcStatus source.port source.rawPort destination.port
    llm.inputTokens llm.providerInputTokens llm.inputImageTokens llm.inputTextTokens llm.inputAudioTokens
    llm.cachedInputTokens llm.cacheCreationInputTokens llm.outputTokens llm.outputImageTokens llm.outputTextTokens
    llm.outputAudioTokens llm.reasoningTokens llm.totalTokens llm.providerTotalTokens llm.countTokens
    llm.params.seed llm.params.max_tokens llm.params.dimensions`,
  double: `llm.params.temperature llm.params.top_p llm.params.frequency_penalty llm.params.presence_penalty
    llm.cost.total llm.cost.input llm.cost.output llm.cost.cacheRead llm.cost.cacheWrite llm.cost.reasoning
    llm.cost.inputAudio llm.cost.outputAudio llm.costRates.input llm.costRates.output llm.costRates.cacheRead
    llm.costRates.cacheWrite llm.costRates.reasoning llm.costRates.inputAudio llm.costRates.outputAudio`,
  bool: 'llm.streaming',
  bytes: 'request.body request.bodyPrefix response.body response.bodyPrefix',
  Headers: 'request.headers response.headers source.connectHeaders',
  'google.protobuf.Timestamp': 'request.startTime request.endTime',
  'google.protobuf.Duration': `proxy.requestProcessingDuration proxy.upstreamDuration
    proxy.responseProcessingDuration llm.timeToFirstToken llm.timePerOutputToken`,
  'list<string>': 'source.subjectAltNames',
  list: 'llm.prompt llm.completion llm.toolCalls',
  dyn: `jwt.sub jwt.rawToken apiKey.team apiKey.key llmRequest.model llm.prompt[0].role llm.prompt[0].content
    llm.completion[0] llm.toolCalls[0].id llm.toolCalls[0].name llm.toolCalls[0].arguments
    mcp.tool.arguments.path mcp.tool.result.ok mcp.tool.error.code
    extauthz.user extproc.score mcpGuardrails.seen metadata.tenant`,
}

/** Name of a function → a call of it. */
const calls: Readonly<Record<string, string>> = {
  json: 'json("{}")',
  toJson: 'toJson(1)',
  to_json: 'to_json(1)',
  unvalidatedJwtPayload: 'unvalidatedJwtPayload("e30.e30.x")',
  with: '1.with(x, x + 1)',
  variables: 'size(variables())',
  mapValues: '{"a": 1}.mapValues(v, v)',
  filterKeys: '{"a": 1}.filterKeys(k, true)',
  merge: '{"a": 1}.merge({})',
  flatten: 'flatten({})',
  flattenRecursive: 'flattenRecursive({})',
  flatten_recursive: 'flatten_recursive({})',
  'base64.encode': 'base64.encode("a")',
  'base64.decode': 'base64.decode("YQ==")',
  base64Encode: 'base64Encode("a")',
  base64Decode: 'base64Decode("YQ==")',
  'url.encode': 'url.encode("a")',
  'url.decode': 'url.decode("a")',
  'form.encode': 'form.encode({})',
  'form.decode': 'form.decode(b"a=b")',
  'sha1.encode': 'sha1.encode("a")',
  'sha256.encode': 'sha256.encode("a")',
  'md5.encode': 'md5.encode("a")',
  random: 'random()',
  uuid: 'uuid()',
  default: 'default(jwt.nope, 1)',
  coalesce: 'coalesce(null, 1)',
  regexReplace: '"a".regexReplace("a", "b")',
  unredacted: 'apiKey.key.unredacted()',
  charAt: '"a".charAt(0)',
  indexOf: '"a".indexOf("a")',
  lastIndexOf: '"a".lastIndexOf("a")',
  join: '["a"].join(",")',
  lowerAscii: '"A".lowerAscii()',
  upperAscii: '"a".upperAscii()',
  trim: '" a".trim()',
  replace: '"a".replace("a", "b")',
  split: '"a".split(",")',
  substring: '"ab".substring(1)',
  stripPrefix: '"ab".stripPrefix("a")',
  stripSuffix: '"ab".stripSuffix("b")',
  'math.least': 'math.least(1, 2)',
  'math.greatest': 'math.greatest(1, 2)',
  'math.ceil': 'math.ceil(1.5)',
  'math.floor': 'math.floor(1.5)',
  'math.round': 'math.round(1.5)',
  'math.trunc': 'math.trunc(1.5)',
  'math.isInf': 'math.isInf(1.5)',
  'math.isNaN': 'math.isNaN(1.5)',
  'math.isFinite': 'math.isFinite(1.5)',
  'math.abs': 'math.abs(-1)',
  'math.sign': 'math.sign(-1)',
  'math.sqrt': 'math.sqrt(4)',
  'math.bitAnd': 'math.bitAnd(1, 2)',
  'math.bitOr': 'math.bitOr(1, 2)',
  'math.bitXor': 'math.bitXor(1, 2)',
  'math.bitNot': 'math.bitNot(1)',
  'math.bitShiftLeft': 'math.bitShiftLeft(1, 2)',
  'math.bitShiftRight': 'math.bitShiftRight(1, 2)',
  ip: 'string(ip("::1"))',
  family: 'ip("::1").family()',
  isUnspecified: 'ip("::1").isUnspecified()',
  isLoopback: 'ip("::1").isLoopback()',
  isLinkLocalMulticast: 'ip("::1").isLinkLocalMulticast()',
  isLinkLocalUnicast: 'ip("::1").isLinkLocalUnicast()',
  isGlobalUnicast: 'ip("::1").isGlobalUnicast()',
  isIP: 'isIP("::1")',
  cidr: 'string(cidr("::/8"))',
  containsIP: 'cidr("::/8").containsIP("::1")',
  containsCIDR: 'cidr("::/8").containsCIDR("::/9")',
  'cidr.ip': 'string(cidr("::/8").ip())',
  masked: 'string(cidr("::1/8").masked())',
  prefixLength: 'cidr("::/8").prefixLength()',
  contains: '"ab".contains("a")',
  size: 'size("ab") + "ab".size()',
  has: 'has(jwt.sub)',
  map: '[1].map(x, x)',
  filter: '[1].filter(x, true)',
  all: '[1].all(x, true)',
  exists: '[1].exists(x, true)',
  exists_one: '[1].exists_one(x, true)',
  max: 'max(1, 2)',
  startsWith: '"ab".startsWith("a")',
  endsWith: '"ab".endsWith("b")',
  matches: '"ab".matches("a")',
  string: 'string(1)',
  bytes: 'bytes("a")',
  double: 'double(1)',
  int: 'int(1.0)',
  uint: 'uint(1)',
  duration: 'duration("1s")',
  timestamp: 'timestamp("2026-01-02T03:04:05Z")',
  getFullYear: 'request.startTime.getFullYear()',
  getMonth: 'request.startTime.getMonth()',
  getDate: 'request.startTime.getDate()',
  getDayOfMonth: 'request.startTime.getDayOfMonth()',
  getDayOfWeek: 'request.startTime.getDayOfWeek()',
  getDayOfYear: 'request.startTime.getDayOfYear()',
  getHours: 'request.startTime.getHours()',
  getMinutes: 'request.startTime.getMinutes()',
  getSeconds: 'request.startTime.getSeconds()',
  getMilliseconds: 'request.startTime.getMilliseconds()',
  redacted: 'request.headers.redacted()["authorization"]',
  'headers.join': 'request.headers.join()["x-list"]',
  raw: 'request.headers.raw()["x-team"]',
  'headers.split': 'request.headers.split()["x-list"]',
  cookie: 'request.headers.cookie("lang")',
  query: 'request.uri.query("tag")',
  addQuery: 'request.pathAndQuery.addQuery("a", "b")',
  setQuery: 'request.pathAndQuery.setQuery("a", "b")',
}

test('expressions can read', async (t) => {
  for (const [type, names] of Object.entries(readable))
    for (const name of names.split(/\s+/))
      await t.test(`${name}, of type ${type}`, () => {
        const expression = compile(name)
        assert.equal(expression.type, type)
        const { value, error } = expression.evaluate(fullContext())
        assert.equal(error, undefined)
        assert.notEqual(toPlain(value), undefined)
      })

  await t.test('the method of an MCP call by two names', () => {
    assert.equal(
      compile('mcp.method == mcp.methodName && mcp.method == "tools/call"').test(fullContext()),
      true,
    )
    assert.equal(compile('has(mcp.method)').test({ mcp: { sessionId: 's' } }), false)
  })
})

test('expressions can call', async (t) => {
  for (const [name, call] of Object.entries(calls))
    await t.test(name, () => {
      assert.equal(compile(call).evaluate(fullContext()).error, undefined)
    })

  await t.test('no function that fails in a way default() cannot handle', () => {
    const outcome = (text: string) => {
      const { value, error } = compile(text).evaluate(fullContext())
      return error ? error.code : toPlain(value)
    }
    assert.equal(outcome('default(jwt.nope, 1)'), 1)
    assert.equal(outcome('default(json("{").a, 1)'), 'invalid_json')
    assert.equal(outcome('coalesce(json("{").a, jwt.nope, 2)'), 2)
    assert.equal(outcome('coalesce(json("{").a, null)'), null)
  })
})
