import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { handDown } from '../../src/config/compile/routes/handed-down.ts'
import { mergePolicies } from '../../src/config/merge-policies.ts'
import { parseConfig } from '../../src/config/parse.ts'
import type { Route } from '../../src/model/resources/resources.ts'

const targets = {
  gateway: '{ gateway: { gatewayName: edge } }',
  port: '{ gateway: { gatewayName: edge, port: 3000 } }',
  set: '{ listenerSet: { name: more } }',
  listener: '{ gateway: { gatewayName: edge, listenerName: web } }',
  route: '{ route: { name: main } }',
  rule: '{ route: { name: main, ruleName: first } }',
} as const

type Level = keyof typeof targets

/** A policy at a level; `!` after the level: it overrides. */
type Attached = Level | `${Level}!`

const policiesOf = (
  attached: readonly Attached[],
  policy: (level: string) => string,
  more = '',
  name = '',
): string =>
  attached
    .map((one) => {
      const level = one.replace('!', '') as Level
      const inheritance = one.endsWith('!') ? 'override' : 'default'
      return `  - { name: { name: ${level}${name} }, target: ${targets[level]}, inheritance: ${inheritance}, policy: { ${policy(level)} }${more} }`
    })
    .join('\n')

/** The merged policies of the route and of the listener. */
const mergedRoute = (policies: string, inline = ''): Route => {
  const { resources } = parseConfig(
    `
binds:
  - port: 3000
    listeners:
      - name: web
        gatewayName: edge
        routes: [{ name: main, ruleName: first, policies: { ${inline} } }]
policies:
${policies}
`,
    'levels.yaml',
    {},
  )
  const route = mergePolicies(resources).binds[0]?.listeners[0]?.routes[0]
  assert.ok(route)
  return route
}

const body = (level: string) => `directResponse: { status: 200, body: ${level} }`
const rule = (level: string) => `authorization: { rules: ['request.path == "/${level}"'] }`

const bodyIn = ({ policies }: Route): unknown =>
  policies.directResponse && 'body' in policies.directResponse ? policies.directResponse.body : undefined
const rulesIn = ({ policies }: Route): unknown =>
  JSON.stringify(policies.authorization?.rules).match(/(?<=\/)\w+/g)

suite('inheritance of policies', () => {
  const cases: readonly (readonly [
    attached: readonly Attached[],
    inForce: string,
    rules: readonly string[],
  ])[] = [
    [['gateway', 'listener', 'route', 'rule'], 'inline', ['gateway', 'listener', 'route', 'rule', 'inline']],
    [['gateway!', 'listener', 'route', 'rule'], 'gateway', ['gateway']],
    [['port!', 'listener', 'route!', 'rule'], 'port', ['port']],
    [['gateway', 'listener!', 'route', 'rule'], 'listener', ['gateway', 'listener']],
    [['gateway', 'listener', 'route!', 'rule'], 'route', ['gateway', 'listener', 'route']],
    [['gateway', 'rule!'], 'rule', ['gateway', 'rule']],
    [['listener!', 'gateway!'], 'gateway', ['gateway']],
  ]
  for (const [attached, inForce, rules] of cases)
    test(`${attached.join(', ')} and inline: ${inForce}`, () => {
      assert.equal(bodyIn(mergedRoute(policiesOf(attached, body), body('inline'))), inForce)
      assert.deepEqual(rulesIn(mergedRoute(policiesOf(attached, rule), rule('inline'))), rules)
    })

  test('locks one kind of policy only', () => {
    const { policies } = mergedRoute(policiesOf(['gateway!'], body), `${body('inline')}, csrf: {}`)
    assert.deepEqual(Object.keys(policies).sort(), ['csrf', 'directResponse'])
  })

  test('concerns those of the gateway phase as well', () => {
    const text = (inheritance: string) => `
gateways: { edge: { port: 3000, cors: { allowOrigins: ['https://inline'] } } }
policies:
  - { name: { name: a }, target: { gateway: { gatewayName: edge } }, phase: gateway, inheritance: ${inheritance}, policy: { cors: { allowOrigins: ['https://attached'] } } }
`
    const originOf = (inheritance: string) => {
      const { resources } = parseConfig(text(inheritance), 'cors.yaml', {})
      return JSON.stringify(mergePolicies(resources).binds[0]?.listeners[0]?.policies.cors)
    }
    assert.match(originOf('override'), /attached/)
    assert.match(originOf('default'), /inline/)
  })

  test('at one level is decided by precedence: an overriding policy that is not in force locks nothing', () => {
    const precedence = (year: number, name: string) =>
      `, precedence: { createdAt: '${String(year)}-01-01T00:00:00Z', namespace: default, name: ${name} }`
    const younger = policiesOf(['gateway!'], () => body('younger'), precedence(2026, 'b'), '-younger')
    const older = policiesOf(['gateway'], () => body('older'), precedence(2025, 'a'))
    assert.equal(bodyIn(mergedRoute(`${younger}\n${older}`)), 'older')
    assert.equal(bodyIn(mergedRoute(`${younger}\n${older}`, body('inline'))), 'inline')
    const oldOverrides = policiesOf(['gateway!'], () => body('older'), precedence(2025, 'a'))
    assert.equal(bodyIn(mergedRoute(`${younger}\n${oldOverrides}`, body('inline'))), 'older')
  })

  test('reaches the routes of groups, and groups behind them', () => {
    const outer = mergedRoute(policiesOf(['gateway!'], body))
    const inGroup = mergedRoute('', `${body('group')}, csrf: {}`)
    const first = handDown(outer, inGroup)
    assert.deepEqual(Object.keys(first.policies), ['csrf'])
    assert.deepEqual(Object.keys(handDown(first, inGroup).policies), ['csrf'])
  })
})
