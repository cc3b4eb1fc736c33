import { globSync, readFileSync } from 'node:fs'

/** A page of the documentation. */
export interface Page {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
}

/** A fenced block of a page. */
export interface Block {
  /** The line of its fence, counted from 1. */
  readonly line: number
  readonly language: string
  /** The file of its code, relative to the page: what follows `file=` behind the language. */
  readonly file: string | undefined
  readonly code: string
}

/** Every hand-written page. */
export const readPages = (): Page[] =>
  globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'])
    .toSorted()
    .map((path) => readPage(path, readFileSync(path, 'utf8')))

/** Finds the fenced blocks of a page. */
export const readPage = (path: string, text: string): Page => ({
  path,
  text,
  blocks: [...text.matchAll(/^```(\w*)(?: file=(\S+))?[^\n]*\n([^]*?)^```$/gm)].map(
    ({ index, 1: language = '', 2: file, 3: code = '' }) => ({
      line: text.slice(0, index).split('\n').length,
      language,
      file,
      code,
    }),
  ),
})
