import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, type ConfigProblem } from '../../src/config/errors.ts'
import { parseConfig } from '../../src/config/parse.ts'
import { cpuTimeMs } from '../support/cpu-time.ts'

const GATEWAY = 'gateways: {default: {port: 3000}}\n'

const problems = (text: string, env: Readonly<Record<string, string>> = {}): readonly ConfigProblem[] => {
  try {
    parseConfig(text, 'gw.yaml', env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('parseConfig', async (t) => {
  await t.test('reports every part of a problem', () => {
    const text = `${GATEWAY}routes:\n  - matches:\n      - path: { pathPrefix: v1 }\n`
    assert.deepEqual(problems(text), [
      {
        file: 'gw.yaml',
        line: 4,
        column: 29,
        pointer: '/routes/0/matches/0/path/pathPrefix',
        path: 'routes[0].matches[0].path.pathPrefix',
        value: '"v1"',
        expectation: 'must start with "/"',
        hint: 'did you mean "/v1"?',
      },
    ])
  })

  await t.test('prints a problem as one line and its hint as another', () => {
    assert.throws(() => parseConfig(`${GATEWAY}routse: []\n`, 'gw.yaml', {}), {
      name: 'ConfigError',
      message: 'gw.yaml:2:1: routse: unknown field\n    hint: did you mean "routes"?',
    })
  })

  await t.test('reports problems of every kind at once, in the order of the file', () => {
    const text = `gateways:
  default: { port: 3000 }
  default: { port: 3001 }
backends:
  - { name: a, host: "$GONE" }
  - { nme: b }
routes:
  - backends: [{ backend: b }, { backend: c }]
frontendPolicies: { networkExtAuthz: {} }
config:
  adminAddr: 127.0.0.1:3000
`
    const found = problems(text, { LOG_FORMAT: 'xml' })
    assert.deepEqual(
      found.map(({ line, path, expectation }) => [line, path, expectation.slice(0, 26)]),
      [
        [0, 'LOG_FORMAT', 'must be one of text, json'],
        [2, 'gateways.default.port', 'port 3000 is configured by'],
        [3, 'gateways.default', 'written twice, first on li'],
        [5, 'backends[0].host', 'environment variable GONE '],
        [6, 'backends[1]', 'must have one of host, dyn'],
        [6, 'backends[1].nme', 'unknown field'],
        [8, 'routes[0].backends[0].backend', 'is not a known backend'],
        [8, 'routes[0].backends[1].backend', 'is not a known backend'],
        [9, '', 'not supported yet: fronten'],
      ],
    )
  })

  await t.test('does not blame a reference for an error in its target', () => {
    const text = `${GATEWAY}backends: [{ name: api, host: broken }]\nroutes: [{ backends: [{ backend: api }] }]\n`
    assert.deepEqual(
      problems(text).map(({ path }) => path),
      ['backends[0].host'],
    )
  })

  await t.test('does not report an invalid field as missing', () => {
    const text = 'gateways: { default: { port: many } }\nbinds: [{ port: 1, listeners: [{ routes: 5 }] }]\n'
    assert.deepEqual(
      problems(text).map(({ path }) => path),
      ['gateways.default.port', 'binds[0].listeners[0].routes'],
    )
  })

  await t.test('keeps the indexes of entries behind an invalid one', () => {
    const text = `${GATEWAY}routes:\n  - 5\n  - { backends: [{ host: a }, { backend: gone }] }\n`
    assert.deepEqual(
      problems(text).map(({ path }) => path),
      ['routes[0]', 'routes[1].backends[0].host', 'routes[1].backends[1].backend'],
    )
  })

  await t.test('counts problems beyond a hundred instead of printing them', () => {
    const text = `${GATEWAY}routes:\n${'  - { wrong: 1 }\n'.repeat(150)}`
    assert.equal(problems(text).length, 150)
    assert.throws(() => parseConfig(text, 'gw.yaml', {}), { message: /\nand 50 more problems$/ })
  })

  await t.test('never prints credentials', () => {
    const text = `${GATEWAY}routes:
  - policies:
      requestHeaderModifier: { set: { Authorization: [s3cr3t], x-api-key: "s3cr3t\\nx", cookie: 5 } }
    backends: [{ host: "http://user:s3cr3t@host/" }]
config: { session: { key: [s3cr3t] }, database: { url: "", password: s3cr3t } }
`
    assert.throws(
      () => parseConfig(text, 'gw.yaml', {}),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError)
        assert.ok(error.problems.length >= 6)
        assert.doesNotMatch(error.message, /s3cr3t/)
        return true
      },
    )
  })

  await t.test('cuts long values', () => {
    const [problem] = problems(`${GATEWAY}backends: [{ name: a, host: ${'x'.repeat(500)} }]\n`)
    assert.equal(problem?.value?.length, 80)
  })

  await t.test('has the same hash for the same content, however it is written', () => {
    const hash = (text: string): string => parseConfig(text, 'any.yaml', { PORT: '3000' }).hash
    const yaml = hash('# comment\n\ngateways:\n  default:\n    port: 3000\n')
    assert.match(yaml, /^[0-9a-f]{16}$/)
    assert.equal(hash('{"gateways": {"default": {"port": 3000}}}'), yaml)
    assert.equal(hash('gateways: {default: {port: $PORT, protocol: HTTP}}'), yaml)
    assert.notEqual(hash('gateways: {default: {port: 3001}}'), yaml)
    assert.notEqual(hash('gateways: {default: {port: 3000}}\nconfig: {logging: {level: debug}}'), yaml)
  })

  await t.test('parses a thousand routes quickly', () => {
    const route = (i: number): string =>
      `  - { name: r${String(i)}, matches: [{ path: { pathPrefix: /a${String(i)} } }], backends: [{ host: 'h:80' }] }\n`
    const text = `${GATEWAY}routes:\n${Array.from({ length: 1000 }, (_, i) => route(i)).join('')}`
    parseConfig(GATEWAY, 'gw.yaml', {})
    const began = cpuTimeMs()
    assert.equal(parseConfig(text, 'gw.yaml', {}).resources.backends.length, 1000)
    assert.ok(cpuTimeMs() - began < 10_000)
  })
})
