import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigDiff } from '../../../src/config/diff/config-diff.ts'
import { parseConfig } from '../../../src/config/parse.ts'

const diff = (before: string, after: string, env = [{}, {}]) => {
  const [old = {}, current = {}] = env
  const compared = new ConfigDiff(parseConfig(before, 'a.yaml', old), parseConfig(after, 'b.yaml', current))
  const stepsMs: number[] = []
  let began = performance.now()
  for (const _ of compared.steps()) {
    stepsMs.push(performance.now() - began)
    began = performance.now()
  }
  return { ...compared.changes, stepsMs: stepsMs.sort((a, b) => a - b) }
}

const gateway = 'gateways: { default: { port: 3000 } }\n'
const model = (name: string, key: string, url = 'https://a.example/v1') =>
  `{ name: ${name}, provider: openAI, params: { apiKey: ${key}, baseUrl: "${url}" } }`

test('the difference of two configurations', async (t) => {
  await t.test('is empty for other notations, comments and places in the file', () => {
    const a = `${gateway}routes: [{ name: a, policies: { directResponse: { status: 200 } } }]`
    const b = `# later\n\nroutes:\n- name: a\n  policies:\n    directResponse:\n      status: 200\n${gateway}`
    const { added, removed, changed, omitted } = diff(a, b)
    assert.deepEqual([added, removed, changed, omitted], [[], [], [], 0])
  })

  await t.test('names the field of a secret that has changed, and never shows it', () => {
    const file = (key: string) => `${gateway}llm: { models: [${model('m', key)}] }`
    const found = diff(file('sk-first-secret-1111'), file('sk-second-secret-2222'))
    assert.doesNotMatch(JSON.stringify(found), /secret-\d/)
    const [changed, ...more] = found.changed
    assert.deepEqual(more, [])
    assert.equal(changed?.kind, 'model')
    assert.ok(changed.fields.every(({ old, new: current }) => old === '"<redacted>"' && current === old))
    assert.ok(changed.fields.length > 0)
  })

  await t.test('hides values of secret variables and credentials in addresses', () => {
    const file = `${gateway}llm: { models: [{ name: m, provider: openAI, params: { apiKey: k-1234567890, baseUrl: "https://a.example/$MY_TOKEN" } }] }`
    const { changed } = diff(file, file, [{ MY_TOKEN: 'tok-aaaaaaaa' }, { MY_TOKEN: 'tok-bbbbbbbb' }])
    assert.equal(changed.length, 1)
    assert.doesNotMatch(JSON.stringify(changed), /tok-/)
  })

  await t.test('is of single models of a router', () => {
    const file = (...models: readonly string[]) => `${gateway}llm: { models: [${models.join(', ')}] }`
    const { added, removed, changed } = diff(
      file(model('a', 'key-aaaaaaaa'), model('b', 'key-aaaaaaaa')),
      file(model('a', 'key-aaaaaaaa', 'https://b.example/v1'), model('c', 'key-aaaaaaaa')),
    )
    const names = [added, removed, changed].map((list) =>
      list.map(({ kind, name }) => [kind, name.slice(-2)]),
    )
    assert.deepEqual(names, [[['model', '/c']], [['model', '/b']], [['model', '/a']]])
    assert.match(JSON.stringify(changed[0]?.fields), /a\.example.*b\.example/)
  })

  await t.test('is bounded, and made in short steps', () => {
    const routes = (count: number, status: number) =>
      Array.from(
        { length: count },
        (_, i) =>
          `- { name: r${i}, matches: [{ path: { exact: /r${i} } }], policies: { directResponse: { status: ${status}, body: "${'x'.repeat(300)}${status}" } } }`,
      ).join('\n')
    const found = diff(`${gateway}routes:\n${routes(600, 200)}`, `${gateway}routes:\n${routes(600, 201)}`)
    assert.deepEqual([found.changed.length, found.omitted], [500, 100])
    assert.ok(JSON.stringify(found.changed).length < 1_000_000)
    assert.ok(found.stepsMs.length > 1_200)
    // The machine may be busy: the longest steps say more about that.
    const usualMs = found.stepsMs[Math.floor(found.stepsMs.length * 0.9)] ?? Infinity
    assert.ok(usualMs < 5, `a step took ${usualMs} ms`)
  })
})
