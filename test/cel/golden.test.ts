import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '../../src/cel/compile.ts'
import { toPlain } from '../../src/cel/values.ts'
import { sampleContext } from './sample-context.ts'

/** Expression → its value as JSON has it. */
const values: readonly (readonly [expression: string, value: unknown])[] = [
  // Variables
  ['request.method', 'POST'],
  ['request.uri', 'http://api.test:3000/v1/chat?tag=a&tag=b&q=x%20y'],
  ['request.host + request.path', 'api.test:3000/v1/chat'],
  ['request["path"]', '/v1/chat'],
  ['request.version', 'HTTP/1.1'],
  ['size(request.body)', 77],
  ['request.startTime', '2026-01-02T03:04:05.678Z'],
  ['request.startTime.getFullYear()', 2026],
  ['request.startTime.getHours("Asia/Tokyo")', 12],
  ['request.startTime > timestamp("2026-01-01T00:00:00Z")', true],
  ['response.code >= 500', true],
  ['json(response.body).error.type', 'overloaded'],
  ['source.address + ":" + string(source.port)', '10.1.2.3:54321'],
  ['source.identity.serviceAccount', 'cart'],
  ['source.subjectAltNames.exists(n, n.endsWith("shop"))', true],
  ['destination.hostname', 'api.test'],
  ['proxy.route.name + "@" + proxy.gateway.name', 'api@edge'],
  ['proxy.upstreamDuration > duration("1s")', true],
  ['string(proxy.upstreamDuration)', '1.5s'],
  ['backend.type', 'static'],
  ['env.gateway', 'edge'],
  ['jwt.sub == "alice" && "ops" in jwt.groups', true],
  ['jwt.level + 1', 4],
  ['jwt.level > 2.5', true],
  ['jwt.ratio * 2.0', 1],
  ['jwt.address.city', 'Berlin'],
  ['jwt.groups[1]', 'ops'],
  ['jwt.groups.contains("dev")', true],
  ['metadata.tenant', 'blue'],
  // Operators of CEL
  ['1 + 2 * 3 - 4 / 2 % 3', 5],
  ['7.0 / 2.0', 3.5],
  ['!(1 < 2) || "a" < "b"', true],
  ['request.path == "/v1/chat" ? "yes" : "no"', 'yes'],
  ['true ? "a" : null', 'a'],
  ['[1, "a", null] + [2.5]', [1, 'a', null, 2.5]],
  ['{"a": 1, "b": [true]}', { a: 1, b: [true] }],
  ['2 in [1, 2]', true],
  ['"k" in {"k": 0}', true],
  ['b"ab" + b"c"', 'YWJj'],
  ['type(1) == int', true],
  // Header views
  ['request.headers["X-Team"]', 'blue'],
  ['request.headers.host', 'api.test:3000'],
  ['request.headers["x-list"]', ['a, b', 'c']],
  ['request.headers["x-list"] == "c"', false],
  ['request.headers.join()["x-list"]', 'a, b,c'],
  ['request.headers.raw()["x-team"]', ['blue']],
  ['request.headers.split()["x-list"]', ['a', 'b', 'c']],
  ['request.headers.raw().join()["x-team"]', 'blue'],
  ['request.headers.redacted()["authorization"]', '<redacted>'],
  ['request.headers.redacted().unredacted()["authorization"]', 'Bearer secret'],
  ['response.headers.redacted()["set-cookie"]', ['<redacted>', '<redacted>']],
  ['request.headers.cookie("lang")', 'de'],
  ['request.headers.cookie("session")', 's1'],
  ['"x-team" in request.headers && !("nope" in request.headers)', true],
  ['size(request.headers)', 6],
  ['request.headers.exists(name, name == "x-team")', true],
  ['request.headers.all(name, size(request.headers.raw()[name]) > 0)', true],
  ['toJson(response.headers)', '{"retry-after":"5","set-cookie":["a=1","b=2"]}'],
  // Query
  ['request.uri.query("tag")', ['a', 'b']],
  ['request.pathAndQuery.query("q")[0]', 'x y'],
  ['request.pathAndQuery.addQuery("z", "1 2")', '/v1/chat?tag=a&tag=b&q=x+y&z=1+2'],
  ['request.pathAndQuery.setQuery("tag", "c")', '/v1/chat?tag=c&q=x+y'],
  ['"/p#top".addQuery("a", "b")', '/p?a=b#top'],
  // What may be absent
  ['has(jwt.sub)', true],
  ['has(jwt.nope)', false],
  ['has(jwt.nope.deeper)', false],
  ['has(llm)', false],
  ['has(llm.inputTokens)', false],
  ['has(response) && has(request.headers["x-team"])', true],
  ['has(jwt.groups[5])', false],
  ['default(request.headers["nope"], "none")', 'none'],
  ['default(json(request.body).user.theme, "light")', 'light'],
  ['default(mcp.tool.name, default(jwt.sub, "x"))', 'alice'],
  ['default(request.headers.cookie("nope"), "")', ''],
  ['default(jwt.address, "x")', { city: 'Berlin' }],
  ['coalesce(apiKey.user, null, jwt.sub, "last")', 'alice'],
  ['coalesce(null, apiKey.user)', null],
  // Lists, maps, names
  ['[1, 2, 3].map(x, x * 2)', [2, 4, 6]],
  ['[1, 2, 3].map(x, x > 1, x * 10)', [20, 30]],
  ['[1, 2, 3].filter(x, x != 2)', [1, 3]],
  ['[1, 2, 3].exists_one(x, x == 2) && [1, 2].existsOne(x, x == 2)', true],
  ['["a", 1].exists(x, x > 0)', true],
  ['[[1, 2], [3]].map(l, l.map(x, x + size(l)))', [[3, 4], [4]]],
  ['{"b": 1, "a": 2}.map(k, k)', ['b', 'a']],
  ['{"a": 1, "b": 2}.mapValues(v, v + 1)', { a: 2, b: 3 }],
  ['jwt.address.mapValues(v, v.upperAscii())', { city: 'BERLIN' }],
  ['{"a": 1, "b": 2}.filterKeys(k, k == "b")', { b: 2 }],
  ['{"a": 1, "b": 2}.merge({"b": 3, "c": 4})', { a: 1, b: 3, c: 4 }],
  ['json(request.body).with(b, b.model + string(b.n))', 'm-12'],
  ['cel.bind(p, request.path, p + p)', '/v1/chat/v1/chat'],
  ['size(variables()) > 5', true],
  ['variables().jwt.sub', 'alice'],
  ['flatten({"a": 1})', { a: 1 }],
  // Regular expressions
  ['request.path.matches("^/v[0-9]+/")', true],
  ['matches(request.path, "chat$")', true],
  ['request.path.matches(request.headers["x-team"])', false],
  ['"2026-01-02".regexReplace("(\\\\d+)-(?P<m>\\\\d+)-(\\\\d+)", "$3.${m}.${1}")', '02.01.2026'],
  ['"aXbX".regexReplace("X", "$$1$9")', 'a$1b$1'],
  ['"abc".regexReplace("", "-")', '-a-b-c-'],
  // Strings
  ['"hello".charAt(1) + "hello".charAt(5)', 'e'],
  ['"a.b.a".replace("a", "x")', 'x.b.x'],
  ['"a.b.a".replace("a", "x", 1)', 'x.b.a'],
  ['"ab".replace("", "-")', '-a-b-'],
  ['"Bearer x".stripPrefix("Bearer ") + "a.json".stripSuffix(".json")', 'xa'],
  ['"ÄbC".lowerAscii() + "äbC".upperAscii()', 'ÄbcäBC'],
  ['" a ".trim() + "hello".substring(1, 3)', 'ael'],
  ['"a,b,c".split(",", 2).join("|")', 'a|b,c'],
  ['"hello".indexOf("l") + "hello".lastIndexOf("l")', 5],
  ['"hello".contains("ell") && b"hello".contains(b"ell") && {"k": 1}.contains("k")', true],
  // Types and time
  ['int("42") + int(2.9) + int(timestamp("1970-01-01T00:01:00Z"))', 104],
  ['int(double("1.5")) + int(3u)', 4],
  ['string(request.startTime)', '2026-01-02T03:04:05.678Z'],
  ['string(b"ab") + string(1.5) + string(true)', 'ab1.5true'],
  ['duration("1h30m") == duration("90m")', true],
  ['string(duration("-1.5s") + duration("2s"))', '0.5s'],
  ['string(duration("-1.5s"))', '-1.5s'],
  ['string(duration("1500us") - duration("1h"))', '-3599.9985s'],
  ['duration("-2s") < duration("-1.5s")', true],
  ['duration("250ms").getMilliseconds()', 250],
  // Encodings
  ['json("[1, 2.0, \\"a\\", null, true]")', [1, 2, 'a', null, true]],
  ['json(request.body).big', '1234567890123456789'],
  ['json(request.body).price * 2.0', 20],
  ['toJson({"big": json(request.body).big})', '{"big":1234567890123456789}'],
  ['to_json([1, b"hi", duration("1s"), request.startTime])', '[1,"aGk=","1s","2026-01-02T03:04:05.678Z"]'],
  ['base64.encode("hi") + base64Encode(b"hi")', 'aGk=aGk='],
  ['string(base64.decode("aGk=")) + string(base64Decode("aGk"))', 'hihi'],
  ['url.encode("a b/(c)") + url.decode("a%20b+c")', 'a%20b%2F%28c%29a b+c'],
  ['form.encode({"b": [1, "x y"], "a": true, "n": null})', 'a=true&b=1&b=x+y'],
  ['form.decode("a=1&b=2&a=3+4")', { a: ['1', '3 4'], b: '2' }],
  ['sha256.encode("abc")', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['sha1.encode(b"abc")', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['md5.encode("abc")', '900150983cd24fb0d6963f7d28e17f72'],
  ['unvalidatedJwtPayload("e30.eyJzdWIiOiJib2IifQ.sig").sub', 'bob'],
  // Numbers
  ['math.greatest(1, 2.5, 2)', 2.5],
  ['math.least([3, 1, 2]) + min(5, 4) + max([7])', 12],
  ['[math.ceil(1.2), math.floor(-1.2), math.round(-2.5), math.trunc(-1.7)]', [2, -2, -3, -1]],
  ['math.isInf(1.0 / 0.0) && math.isNaN(0.0 / 0.0) && math.isFinite(1.0)', true],
  ['[math.abs(-3), math.sign(-3), math.bitNot(0)]', [3, -1, -1]],
  ['math.sqrt(9) + math.abs(-1.5)', 4.5],
  ['[math.bitAnd(6, 3), math.bitOr(6, 3), math.bitXor(6, 3)]', [2, 7, 5]],
  ['[math.bitShiftLeft(1, 4), math.bitShiftRight(-1, 63)]', [16, 1]],
  // Addresses
  ['cidr("10.0.0.0/8").containsIP(source.address)', true],
  ['cidr("10.0.0.0/8").containsIP("::ffff:10.9.9.9")', true],
  ['cidr("10.0.0.0/8").containsIP(ip("11.0.0.1"))', false],
  ['cidr("2001:db8::/32").containsCIDR("2001:db8:1::/48")', true],
  ['cidr("10.1.2.3/8").containsCIDR(cidr("10.0.0.0/7"))', false],
  ['string(cidr("10.1.2.3/8").masked()) + string(cidr("10.1.2.3/8").ip())', '10.0.0.0/810.1.2.3'],
  ['cidr("10.0.0.0/8").prefixLength()', 8],
  ['ip("2001:DB8:0:0:1:0:0:1") == ip("2001:db8::1:0:0:1")', true],
  ['string(ip("2001:DB8:0:0:1:0:0:1"))', '2001:db8::1:0:0:1'],
  ['ip("::1").isLoopback() && ip("0.0.0.0").isUnspecified() && ip("8.8.8.8").isGlobalUnicast()', true],
  ['ip("fe80::1").isLinkLocalUnicast() && ip("224.0.0.5").isLinkLocalMulticast()', true],
  ['ip("10.0.0.1").family() + ip("::2").family()', 10],
  [
    '[isIP("1.2.3.4"), isIP("1.2.3"), isIP("01.2.3.4"), isIP("::1%eth0"), isCIDR("1.2.3.4/33")]',
    [true, false, false, false, false],
  ],
  // Secrets
  ['jwt.rawToken', '<redacted>'],
  ['jwt.rawToken == "abc.def.ghi"', false],
  ['jwt.rawToken.unredacted()', 'abc.def.ghi'],
  [
    'toJson(jwt)',
    '{"sub":"alice","groups":["dev","ops"],"level":3,"ratio":0.5,"address":{"city":"Berlin"},"rawToken":"<redacted>"}',
  ],
]

/** Expression → the code of its failure. */
const failures: readonly (readonly [expression: string, code: string])[] = [
  ['llm.inputTokens > 5', 'unknown_variable'],
  ['jwt.nope', 'no_such_key'],
  ['jwt.sub.nope', 'no_such_key'],
  ['jwt.groups[7]', 'no_such_key'],
  ['jwt.rawToken.reveal', 'no_such_key'],
  ['request.headers["nope"]', 'no_such_key'],
  ['request.headers.cookie("nope")', 'no_such_key'],
  ['request.uri.query("nope")', 'no_such_key'],
  ['source.spiffeId', 'no_such_key'],
  ['proxy.route.rule', 'no_such_key'],
  ['dyn(request.headers)["get"]', 'no_such_key'],
  ['jwt.constructor', 'no_such_key'],
  ['request.startTime.__proto__.getHours()', 'no_such_key'],
  ['duration("1s").constructor', 'no_such_key'],
  ['{"a": 1}.toString', 'no_such_key'],
  ['cel.bind', 'no_such_key'],
  ['json("{}").toString', 'no_such_key'],
  ['jwt.level + "x"', 'no_such_overload'],
  ['request.headers["x-list"].startsWith("a")', 'no_matching_overload'],
  ['coalesce(jwt.nope, llm.provider)', 'unknown_variable'],
  ['default(json("{"), 1)', 'invalid_json'],
  ['1 / 0', 'division_by_zero'],
  ['9223372036854775807 + 1', 'numeric_overflow'],
  ['int("")', 'int_conversion_error'],
  ['int("9223372036854775808")', 'int_conversion_error'],
  ['int(1e300)', 'numeric_overflow'],
  ['duration(jwt.sub)', 'invalid_duration'],
  ['base64.decode("not base64!")', 'invalid_base64'],
  ['url.decode("%E0%A4%A")', 'invalid_url_encoding'],
  ['cidr(jwt.sub)', 'invalid_cidr'],
  ['ip(jwt.sub)', 'invalid_ip'],
  ['"a".matches(request.headers["x-list"][0] + "(")', 'invalid_regular_expression'],
  ['fail("because")', 'failed'],
  ['[1, 2].all(x, jwt.nope)', 'no_such_key'],
  ['[dyn("a")].exists(x, x)', 'invalid_predicate'],
  ['math.greatest("a", 1)', 'no_such_overload'],
]

test('expressions', async (t) => {
  for (const [expression, expected] of values)
    await t.test(`${expression} gives ${JSON.stringify(expected)}`, () => {
      const { value, error } = compile(expression).evaluate(sampleContext())
      assert.equal(error, undefined)
      assert.deepEqual(toPlain(value), expected)
    })

  for (const [expression, code] of failures)
    await t.test(`${expression} fails with ${code}`, () => {
      assert.equal(compile(expression).evaluate(sampleContext()).error?.code, code)
    })

  await t.test('give random numbers and identifiers anew each time', () => {
    const [random, uuid] = [compile('random()'), compile('uuid()')]
    const draw = () => random.evaluate({}).value as number
    const draws = Array.from({ length: 50 }, draw)
    assert.ok(draws.every((one) => one >= 0 && one < 1) && new Set(draws).size > 40)
    assert.match(uuid.evaluate({}).value as string, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.notEqual(uuid.evaluate({}).value, uuid.evaluate({}).value)
  })
})
