import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { defineQuery } from '../../../src/controller/graph/query.ts'
import type { Secret } from '../../../src/controller/kinds/core.ts'
import { desiredState } from '../../../src/controller/translate/desired-state.ts'
import { goldenCertificates } from '../support/golden-certificates.ts'
import { goldenGraph, type GoldenObject, readGoldenObjects } from '../support/golden-objects.ts'

/** Whoever reads an object, and few may read Secrets, must not find a word of this. */
const MARK = 'hunter2hunter2'

/** Texts that parsers of credentials, keys and documents fail on in different ways. */
const texts: readonly string[] = [
  `{"key":"${MARK}","keyHash":"${MARK}","type":"${MARK}","keys":["${MARK}`,
  `${MARK}:${MARK}\n\u0000é${MARK}`.repeat(9),
  `-----BEGIN PRIVATE KEY-----\n${MARK}\n-----END PRIVATE KEY-----`,
]

const withTexts =
  (text: string, isOf: (key: string) => boolean) =>
  (one: GoldenObject): GoldenObject => {
    if (one.kind !== 'Secret') return one
    const secret = one.object as Secret
    const data = Object.fromEntries(
      Object.entries(secret.data ?? {}).map(([key, value]) => [
        key,
        isOf(key) ? Buffer.from(text).toString('base64') : value,
      ]),
    )
    return { ...one, object: { ...secret, data } }
  }

const noPlan = defineQuery('noPlan', () => undefined)

test('statuses and failures have no text of a Secret, whatever is wrong with it', () => {
  const root = join(import.meta.dirname, '../golden')
  const certificates = goldenCertificates()
  after(() => {
    certificates[Symbol.dispose]()
  })
  const fill = (text: string): string => certificates.fill(text)
  const common = readGoldenObjects(readFileSync(join(root, 'cluster.yaml'), 'utf8'), fill)
  const leaks: string[] = []
  for (const name of readdirSync(root).sort()) {
    const file = join(root, name, 'in.yaml')
    if (!existsSync(file)) continue
    const objects = readGoldenObjects(readFileSync(file, 'utf8'), fill)
    const keys = new Set(
      objects.flatMap(({ kind, object }) =>
        kind === 'Secret' ? Object.keys((object as Secret).data ?? {}) : [],
      ),
    )
    for (const key of keys)
      for (const text of texts) {
        const graph = goldenGraph([...common, ...objects.map(withTexts(text, (one) => one === key))])
        const { statuses, failures } = desiredState(graph, noPlan)
        const shown = inspect([statuses, failures], {
          depth: 20,
          maxStringLength: null,
          maxArrayLength: null,
        })
        if (shown.includes('hunter2'))
          leaks.push(`${name} ${key} ${text.slice(0, 40)}: ${/.{0,80}hunter2.{0,20}/.exec(shown)?.[0]}`)
      }
  }
  assert.deepEqual(leaks, [])
})
