import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'

/** Words that the table in STYLE.md excludes, and their relatives. */
const out = new Set(
  `tongue tongues workshop workplace shelf turnstile hear hears heard hearing told tell tells tellers said says saying
  whose whom whoever somebody nobody everybody elsewhere doorway doorways arrival arrive arrives arrived unaskable
  overhear overheard understand understood ask asks asked asking question questions forbearance behalf patience outlast
  afterwork loan loans lent judge judges judgement judgements decider deciders remember remembered remembers conceal
  conceals facts shim rehome stray begun answer answers answered answering taking taken unsaid`.split(/\s+/),
)

/** Whole names that keep such a word because a standard or a format has it. */
const kept: ReadonlySet<string> = new Set([])

const files = globSync('src/**/*.ts').map((path) => path.replaceAll('\\', '/'))

/** `sentPlaces` has the words `sent` and `places`, and so has `sent-places`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase())

const isOut = (name: string): boolean => !kept.has(name) && wordsOf(name).some((word) => out.has(word))

const exportsOf = (path: string, text = readFileSync(path, 'utf8')): readonly string[] => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  return source.statements.flatMap((statement) => {
    const { modifiers } = statement as { modifiers?: readonly ts.ModifierLike[] }
    if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText(source))
    const { name } = statement as { name?: ts.Identifier }
    return name ? [name.text] : []
  })
}

const written = files.filter((path) => !path.endsWith('.gen.ts'))

/** What tests share: the same words as in `src`, since readers learn the code from its tests. */
const shared = globSync('test/**/*.ts')
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.test.ts') && !path.endsWith('.gen.ts'))

test('names', async (t) => {
  await t.test('of files and folders use standard terms', () => {
    assert.deepEqual([...files, ...shared].filter(isOut), [])
    assert.ok(isOut('upstream/mcp/workplace.ts') && !isOut('operators/mcp/federation/target-lookup.ts'))
  })

  await t.test('of exports use standard terms', () => {
    const found = [...written, ...shared].flatMap((path) => exportsOf(path).map((name) => ({ path, name })))
    assert.ok(found.length > 3_000)
    assert.deepEqual(
      found.filter(({ name }) => isOut(name)).map(({ path, name }) => `${path}: ${name}`),
      [],
    )
    assert.deepEqual(exportsOf('a.ts', 'export const a = 1, b = 2\nexport class C {}\nconst d = 3'), [
      'a',
      'b',
      'C',
    ])
  })

  await t.test('of exports are unique, except rows of codecs and kinds of Kubernetes', () => {
    const byName = new Map<string, Set<string>>()
    for (const path of written.filter((path) => !isKinds(path)))
      for (const name of exportsOf(path)) {
        const places = byName.get(name) ?? new Set()
        byName.set(name, places.add(path))
      }
    const twice = [...byName].filter(([, paths]) => paths.size > 1 && !isRow([...paths]))
    assert.deepEqual(
      twice.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`),
      [],
    )
  })
})

test('folders hold at most 25 files', () => {
  const folders = Map.groupBy(files, (path) => path.slice(0, -basename(path).length))
  assert.deepEqual(
    [...folders].filter(([, inside]) => inside.length > 25).map(([folder]) => folder),
    [],
  )
})

/** Kinds of Kubernetes have the names that the API gives them. */
const isKinds = (path: string): boolean => path.startsWith('src/controller/kinds/')

/** The formats of language models have the same exports each, in their own folders. */
const isRow = (paths: readonly string[]): boolean => {
  const formats = paths.map((path) => /^src\/protocols\/llm\/([\w-]+)\/[\w-]+\.ts$/.exec(path)?.[1])
  return formats.every((format) => format !== undefined) && new Set(formats).size === paths.length
}
