import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BuildContext } from '../../support/image/build-context.ts'
import { readDockerfile } from '../../support/image/dockerfile.ts'
import { repository } from './build.ts'

/**
 * Writes the build context of another version into a folder: the files of the checkout under that version, since a clone
 * may have no history; or those of the commit that LAB_OTHER_COMMIT names.
 */
export const writeOtherVersion = async (version: string, folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  const { LAB_OTHER_COMMIT: commit = '' } = process.env
  if (commit === '') await copyCheckout(folder)
  else extractCommit(commit, folder)
  const manifest = join(folder, 'package.json')
  const content = JSON.parse(readFileSync(manifest, 'utf8')) as object
  writeFileSync(manifest, JSON.stringify({ ...content, version }, undefined, 2))
}

const copyCheckout = async (folder: string): Promise<void> => {
  const stages = readDockerfile(readFileSync(join(repository, 'Dockerfile'), 'utf8'))
  const files = await new BuildContext(repository).filesOf(stages)
  for (const path of ['Dockerfile', '.dockerignore', ...files])
    cpSync(join(repository, path), join(folder, path))
}

const extractCommit = (commit: string, folder: string): void => {
  const archive = execFileSync('git', ['archive', '--end-of-options', commit], {
    cwd: repository,
    maxBuffer: 1 << 30,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
}
