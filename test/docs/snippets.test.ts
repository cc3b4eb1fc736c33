import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { test } from 'node:test'
import { parseConfig } from '../../src/config/parse.ts'
import { type Block, type Page, readPage, readPages } from '../support/pages.ts'

const pages = readPages()

/** Guides and examples show only code from tested files. */
const mustBePulled = (path: string): boolean => /^(docs\/(guides|concepts)|examples)\//.test(path)

const withoutIndent = (lines: readonly string[]): string => {
  const indents = lines
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length)
  const indent = Math.min(...indents)
  return lines.map((line) => line.slice(indent)).join('\n')
}

/** Whether the lines of `part` follow one another somewhere in `whole`, indented by the same amount or not at all. */
const isPartOf = (part: string, whole: string): boolean => {
  const wanted = part.trimEnd().split('\n')
  const lines = whole.split('\n')
  return lines.some((_, at) => withoutIndent(lines.slice(at, at + wanted.length)) === withoutIndent(wanted))
}

const wrongWith = (page: Page, { file, language, code }: Block): string | undefined => {
  if (file === undefined) {
    const code = language === 'ts' || language === 'yaml'
    return code && mustBePulled(page.path) ? 'comes from no file' : undefined
  }
  const path = posix.join(dirname(page.path), file)
  if (!existsSync(path)) return `comes from ${path}, which is not there`
  return isPartOf(code, readFileSync(path, 'utf8')) ? undefined : `is not what ${path} says`
}

const complaints = (page: Page): string[] =>
  page.blocks.flatMap((block) => {
    const wrong = wrongWith(page, block)
    return wrong === undefined ? [] : [`${page.path}:${block.line} ${wrong}`]
  })

test('code snippets in the documentation', async (t) => {
  await t.test('match the files that they are from', () => {
    assert.ok(pages.flatMap(({ blocks }) => blocks.filter(({ file }) => file !== undefined)).length > 9)
    assert.deepEqual(pages.flatMap(complaints), [])
  })

  await t.test('are reported if they are not from a file, or differ from it', () => {
    const planted = readPage(
      'docs/guides/planted.md',
      [
        '```ts',
        'invented()',
        '```',
        '```yaml file=gone.yaml',
        'a: b',
        '```',
        '```ts file=../../test/docs/snippets.test.ts',
        'assert.ok(true)',
        '```',
        '',
      ].join('\n'),
    )
    assert.deepEqual(complaints(planted), [
      'docs/guides/planted.md:1 comes from no file',
      'docs/guides/planted.md:4 comes from docs/guides/gone.yaml, which is not there',
      'docs/guides/planted.md:7 is not what test/docs/snippets.test.ts says',
    ])
    assert.ok(isPartOf('b\n  c', 'a\n  b\n    c\nd') && !isPartOf('b\nc', 'a\n  b\n    c\nd'))
  })

  await t.test('load, if they are configurations', () => {
    const whole = pages.flatMap(({ path, blocks }) =>
      blocks
        .filter(({ language, code }) => language === 'yaml' && /^(gateways|binds):/m.test(code))
        .map(({ line, code }) => ({ name: `${path}:${line}`, code })),
    )
    assert.ok(whole.length > 1)
    for (const { name, code } of whole) assert.doesNotThrow(() => parseConfig(code, name, {}))
  })
})
