import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { test } from 'node:test'
import { type Page, readPage, readPages } from '../support/pages.ts'

/** The anchor of a heading on GitHub. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const anchorsOf = (text: string): Set<string> =>
  new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading)))

/** Links within this repository, except those in code. */
const linksOf = ({ text, blocks }: Page): string[] => {
  const prose = blocks.reduce((rest, { code }) => rest.replace(code, ''), text)
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) =>
    /^(https?|mailto):/.test(link) ? [] : [link],
  )
}

const targetOf = (path: string, link: string): string => {
  const [file = ''] = link.split('#')
  return file === '' ? path : posix.join(dirname(path), file)
}

const brokenLinks = (page: Page): string[] =>
  linksOf(page)
    .filter((link) => {
      const target = targetOf(page.path, link)
      if (!existsSync(target)) return true
      const [, fragment] = link.split('#')
      return fragment !== undefined && !anchorsOf(readFileSync(target, 'utf8')).has(fragment)
    })
    .map((link) => `${page.path} -> ${link}`)

test('links in the documentation', async (t) => {
  await t.test('have existing targets', () => {
    assert.deepEqual(readPages().flatMap(brokenLinks), [])
  })

  await t.test('reach every page from the first one', () => {
    const pages = new Map(readPages().map((page) => [page.path, page]))
    const reached = new Set(['docs/README.md'])
    for (const path of reached) {
      const page = pages.get(path)
      for (const link of page ? linksOf(page) : []) reached.add(targetOf(path, link))
    }
    const wanted = [...pages.keys()].filter((path) => /^(docs|examples)\//.test(path))
    assert.ok(wanted.length > 30)
    assert.deepEqual(
      wanted.filter((path) => !reached.has(path)),
      [],
    )
  })

  await t.test('are reported if their target does not exist', () => {
    const text =
      '[a](../../README.md) [b](gone.md) [c](../../README.md#features) [d](../../README.md#end) [e](#here)\n\n# Here\n'
    assert.deepEqual(brokenLinks(readPage('docs/guides/planted.md', text)), [
      'docs/guides/planted.md -> gone.md',
      'docs/guides/planted.md -> ../../README.md#end',
      'docs/guides/planted.md -> #here',
    ])
  })
})
