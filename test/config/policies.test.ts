import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import type { PolicyLevel } from '../../src/config/policy-row.ts'
import type { policies } from '../../src/config/policies.ts'
import type { SimpleBackendPolicies } from '../../src/model/policies/policy-backend.ts'
import type { BackendPolicies, GatewayPolicies, RoutePolicies } from '../../src/model/resources/policies.ts'

type Rows = typeof policies
type At<L extends PolicyLevel | 'callout'> = {
  [K in keyof Rows]: L extends keyof Rows[K] ? K : never
}[keyof Rows]
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never
/** The rows whose normal form is not what the container has. */
type Wrong = {
  [K in keyof Rows & keyof RoutePolicies]: ReturnType<Rows[K]['normalize']> extends NonNullable<
    RoutePolicies[K]
  >
    ? never
    : K
}[keyof Rows & keyof RoutePolicies]

/** Does not compile if a level of the table and its container in the model differ. */
const checked: [
  Same<At<'gateway'>, keyof GatewayPolicies>,
  Same<At<'route'>, keyof RoutePolicies>,
  Same<At<'backend'>, keyof BackendPolicies>,
  Same<At<'callout'>, keyof SimpleBackendPolicies>,
  Same<Wrong, never>,
] = [true, true, true, true, true]

test('the table of policies has the policies of each container, with the types of their normal forms', () => {
  assert.equal(checked.length, 5)
})

const folder: Readonly<Record<string, string>> = {
  'schema.ts': `import { type Properties, record, text } from '../../config/schema/builders.ts'
export interface Greeting { readonly name: string }
export const greetingDefinitions: Properties = {
  Greeting: record('Greets callers with a header.', { name: text('The name.') }),
}
`,
  'normalize.ts': `import type { Greeting } from './schema.ts'
export const greeting = ({ name = 'world' }: Partial<Greeting>): Greeting => ({ name })
`,
  'greeting.ts': `import { onReply } from '../../pipeline/stage.ts'
import type { Greeting } from './schema.ts'
export const greeting = ({ name }: Greeting) =>
  onReply('greeting', ({ reply }) => reply?.headers.set('x-greeting', name))
`,
  'stage.ts': `import { greeting } from './greeting.ts'
import type { Greeting } from './schema.ts'
export const greetingStage = (policy: Greeting) => ({ reply: greeting(policy) })
`,
}

/** The normal form of a route with the policy, and its form in traces. */
const probe = `import { effective } from './src/config/compile/effective-policies.ts'
import { parseConfig } from './src/config/parse.ts'
import { policyStages } from './src/config/compile/policy-stages.ts'
const text = 'gateways: { default: { port: 3000 } }\\nroutes: [{ policies: { greeting: { name: reader } } }]'
const { policies } = parseConfig(text, 'gateway.yaml', {}).resources.binds[0].listeners[0].routes[0]
if (!policyStages(policies, {}).greeting.reply) throw new Error('no stage')
console.log(JSON.stringify({ policies, traced: effective('route', policies).greeting }))
`

test('a policy is added by a folder, its rows and a line in gateway.ts', (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'added-policy-'))
  t.after(() => {
    rmSync(copy, { recursive: true, force: true })
  })
  for (const name of ['src', 'scripts', 'config', 'docs', 'package.json', 'tsconfig.json'])
    cpSync(name, join(copy, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'), 'dir')
  const insert = (path: string, before: string, line: string, importing = '') => {
    const text = readFileSync(join(copy, path), 'utf8')
    assert.ok(text.includes(before), `${path} has no ${before}`)
    writeFileSync(join(copy, path), importing + text.replace(before, () => `${line}\n${before}`))
  }

  mkdirSync(join(copy, 'src/operators/greeting'))
  for (const [name, text] of Object.entries(folder))
    writeFileSync(join(copy, 'src/operators/greeting', name), text)
  insert(
    'src/config/policies/traffic.ts',
    '  csrf: {',
    "  greeting: { field: ref('Greeting'), definitions: greetingDefinitions, normalize: greeting, phase: 'reply', route: {} },",
    `import { greeting } from '../../operators/greeting/normalize.ts'
import { greetingDefinitions } from '../../operators/greeting/schema.ts'
`,
  )
  insert(
    'src/config/compile/policy-stages.ts',
    '  csrf: csrfStage,',
    '  greeting: greetingStage,',
    "import { greetingStage } from '../../operators/greeting/stage.ts'\n",
  )
  insert('src/gateway.ts', '    p.responseHeaderModifier?.reply,\n    p.buffer', '    p.greeting?.reply,')

  const run = (file: string) =>
    spawnSync(process.execPath, [file], { cwd: copy, encoding: 'utf8', timeout: 120_000 })
  const generated = run('scripts/generate-schema.ts')
  assert.equal(generated.status, 0, generated.stderr)
  assert.match(readFileSync(join(copy, 'docs/reference/configuration.md'), 'utf8'), /Greets callers/)
  assert.match(readFileSync(join(copy, 'config/schema.json'), 'utf8'), /"Greeting"/)

  writeFileSync(join(copy, 'probe.ts'), probe)
  const probed = run('probe.ts')
  assert.equal(probed.status, 0, probed.stderr)
  assert.deepEqual(JSON.parse(probed.stdout), {
    policies: { greeting: { name: 'reader' } },
    traced: { name: 'reader' },
  })
})
