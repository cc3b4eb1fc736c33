import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { tableRows } from '../support/table-rows.ts'

const guide = readFileSync('docs/guides/kubernetes-troubleshooting.md', 'utf8')
const reference = readFileSync('docs/reference/kubernetes-statuses.md', 'utf8')
const sources = globSync('src/**/*.ts').map((path) => readFileSync(path, 'utf8'))

/** Such as `Accepted False ListenersNotValid`, of a section of the reference. */
const documented = (section: string): readonly string[] =>
  tableRows(reference, section).map((cells) =>
    cells
      .slice(0, 3)
      .map((cell) => cell.replaceAll('`', ''))
      .join(' '),
  )

const sectionOf = (kind: string): string =>
  ({ Listener: 'Listeners', HTTPRoute: 'Routes', TLSRoute: 'Routes', TCPRoute: 'Routes' })[kind] ?? kind

test('the guide to troubleshooting in Kubernetes', async (t) => {
  await t.test('has conditions that the reference has', () => {
    const quoted = [...guide.matchAll(/(\w+) (?:says )?`(\S+)=(True|False) (\w+)`/g)]
    assert.ok(quoted.length > 20)
    for (const [text, kind = '', type, status, reason] of quoted)
      assert.ok(documented(sectionOf(kind)).includes(`${type} ${status} ${reason}`), text)
    const written = guide.match(/`\S+=(?:True|False) /g) ?? []
    assert.equal(written.length, quoted.length, 'each condition has its kind before it')
  })

  await t.test('quotes messages that the programs have', () => {
    // Texts of several words in code, up to a placeholder.
    const quoted = [...guide.matchAll(/`([a-z][a-z-]*(?: [a-z:,-]+){3,}[^`]*)`/g)]
      .map(([, text = '']) => text)
      .filter((text) => !/^(kubectl|agctl|curl)\b/.test(text))
    assert.ok(quoted.length > 5)
    const missing = quoted.filter((text) =>
      text
        .split(/ ?… ?|: control plane$/)
        .filter((part) => part !== '')
        .some((part) => !sources.some((source) => source.includes(part))),
    )
    assert.deepEqual(missing, [])
  })

  await t.test('names variables and metrics that exist', () => {
    const settings = readFileSync('docs/reference/kubernetes-settings.md', 'utf8')
    const names = guide.match(/\b(?:AGW_[A-Z_]+|agentgateway_[a-z_]+)\b/g) ?? []
    assert.ok(names.length > 2)
    assert.deepEqual(
      names.filter((name) => !settings.includes(`\`${name}\``)),
      [],
    )
  })
})
