import { readFileSync } from 'node:fs'

/**
 * The commit of the package or checkout in `root`: the one recorded by the build, else the one checked out. Undefined
 * if there is neither. It only reads files, because starting must not depend on git.
 */
export const gitRevision = (root: URL): string | undefined => {
  const built = read(new URL('dist/revision', root))
  return isPackage(root) ? built : checkedOut(root)
}

/** A checkout has sources, and possibly a build of an earlier commit. */
const isPackage = (root: URL): boolean => read(new URL('src/version.ts', root)) === undefined

const checkedOut = (root: URL): string | undefined => {
  const git = gitFolder(root)
  const head = read(new URL('HEAD', git))
  const [, ref] = /^ref: (\S+)$/.exec(head ?? '') ?? []
  if (ref === undefined) return head
  // Worktrees of a repository share its branches.
  const shared = read(new URL('commondir', git))
  const common = shared === undefined ? git : new URL(`${shared}/`, git)
  return (
    read(new URL(ref, common)) ??
    read(new URL('packed-refs', common))
      ?.split('\n')
      .find((line) => line.endsWith(` ${ref}`))
      ?.split(' ')[0]
  )
}

/** In a worktree `.git` is a file with the path of the folder. */
const gitFolder = (root: URL): URL => {
  const [, folder] = /^gitdir: (.+)$/.exec(read(new URL('.git', root)) ?? '') ?? []
  return new URL(`${folder ?? '.git'}/`, root)
}

const read = (file: URL): string | undefined => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}
