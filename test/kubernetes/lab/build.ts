import { execFileSync } from 'node:child_process'
import { existsSync, globSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { foreignCrds } from './foreign-crds.ts'
import { programNames, programPath } from './programs.ts'

/** The project itself. */
export const repository = join(import.meta.dirname, '..', '..', '..')

/** Builds the programs of the lab that the cache lacks, one after the other: each occupies every core. */
export const buildPrograms = async (): Promise<void> => {
  for (const name of programNames) console.log(await programPath(name))
  await foreignCrds()
}

/** Builds the project if its sources are younger than what was built last. */
export const buildProject = (): void => {
  const built = join(repository, 'dist', 'programs', 'agentgateway.js')
  if (existsSync(built) && statSync(built).mtimeMs > newest()) return
  try {
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: repository, stdio: 'inherit' })
  } catch (error) {
    // The compiler writes files in spite of errors: they must not pass for a build.
    rmSync(join(repository, 'dist'), { recursive: true, force: true })
    throw error
  }
}

const newest = (): number =>
  globSync(
    ['src', 'src/**', 'package.json', 'tsconfig*.json', 'scripts/bundle-programs.ts', 'scripts/bundle/*'],
    {
      cwd: repository,
    },
  ).reduce((latest, path) => Math.max(latest, statSync(join(repository, path)).mtimeMs), 0)
