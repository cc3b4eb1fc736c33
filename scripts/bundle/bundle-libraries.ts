import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rolldown } from 'rolldown'
import { compact } from './compact.ts'

/**
 * Puts packages into the modules of `dist` that are named `…-library.js`. Each re-exports what is used of a large package,
 * which then need not be installed with this one. What is installed stays outside.
 */
export const bundleLibraries = async (): Promise<void> => {
  const installed = installedPackages()
  for (const source of globSync('src/{operators,protocols,sinks,upstream}/**/*-library.ts')) {
    const bundle = await rolldown({
      input: source,
      platform: 'node',
      external: (id) => installed.some((name) => id === name || id.startsWith(`${name}/`)),
    })
    const file = source.replace(/^src/, 'dist').replace(/\.ts$/, '.js')
    const { output } = await bundle.generate({
      comments: { legal: true, annotation: false, jsdoc: false },
      codeSplitting: false,
    })
    await bundle.close()
    writeFileSync(file, compact(file, output[0].code, null).code)
    // That of the compiler.
    rmSync(`${file}.map`, { force: true })
  }
}

const installedPackages = (): readonly string[] => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    'dependencies' | 'peerDependencies',
    Readonly<Record<string, string>>
  >
  return Object.keys({ ...dependencies, ...peerDependencies })
}
