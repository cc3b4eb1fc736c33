import assert from 'node:assert/strict'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { command } from '../support/command.ts'

/** The output of `npm pack` about its tarball. */
export interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** The files of the tarball besides the build. */
const papers = [
  'config',
  'deploy',
  'docs',
  'conformance',
  'examples',
  ...['ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md'],
]

/** A `tsc` for a project that was copied from `built`: it copies the build output of the same files. */
const sameAgain = (built: string): string => `#!/bin/sh
set -e
[ "$*" = '-p tsconfig.build.json' ]
[ ! -e dist ]
cp -R '${built}/dist' dist
`

/**
 * Runs `npm pack` in a copy of the project without a build, with `into` as the target. The build is copied from
 * `built`, a folder with the same sources and their `dist`: to compile them again would show nothing new.
 */
export const pack = async (built: string, into: string): Promise<Packed> => {
  const project = join(into, 'project')
  const programs = join(project, 'node_modules/.bin')
  await mkdir(programs, { recursive: true })
  await writeFile(join(programs, 'tsc'), sameAgain(built), { mode: 0o755 })
  for (const path of ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts']) {
    await cp(join(built, path), join(project, path), { recursive: true })
  }
  for (const path of papers) {
    await cp(path, join(project, path), { recursive: true })
  }
  // Its output is in `dist` already.
  await writeFile(join(project, 'scripts/bundle-programs.ts'), '')
  const { status, stdout, stderr } = await command('npm', ['pack', '--json', '--pack-destination', into], {
    cwd: project,
  })
  assert.equal(status, 0, stdout + stderr)
  // The build before packing prints first.
  return (JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as Packed[])[0]!
}
