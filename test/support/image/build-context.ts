import { readFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, matchesGlob } from 'node:path'
import { readCopy, type Stage } from './dockerfile.ts'

/** The folder that an image is built from, without what `.dockerignore` keeps out. */
export class BuildContext {
  readonly folder: string
  readonly #ignored: (path: string) => boolean

  constructor(folder: string) {
    this.folder = folder
    this.#ignored = ignoring(readFileSync(join(folder, '.dockerignore'), 'utf8'))
  }

  /** Copies a file or the content of a folder. Rejects if `.dockerignore` keeps a file out. */
  async copy(path: string, goal: string): Promise<void> {
    let folder: string | undefined
    for (const file of await this.#filesOf(path)) {
      const target = join(goal, file.slice(path.length))
      if (dirname(target) !== folder) await mkdir((folder = dirname(target)), { recursive: true })
      await copyFile(join(this.folder, file), target)
    }
  }

  /** The files that the stages copy, in a fixed order. */
  async filesOf(stages: readonly Stage[]): Promise<readonly string[]> {
    const copies = stages
      .flatMap(({ instructions }) => instructions)
      .filter(({ word }) => word === 'COPY')
      .map(({ rest }) => readCopy(rest))
    const paths = copies.filter(({ from }) => from === undefined).flatMap((copy) => copy.paths)
    const files = await Promise.all(Array.from(new Set(paths), (path) => this.#filesOf(path)))
    return files.flat().sort()
  }

  async #filesOf(path: string): Promise<readonly string[]> {
    if ((await stat(join(this.folder, path))).isDirectory()) {
      const entries = await readdir(join(this.folder, path))
      return (await Promise.all(entries.map((entry) => this.#filesOf(join(path, entry))))).flat()
    }
    if (this.#ignored(path))
      throw new Error(`.dockerignore keeps ${path} out of the build, and the Dockerfile copies it`)
    return [path]
  }
}

/** Where a `COPY` puts a path: a folder is copied by its content, a file into a target that ends with a slash. */
export const copyGoal = (path: string, isFolder: boolean, target: string): string =>
  isFolder || !target.endsWith('/') ? target : join(target, basename(path))

/** The last pattern that matches a path or one of its folders decides. */
const ignoring = (text: string): ((path: string) => boolean) => {
  const patterns = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return (path) => {
    const folders = path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))
    const last = patterns.findLast((pattern) =>
      folders.some((folder) => matchesGlob(folder, pattern.replace(/^!/, ''))),
    )
    return last !== undefined && !last.startsWith('!')
  }
}
