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
