import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { command } from '../../support/command.ts'
import { execute, type Run } from '../../support/image/build-image.ts'
import { isInstalledHere } from '../../support/image/installed-here.ts'
import { distroless } from './base-image.ts'
import { repository } from './build.ts'

/**
 * Runs the commands of the Dockerfile. What would be installed is taken from the checkout if that has the same packages:
 * no network is needed then. Programs of the image run in its root, as their compiled code has their paths.
 */
export const runForImage: Run = async (line, cwd, user, root) => {
  if (root !== undefined) await runInRoot(root, line.slice(root.length), cwd.slice(root.length), user ?? 0)
  else if (/^npm ci( |$)/.test(line) && (await isInstalledHere(cwd, repository))) await linkPackages(cwd)
  else await execute(line, cwd, user)
}

/** With a compiler that compiles nothing: bundles are made of the sources, and no image has modules. It takes most of the time. */
const linkPackages = async (folder: string): Promise<void> => {
  const installed = join(repository, 'node_modules')
  const programs = join(folder, 'node_modules', '.bin')
  await mkdir(programs, { recursive: true })
  for (const [from, to, replaced] of [
    [installed, join(folder, 'node_modules'), '.bin'],
    [join(installed, '.bin'), programs, 'tsc'],
  ] as const)
    for (const name of await readdir(from))
      if (name !== replaced) await symlink(join(from, name), join(to, name))
  await writeFile(join(programs, 'tsc'), foldersOnly, { mode: 0o755 })
}

/** What follows the compiler writes into its folders. */
const foldersOnly = `#!/bin/sh
set -e
[ "$*" = '-p tsconfig.build.json' ]
find src -type d | sed 's/^src/dist/' | xargs mkdir -p
`

const runInRoot = async (root: string, line: string, folder: string, user: number): Promise<void> => {
  const { status, stdout, stderr } = await command('unshare', [
    '--mount',
    ...['sh', '-c', enterRoot, root, folder, String(user), Object.keys(distroless).join(' '), line],
  ])
  if (status !== 0) throw new Error(`RUN ${line} exited with ${status}:\n${stdout}${stderr}`)
}

/** The first process of a mount namespace, in which the base image is mounted. Its arguments have no spaces within. */
const enterRoot = `
set -e
for path in $3 /proc; do
  mkdir -p "$0$path"
  mount --rbind "$path" "$0$path"
done
mkdir -p "$0/dev"
touch "$0/dev/null"
mount --bind /dev/null "$0/dev/null"
exec unshare --root="$0" --wd="$1" --setgid="$2" --setuid="$2" -- $4
`
