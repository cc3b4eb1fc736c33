import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { defaults } from '../../src/config/defaults.ts'
import { documentedVariables } from '../support/documented-variables.ts'

const textOf = (guide: string): string => readFileSync(`docs/guides/${guide}.md`, 'utf8')
const reference = (page: string): string => readFileSync(`docs/reference/${page}.md`, 'utf8')

/** Names of metrics, without the suffixes of a histogram's samples. */
const metricsIn = (text: string): string[] =>
  [...text.matchAll(/\bagentgateway_[a-z0-9_]*[a-z0-9]\b(?!_)/g)].map(([name]) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  )

/** `404 some_code` in a table, where the status and the code are of a reply of the gateway. */
const codesIn = (text: string): [string, string][] =>
  [...text.matchAll(/\| (\d{3}) `([a-z_]+)`/g)].map(([, status = '', code = '']) => [status, code])

const operatorGuides = ['containers', 'hardening', 'operations', 'troubleshooting', 'tuning', 'upgrading']

test('guides for operators', async (t) => {
  await t.test('name metrics that exist', () => {
    const known = reference('metrics') + reference('kubernetes-settings')
    for (const path of globSync(['docs/guides/*.md', 'examples/*/README.md', 'examples/*/*.yml'])) {
      for (const name of metricsIn(readFileSync(path, 'utf8')))
        assert.ok(known.includes(`\`${name}\``), `${path}: ${name}`)
    }
  })

  await t.test('name codes that exist, with their statuses', () => {
    const rows = reference('errors')
    const named = ['troubleshooting', 'tuning'].flatMap((guide) => codesIn(textOf(guide)))
    assert.ok(named.length >= 7)
    for (const [status, code] of named)
      assert.match(rows, new RegExp(`^\\| \`${code}\` +\\|[^|]*\\b${status}\\b`, 'm'))
  })

  await t.test('name variables of the environment that exist', () => {
    const ofControlPlane = reference('kubernetes-settings').matchAll(/^\| `([A-Z][A-Z0-9_]*)` +\|/gm)
    const known = new Set([...documentedVariables(), ...Array.from(ofControlPlane, ([, name = '']) => name)])
    const others = new Set(['CAP_NET_BIND_SERVICE', 'NET_BIND_SERVICE', 'NODE_OPTIONS', 'NAME', 'FILE'])
    for (const guide of operatorGuides) {
      const names = [...textOf(guide).matchAll(/`([A-Z][A-Z0-9_]*_[A-Z0-9_]+)\b(?!…)/g)].map(
        ([, name = '']) => name,
      )
      for (const name of names) assert.ok(known.has(name) || others.has(name), `${guide}: ${name}`)
    }
  })

  await t.test('name fields of the configuration that exist', () => {
    const schema = readFileSync('config/schema.json', 'utf8')
    const fields = operatorGuides.flatMap((guide) => [
      ...textOf(guide).matchAll(/`((?:config|frontendPolicies)\.[\w.]+)/g),
    ])
    assert.ok(fields.length > 15)
    for (const [, path = ''] of fields) {
      for (const field of path.split('.')) assert.ok(schema.includes(`"${field}": {`), `${path}: ${field}`)
    }
  })

  await t.test('quote messages that are in the sources', () => {
    const sources = globSync('src/**/*.ts').map((path) => readFileSync(path, 'utf8'))
    for (const [guide, message] of [
      ['operations', 'the service manager could not be notified'],
      ['operations', 'no gateway has the address of an inherited socket'],
      ['operations', 'Failed to reload config'],
      ['troubleshooting', 'Failed to reload config'],
      ['troubleshooting', 'changed fields need a restart'],
      ['troubleshooting', 'this user may not open it'],
      ['troubleshooting', 'not supported yet'],
    ] as const) {
      assert.ok(textOf(guide).includes(message), `${guide}: ${message}`)
      assert.ok(
        sources.some((source) => source.includes(message)),
        message,
      )
    }
  })

  await t.test('state the defaults of limits', () => {
    const rows = textOf('tuning')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
    const { admission, http, mcp, upstream } = defaults
    const wanted = {
      'Requests at the same time': admission.maxExchanges.toLocaleString('en'),
      'Event loop lag': `${spaced(admission.lag)} for ${spaced(admission.lagFor)}`,
      'Size of a buffered body': `${http.maxBufferSize / 1024 ** 2} MiB`,
      'Size and number of headers': `${http.maxHeaderSize / 1024} KiB, ${http.maxHeaders}`,
      'Time for the head of a request': spaced(http.headersTimeout),
      'Time to connect to a backend': spaced(upstream.connectTimeout),
      'Programs of MCP servers': `${mcp.maxPrograms}, ${mcp.maxProgramsPerTarget} of one target`,
    }
    for (const [limit, value] of Object.entries(wanted)) {
      assert.ok(
        rows.some(([, name, stated]) => name === limit && stated === value),
        `${limit}: ${value}`,
      )
    }
    assert.ok(textOf('operations').includes(`\`http1IdleTimeout\` (${parseInt(http.idleTimeout)} minutes)`))
    assert.ok(textOf('operations').includes(`${parseInt(defaults.terminationDeadline)} seconds by default`))
  })
})

const spaced = (duration: string): string => duration.replace(/(?<=\d)(?=[a-z])/, ' ')
