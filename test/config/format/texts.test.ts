import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formats } from '../../../src/config/format/formats.ts'

/** Texts that a format accepts, and texts that it refuses. */
const table: Readonly<Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>> =
  {
    absolutePath: { good: ['/', '/a/b', '/%2F', '/ä'], bad: ['', 'a', '/a?b', '/a#b', '/a b', '/\u0000'] },
    authority: {
      good: ['a', 'a.b:80', '[::1]', '[::1]:80', '1.2.3.4'],
      bad: ['', 'a/b', 'a:b', 'http://a', '::1', 'a:99999'],
    },
    cel: { good: ['1 + 1', 'request.path'], bad: ['', ' ', '1 +', 'unknown', 'request.unknown'] },
    celConnectionRule: {
      good: ['true', 'source.address == "a"', 'destination.port == 80'],
      bad: ['1', 'request.path == "/"', 'source.address == env.podName'],
    },
    celRule: {
      good: ['true', 'jwt.sub == "a"'],
      bad: ['1', '"a"', 'response.code == 200', 'true || has(response.code)'],
    },
    celFunctions: {
      good: ['', 'f(a) { a + 1 }', 'f() { 1 }\nthis.g(b...) { f() }'],
      bad: ['f', 'f() { }', 'f() { f() }', 'size(a) { 1 }'],
    },
    timestamp: {
      good: ['2026-01-31T08:00:00Z', '2026-01-31t08:00:00.5z', '2026-01-31T08:00:00+02:00'],
      bad: ['', '2026-01-31', '2026-01-31T08:00:00', '2026-13-31T08:00:00Z', 'yesterday'],
    },
    celBool: { good: ['true', 'request.path == "/"'], bad: ['1', '"a"'] },
    celSampling: { good: ['0.5', 'true', 'response.code >= 500'], bad: ['"a"', 'unknown'] },
    otlpEndpoint: {
      good: ['http://localhost:4317', 'https://a.example', 'http://a:4318/v1/traces', 'localhost:4317'],
      bad: ['', 'ftp://a', 'http://u:p@a', 'http://a/?b', 'http://a/#b'],
    },
    sampling: {
      good: ['0', '1', '0.25', 'true', 'false', 'request.path == "/"'],
      bad: ['2', '-1', 'unknown'],
    },
    celConnectionText: {
      good: ['"a:80"', 'source.address + ":80"', 'destination.hostname'],
      bad: ['1', 'request.path', 'env.podName'],
    },
    celText: { good: ['"a"', 'request.path'], bad: ['1', 'true'] },
    baseUrl: {
      good: ['https://a.example', 'http://localhost:11434/v1', 'http://[::1]:1/a/b/'],
      bad: ['', 'a.example/v1', 'ftp://a', 'https://u:p@a', 'https://a/?b', 'https://a/#b', 'https://'],
    },
    cidr: {
      good: ['10.0.0.0/8', '::1/128', 'fd00::/8'],
      bad: ['10.0.0.0', '10.0.0.0/33', '10/8', 'a/8', '::/129', '1.2.3.4/8/8'],
    },
    cipherSuite: {
      good: [
        'TLS_AES_256_GCM_SHA384',
        'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
        'ECDHE-RSA-AES128-GCM-SHA256',
      ],
      bad: ['', 'AES', 'TLS_ECDHE_RSA_WITH_RC4_128_SHA'],
    },
    durationOrCel: { good: ['1s', 'duration("1s")', '5'], bad: ['1 s', 'soon'] },
    headerName: { good: ['x-a', 'X_A', 'a'], bad: ['', 'a b', 'a:', ':path', 'ä'] },
    headerOrPseudo: { good: ['x-a', ':authority', ':status'], bad: [':protocol', '', 'a b'] },
    headerValue: {
      good: ['', 'a', 'a b', 'é', 'a\tb'],
      bad: [' a', 'a ', 'a\nb', 'a\r\nb', '\u0000', 'a\u007f'],
    },
    host: {
      good: ['a', 'a.b', '127.0.0.1', '::1', 'a_b'],
      bad: ['', 'a:80', 'a b', '1.2.3', '-a', 'a..b', 'a'.repeat(64)],
    },
    hostPort: {
      good: ['a:1', '[::1]:65535', '1.2.3.4:80'],
      bad: ['a', 'a:0', 'a:65536', '::1:80', 'http://a:80', 'a:b', ':80'],
    },
    hostnamePattern: {
      good: ['*', '*.a', 'a.b', 'A.', '1.2.3.4'],
      bad: ['', '*a', 'a.*', '**.a', 'a:80', '*.'],
    },
    ip: { good: ['1.2.3.4', '::1'], bad: ['', 'a', '[::1]', '1.2.3'] },
    listenAddress: {
      good: ['0.0.0.0', '::', 'unix:/a'],
      bad: ['', 'localhost', '1.2.3.4:80', 'unix:a', 'unix:/'],
    },
    logLevel: {
      good: ['info', 'DEBUG', 'off', 'info,a=debug', 'a=trace'],
      bad: ['', 'loud', 'a=', '=info', 'info,'],
    },
    matchPath: {
      good: ['/', '/a', '/a%2Fb', '/.well-known', '/a..b', '/%61', '/caf%c3%a9', '/é'],
      bad: ['a', '/.', '/a/..', '/%2e%2e/a', '/..;a', '/%00', '/%7f', '/a%2', '/%'],
    },
    method: { good: ['GET', 'PURGE', 'x-y'], bad: ['', 'get', 'a b', 'Post'] },
    metricLabel: { good: ['a', '_b1', 'Route'], bad: ['', '1a', 'a-b', '__a', 'route', 'le'] },
    mcpMethodPattern: {
      good: ['tools/call', 'tools/*', '*/list', '*'],
      bad: ['', 'a*b', '**', '*a*'],
    },
    mcpTargetName: {
      good: ['a', '0', 'a-b', 'a.b', 'server-1.prod', 'a'.repeat(253)],
      bad: ['', 'A', 'a_b', 'a+b', '-a', 'a-', '.a', 'a..b', 'a b', 'é', 'a'.repeat(254)],
    },
    modelPattern: {
      good: ['small', '*', 'a-*', '*-a', 'vendor/a'],
      bad: ['', '**', 'a*b', 'a**'],
    },
    originPattern: {
      good: ['*', 'https://a', 'http://localhost:3000', 'https://*.a.example', 'http://[::1]:80', 'null'],
      bad: ['', 'a', 'https://a/', 'https://', 'https://a*.b', 'HTTPS://a'],
    },
    absoluteUri: {
      good: ['urn:ietf:params:oauth:token-type:jwt', 'https://a.example/b'],
      bad: ['', 'access_token', '/a', 'urn:a#b'],
    },
    httpOrigin: {
      good: ['http://10.0.0.3:3000', 'http://a', 'http://a:80', 'https://[::1]:443', 'https://a.example'],
      bad: [
        '',
        'a',
        '10.0.0.3:3000',
        'http://a/',
        'http://a/b',
        'http://me@a',
        'http://A',
        'ftp://a',
        'http://:1',
      ],
    },
    httpUrl: {
      good: ['https://a', 'http://127.0.0.1:1/keys?x=1'],
      bad: ['', 'a', 'ftp://a', 'https://me:word@a', 'https://a/#b'],
    },
    requestTarget: { good: ['/', '/a?b=c', '/%20'], bad: ['', 'token', '/a b', '/a#b', '/é'] },
    cloudName: {
      good: ['a', 'A.b_c:d-1', '2024-09-01'],
      bad: ['', '.', '..', '-a', 'a/b', 'a?', 'a%2f', 'a b'],
    },
    cloudRegion: {
      good: ['us-east-1', 'eu', 'global'],
      bad: ['', 'A', 'a.b', 'a-', '-a', 'a/b', 'a:1', 'a_b'],
    },
    guardrailId: {
      good: [
        'abc123',
        'arn:aws:bedrock:us-east-1:123456789012:guardrail/a1',
        'arn:aws-cn:bedrock:x:123456789012:guardrail/a',
      ],
      bad: [
        '',
        'A',
        'a/b',
        '..',
        'arn:aws:bedrock:us-east-1:1:guardrail/a',
        'arn:aws:s3:x:123456789012:guardrail/a',
      ],
    },
    agentRuntimeArn: {
      good: ['arn:aws:bedrock-agentcore:us-east-1:123456789012:runtime/agent-1'],
      bad: [
        '',
        'agent-1',
        'arn:aws:s3:us-east-1:123456789012:runtime/a',
        'arn:aws:bedrock-agentcore:us-east-1:1:runtime/a',
      ],
    },
    guardrailVersion: { good: ['1', '99999999', 'DRAFT'], bad: ['', '0', '01', 'draft', '1/2', '100000000'] },
    serviceEndpoint: {
      good: ['a.example', 'a.example:8443', 'https://a.example', 'https://a.example/', 'http://[::1]:80'],
      bad: ['', 'https://', 'https://a/b', 'a/b', 'a?b', 'a#b', 'u@a', 'ftp://a', 'a:0', 'a b'],
    },
    internalTarget: {
      good: ['forward', '/config_dump', '/debug/trace?follow=true'],
      bad: ['', 'config_dump', 'Forward', '/a b', '/quitquitquit', '/quitquitquit?a=b'],
    },
    regex: { good: ['', 'a.*', '^a$', '(?i)a', '\\d+'], bad: ['(', 'a**', '(?=a)', '(a)\\1', '[z-a]'] },
    replacementPath: { good: ['', '/', '/a'], bad: ['a', '/a?b'] },
    serverAddress: {
      good: ['off', 'localhost:1', '127.0.0.1:0', '[::]:1', 'unix:/a'],
      bad: ['', '15000', ':15000', 'a:1', '::1', 'unix:', '1.2.3.4'],
    },
    serviceHost: {
      good: ['a:80', 'unix:/a', 'http://a', 'https://a.example', 'https://a:8443/', 'HTTPS://[::1]:1'],
      bad: ['', 'a', 'https://', 'https://a/b', 'https://a?b', 'https://u@a', 'https://a:0', 'ftp://a'],
    },
    serviceName: { good: ['a/b', 'default/a.b.svc', '/a'], bad: ['', 'a', 'a/', 'a/b/c', 'a b/c'] },
    settableHeader: { good: ['x-a', 'host'], bad: ['Content-Length', 'transfer-encoding', ':path', ''] },
    matchRegex: { good: ['a+', '(a|b){3}'], bad: ['(', '(?=a)', '((a{100}){100}){100}', 'a'.repeat(70_000)] },
    requestField: {
      good: ['x-a', 'Authorization', ':path', ':method', ':authority', ':scheme'],
      bad: ['', ':status', ':protocol', 'a b'],
    },
    settableRequestField: {
      good: ['x-a', ':path', ':method', ':authority'],
      bad: ['', ':status', 'content-length', 'Transfer-Encoding'],
    },
    settableOrPseudo: { good: ['x-a', ':path'], bad: ['content-length', ':protocol'] },
    staticTarget: { good: ['a:1', 'unix:/a b'], bad: ['a', 'unix:a', 'http://a'] },
    statusRange: {
      good: ['200', '200-399', '2xx', '5XX'],
      bad: ['', '100', '600', '2x', '299-200', '200-', '200 - 299', '200,204'],
    },
    upgradeToken: { good: ['websocket', 'WebSocket'], bad: ['', 'h2c', 'H2C', 'a b'] },
  }

test('schema formats', async (t) => {
  await t.test('are all tested here or in their own file', () => {
    assert.deepEqual(
      Object.keys(formats).filter((name) => !(name in table)),
      ['duration'],
    )
  })

  for (const [name, { good, bad }] of Object.entries(table)) {
    const check = formats[name]
    assert.ok(check)
    await t.test(`${name} accepts valid texts`, () => {
      assert.deepEqual(
        good.filter((text) => check(text) !== undefined),
        [],
      )
    })
    await t.test(`${name} explains invalid ones`, () => {
      assert.deepEqual(
        bad.filter((text) => (check(text)?.expectation ?? '') === ''),
        [],
      )
    })
  }
})
