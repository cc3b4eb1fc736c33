import { relative, resolve, sep } from 'node:path'
import type { Plugin } from 'rolldown'

/**
 * Modules that are loaded by a path that bundlers do not follow, when a configuration needs them or by a thread, become
 * files of their own. Elsewhere `import.meta.url` becomes the URL that the module has as a file of `dist`, so that it
 * finds the files of the package.
 *
 * Lines stay lines, so that source maps stay right.
 */
export const lateModules: Plugin = {
  name: 'late modules',
  transform(code, id) {
    if (!id.startsWith(resolve('src') + sep) || !code.includes('import.meta.url')) return undefined
    const fileOf = (path: string): string => {
      const source = resolve(id, '..', `${path}.ts`)
      const fileName = `late-${relative('src', source).replaceAll(sep, '-').slice(0, -'.ts'.length)}.js`
      this.emitFile({ type: 'chunk', id: source, fileName })
      return `'./${fileName}'`
    }
    const late = required(threads(code, fileOf), fileOf)
    // What is installed beside the programs is found from them.
    const known = late.replaceAll(
      /createRequire\(import\.meta\.url\)(?=\('@datadog\/)/g,
      'createRequire(HERE)',
    )
    if (known.includes('createRequire(import.meta.url)'))
      this.error(`${id} loads a module in a form that is not known here`)
    const inDist = `../${relative('src', id).replaceAll(sep, '/').replace(/\.ts$/, '.js')}`
    const text = known
      .replaceAll('import.meta.url', `new URL('${inDist}', import.meta.url).href`)
      .replaceAll('HERE', 'import.meta.url')
    return { code: text, map: null }
  },
}

/** Returns the file of the module at a path, as a literal. */
type FileOf = (path: string) => string

/** The modules that `createRequire` loads: that of a fixed path, or those that `load` is called with. */
const required = (code: string, fileOf: FileOf): string =>
  code.replaceAll(
    /createRequire\(import\.meta\.url\)\((\s*)`(\.[^`$]*)(\$\{name\})?\$\{written\}`,?(\s*)\)/g,
    (_all, before: string, path: string, name: string | undefined, after: string) => {
      const files = name
        ? Array.from(
            code.matchAll(/\bload\(\s*'([^']+)',?\s*\)/g),
            ([, given = '']) => `'${given}': ${fileOf(path + given)}`,
          )
        : []
      return `createRequire(HERE)(${before}${name ? `({ ${files.join(', ')} })[name]` : fileOf(path)}${after})`
    },
  )

/** The programs of threads. */
const threads = (code: string, fileOf: FileOf): string =>
  code.replaceAll(
    /new URL\(`(\.[^`$]*)\$\{[^`}]*import\.meta\.url[^`}]*\}`, import\.meta\.url\)/g,
    (_all, path: string) => `new URL(${fileOf(path)}, HERE)`,
  )
