import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diffResources } from '../../../src/cli/diff/diff-resources.ts'
import { resourceList } from '../../../src/cli/diff/resource-list.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { PolicyOrigins } from '../../../src/config/policy-origins.ts'

const listOf = async (text: string) => {
  const origins = new PolicyOrigins()
  return resourceList(await loadConfig({ kind: 'text', text }, {}, undefined, origins), origins)
}

const changes = async (a: string, b: string): Promise<readonly string[]> =>
  diffResources(await listOf(a), await listOf(b)).map(
    ({ change, kind, name, fields }) => `${change} ${kind} ${name}${fields.map((one) => ` ${one}`).join('')}`,
  )

const base = `
gateways: { default: { port: 3000 } }
routes:
  - { name: a, matches: [{ path: { pathPrefix: /a } }], backends: [{ backend: api }] }
  - { name: b, matches: [{ path: { pathPrefix: /b } }], policies: { timeout: { requestTimeout: 1s } }, backends: [{ host: 'b.test:80' }] }
backends: [{ name: api, host: 'a.test:80', policies: { backendAuth: { key: first } } }]
`

test('the differences of two configurations', async (t) => {
  await t.test('are none if only the notation differs', async () => {
    const other = base
      .replace('requestTimeout: 1s', 'requestTimeout: 1000ms')
      .replace('3000', '"3000"'.slice(1, -1))
    assert.deepEqual(await changes(base, `# a comment\n${other}`), [])
  })

  await t.test('name what was changed, added and removed', async () => {
    const other = base
      .replace('requestTimeout: 1s', 'requestTimeout: 2s')
      .replace("'a.test:80'", "'a.test:81'")
      .replace('name: a,', 'name: c,')
    assert.deepEqual(await changes(base, other), [
      'added route default/c',
      'changed policy timeout of route default/b requestTimeout',
      'changed backend /api target',
      'removed route default/a',
    ])
  })

  await t.test('show that a credential was changed, but neither of the two', async () => {
    const [listA, listB] = [await listOf(base), await listOf(base.replace('first', 'second'))]
    const [change, ...others] = diffResources(listA, listB)
    assert.deepEqual([change?.name, others.length], ['backendAuth of backend /api', 0])
    assert.doesNotMatch(JSON.stringify(change), /first|second/)
  })

  await t.test('include the order of routes, and settings that need a restart', async () => {
    const [, , , a = '', b = '', ...rest] = base.split('\n')
    const swapped = [...base.split('\n').slice(0, 3), b, a, ...rest].join('\n')
    assert.deepEqual(await changes(base, swapped), ['changed setting order of the routes of gateway/default'])
    assert.deepEqual(await changes(base, `config: { adminAddr: '127.0.0.1:1' }\n${base}`), [
      'changed setting config.adminAddr port',
    ])
  })
})
