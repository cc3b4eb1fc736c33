/* The daemon in one file: hundreds of tests start one, and Node needs three times as long to load 2,000 modules. */
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

/**
 * Bundles `src/main.ts` of the working directory with all that it imports.
 *
 * @param folder The target; emptied before.
 * @returns The path of the program.
 */
export const daemonInOneFile = async (folder: string): Promise<string> => {
  await rm(folder, { recursive: true, force: true })
  const bundle = await rolldown({ input: 'src/main.ts', platform: 'node', plugins: [asInItsPlace] })
  const names = '[name]-[hash].mjs'
  await bundle.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: names })
  await bundle.close()
  return resolve(join(folder, 'main.mjs'))
}

/**
 * `import.meta.url` becomes the URL of the source, so that a module finds its files. Modules that are loaded later
 * come from the bundle.
 */
const asInItsPlace: Plugin = {
  name: 'as in its place',
  transform(code, id) {
    const text = importLate(code)
    if (!id.includes('node_modules') && /createRequire\(import\.meta\.url\)\(.\./.test(text))
      this.error(`${id} loads a module of ours in a form that is not known here`)
    return text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
  },
}

/** A module that is loaded when a configuration needs it, from a path that a bundler cannot resolve. */
const late = /createRequire\(import\.meta\.url\)\(`(?<path>\.[^`$]*)(?<name>\$\{name\})?\$\{written\}`\)/

/** Imports the modules that a module loads later: the one of a fixed path, or all with a `load` call. */
const importLate = (code: string): string => {
  const { path, name } = late.exec(code)?.groups ?? {}
  if (path === undefined) return code
  const names = name
    ? Array.from(code.matchAll(/\bload\(\s*'([^']+)',?\s*\)/g), ([, given = '']) => given)
    : ['']
  const imports = names.map((given, i) => `import * as late${i} from '${path}${given}.ts'\n`).join('')
  const known = `{${names.map((given, i) => `'${given}': late${i}`).join(', ')}}`
  return imports + code.replace(late, () => `(${known})[${name ? 'name' : "''"}]`)
}
