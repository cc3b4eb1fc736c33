import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>
}
interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly optional?: boolean
}
type Packages = Readonly<Record<string, Locked>>

/** The project's own scripts that `npm ci` runs: these may need files that a stage has not copied yet. */
const installScripts = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
]

/**
 * Whether `npm ci` in `folder`, with its `package.json` and `package-lock.json`, would install exactly the packages in
 * the `node_modules` of `project`, by the hashes of the lock file.
 */
export const isInstalledHere = async (folder: string, project = '.'): Promise<boolean> => {
  const { scripts = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
  if (installScripts.some((name) => name in scripts)) return false
  const wanted = await packagesOf(join(folder, 'package-lock.json'))
  // npm records here what it has installed.
  const found = await packagesOf(join(project, 'node_modules/.package-lock.json')).catch((): Packages => ({}))
  const paths = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].filter((path) => path !== '')
  return paths.every((path) => isSame(wanted[path], found[path]))
}

/** Packages for other systems are optional, and only in the lock file. Without a hash there is nothing to compare. */
const isSame = (wanted: Locked | undefined, found: Locked | undefined): boolean =>
  found === undefined
    ? wanted?.optional === true
    : found.integrity !== undefined &&
      found.integrity === wanted?.integrity &&
      found.version === wanted.version

const packagesOf = async (file: string): Promise<Packages> => {
  const { packages } = JSON.parse(await readFile(file, 'utf8')) as { readonly packages: Packages }
  return packages
}
