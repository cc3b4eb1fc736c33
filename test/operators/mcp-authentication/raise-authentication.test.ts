import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Derived } from '../../../src/config/derived.ts'
import { parseConfig } from '../../../src/config/parse.ts'
import { raiseAuthentication } from '../../../src/operators/mcp-authentication/normalize/raise-authentication.ts'
import type { Resources, Route } from '../../../src/model/resources/resources.ts'

const authentication = JSON.stringify({
  issuer: 'https://issuer.example',
  audiences: ['a'],
  jwks: { url: 'https://issuer.example/keys' },
  resourceMetadata: {},
})

const resourcesOf = (text: string): Resources =>
  parseConfig(
    `
gateways: { default: { port: 3000 } }
backends:
  - name: tools
    mcp: { targets: [{ name: a, mcp: { host: 'http://a' } }] }
    policies: { mcpAuthentication: ${authentication} }
routes:
  - { name: tools, matches: [{ path: { pathPrefix: /tools } }], backends: [{ backend: tools }] }
  - { name: web, matches: [{ path: { pathPrefix: /web } }], backends: [{ host: 'web:80' }] }
  - { name: group, matches: [{ path: { pathPrefix: /group } }], backends: [{ routeGroup: inner }] }
routeGroups:
  - { name: inner, routes: [{ name: inner, matches: [{ path: { pathPrefix: /group } }], backends: [{ backend: tools }] }] }
${text}`,
    'a.yaml',
    {},
  ).resources

const routesOf = ({ binds, routeGroups }: Resources): readonly Route[] => [
  ...binds.flatMap(({ listeners }) => listeners.flatMap(({ routes }) => routes)),
  ...routeGroups.flatMap(({ routes }) => routes),
]

test('authentication of a backend becomes that of its routes, those of groups too', () => {
  const resources = resourcesOf('')
  const raised = raiseAuthentication(resources, new Derived())
  assert.deepEqual(
    routesOf(raised).map(({ name, policies }) => [name, policies.mcpAuthentication?.issuer.issuer]),
    [
      ['tools', 'https://issuer.example'],
      ['web', undefined],
      ['group', undefined],
      ['inner', 'https://issuer.example'],
    ],
  )
  assert.equal(routesOf(raised)[1], routesOf(resources)[1], 'other routes stay')
})

test('what has not changed is taken over', () => {
  const resources = resourcesOf('')
  const before = new Derived()
  const first = raiseAuthentication(resources, before)
  const other = { ...resources.binds[0], port: 3001 } as Resources['binds'][number]
  const second = raiseAuthentication({ ...resources, binds: [other] }, new Derived(before))
  assert.deepEqual(
    routesOf(second).map((route, i) => route === routesOf(first)[i]),
    [true, true, true, true],
  )
})

test('without authentication of backends nothing is changed', () => {
  const resources = resourcesOf('')
  const open = {
    ...resources,
    backends: resources.backends.map((backend) => ({ ...backend, policies: {} })),
  }
  assert.equal(raiseAuthentication(open, new Derived()), open)
})
