/*
 * Writes the programs of the package to `dist/programs`, as bundles: Node needs a third of the time for a few files that
 * it needs for 2,000 modules. What not every start needs is in files of its own. Also bundles large packages of the library.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type OutputChunk, rolldown } from 'rolldown'
import { bundleLibraries } from './bundle/bundle-libraries.ts'
import { compact } from './bundle/compact.ts'
import { generatedValidator } from './bundle/generated-validator.ts'
import { lateModules } from './bundle/late-modules.ts'
import { withoutFacades } from './bundle/without-facades.ts'
import { smallerPackages } from './bundle/smaller-packages.ts'
import { startGroups } from './bundle/start-groups.ts'

/** Program → its source. */
const programs = {
  agentgateway: 'src/main.ts',
  'agentgateway-controller': 'src/controller/main.ts',
  agctl: 'src/cli/agctl.ts',
}

const folder = 'dist/programs'
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const bundle = await rolldown({
  input: programs,
  platform: 'node',
  // Native code is loaded from its package.
  external: [/^@datadog\/pprof/],
  plugins: [lateModules, smallerPackages, generatedValidator],
})
const { output } = await bundle.generate({
  dir: folder,
  sourcemap: true,
  // A map is read in a tenth of the time without them.
  sourcemapExcludeSources: true,
  comments: { legal: true, annotation: false, jsdoc: false },
  codeSplitting: startGroups(),
  entryFileNames: '[name].js',
  // Another version that is installed over a running program must not pass for its own.
  chunkFileNames: '[name]-[hash].js',
})
await bundle.close()
const isChunk = (file: { readonly type: string }): file is OutputChunk => file.type === 'chunk'

for (const chunk of output.filter(isChunk)) {
  const path = join(folder, chunk.fileName)
  // The lines of packages are not worth a map.
  const isOwn = chunk.moduleIds.some((id) => id.startsWith(resolve('src')))
  const { code, map } = compact(chunk.fileName, chunk.code, isOwn ? chunk.map : null)
  const mapName = map ? `\n//# sourceMappingURL=${chunk.fileName}.map\n` : ''
  await writeFile(path, withoutFacades(code) + mapName)
  if (map) await writeFile(`${path}.map`, JSON.stringify(map))
}
await bundleLibraries()
