import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BuildContext } from '../../support/image/build-context.ts'
import { readDockerfile } from '../../support/image/dockerfile.ts'
import { repository } from './build.ts'

/**
 * Writes the build context of another version into a folder: the files of the checkout under that version. A commit
 * before this one would need the history, which a clone may not have.
 */
export const writeOtherVersion = async (version: string, folder: string): Promise<void> => {
  const stages = readDockerfile(readFileSync(join(repository, 'Dockerfile'), 'utf8'))
  const files = await new BuildContext(repository).filesOf(stages)
  mkdirSync(folder, { recursive: true })
  for (const path of ['Dockerfile', '.dockerignore', ...files])
    cpSync(join(repository, path), join(folder, path))
  const manifest = join(folder, 'package.json')
  const content = JSON.parse(readFileSync(manifest, 'utf8')) as object
  writeFileSync(manifest, JSON.stringify({ ...content, version }, undefined, 2))
}
