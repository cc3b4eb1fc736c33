/*
 * Writes the programs of the package to `dist/programs`, as bundles: Node needs a third of the time for a few files that
 * it needs for 2,000 modules. What not every start needs is in files of its own.
 */
import { rm } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

/** Program → its source. */
const programs = {
  agentgateway: 'src/main.ts',
  'agentgateway-controller': 'src/controller/main.ts',
  agctl: 'src/cli/agctl.ts',
}

/**
 * Modules that are loaded by a path that bundlers do not follow, when a configuration needs them or by a thread, become
 * files of their own. Elsewhere `import.meta.url` becomes the URL that the module has as a file of `dist`, so that it
 * finds the files of the package.
 *
 * Lines stay lines, so that source maps stay right.
 */
const lateModules: Plugin = {
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
    const inDist = join('..', relative('src', id)).replace(/\.ts$/, '.js').replaceAll(sep, '/')
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

const folder = 'dist/programs'
await rm(folder, { recursive: true, force: true })
const bundle = await rolldown({
  input: programs,
  platform: 'node',
  // Native code is loaded from its package.
  external: [/^@datadog\/pprof/],
  plugins: [lateModules],
})
await bundle.write({
  dir: folder,
  sourcemap: true,
  // The library's modules beside the programs have the sources; without them a map is read in a tenth of the time.
  sourcemapExcludeSources: true,
  entryFileNames: '[name].js',
  // Another version that is installed over a running program must not pass for its own.
  chunkFileNames: '[name]-[hash].js',
})
await bundle.close()
