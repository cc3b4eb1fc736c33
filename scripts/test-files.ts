/* The files that `npm test` runs, their order and their processes. */
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * The longest files first, so that they do not run alone at the end, then those without child processes: the commands
 * are done by the time that programs are started and waited for.
 */
const order: readonly RegExp[] = [
  /^test\/package\//,
  /^test\/(?!conformance\/|e2e\/)/,
  /^test\//,
  /^examples\//,
]

/**
 * Folders whose tests stay within their process and leave it unchanged. Each folder shares one: a process costs a
 * file several times as much as most of its tests.
 */
const sharing = /^test\/(?<folder>cel|config|model|operators|pipeline|protocols|testing)\//

/**
 * The files to run, each in a process.
 *
 * @param cache A folder for files that import all tests of a folder; emptied before.
 */
export const testFiles = (cache: string): string[] => {
  const turn = (path: string): number => order.findIndex((pattern) => pattern.test(path))
  const files = globSync(['test/**/*.test.ts', 'examples/**/*.test.ts'], {
    // A cluster takes minutes, and root: `npm run test:kubernetes`.
    exclude: (path) => path === 'node_modules' || path === join('test', 'kubernetes'),
  })
    .map((path) => path.replaceAll('\\', '/'))
    .sort((one, other) => turn(one) - turn(other) || (one < other ? -1 : 1))
  rmSync(cache, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  const groups = Map.groupBy(files, (path) => sharing.exec(path)?.groups?.folder ?? path)
  return Array.from(groups, ([name, paths]) => {
    if (paths[0] === name) return resolve(name)
    const file = join(cache, `${name}.test.mjs`)
    writeFileSync(file, paths.map((path) => `import '${pathToFileURL(path).href}'\n`).join(''))
    return file
  })
}
