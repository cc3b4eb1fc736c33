import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Keeps the compiled code of the program for its next start, which then takes half the CPU time. Set flags of V8 before:
 * they are part of the cache's key.
 *
 * What is in the cache is run, so that its folder must be one that nobody else can write to; without such a folder there
 * is no cache. Does nothing for a program that runs from its sources.
 *
 * @param use Programs and commands with caches of their own: the cache has what its first user has run.
 * @param env The variables of the process.
 */
export const keepCompiledCode = (use: string, env: NodeJS.ProcessEnv): void => {
  if (extname(import.meta.url) === '.ts') return
  const folder = cacheFolder(env)
  if (folder !== undefined) enableCompileCache(join(folder, use))
}

/**
 * The folder for compiled code: the one that the variable names, that of an image, or one of the user. It exists, and
 * only the user or root can change it.
 */
export const cacheFolder = (
  env: NodeJS.ProcessEnv,
  bundled: string = fileURLToPath(new URL('compiled', import.meta.url)),
): string | undefined => {
  // Node's own variables were given on purpose.
  if (env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE) return undefined
  const { AGENTGATEWAY_COMPILE_CACHE: named = '' } = env
  if (named === 'off') return undefined
  if (named !== '') return privateFolder(named)
  return existsSync(bundled) ? privateFolder(bundled) : privateFolder(folderOfUser(env))
}

const folderOfUser = ({ XDG_CACHE_HOME: caches = '' }: NodeJS.ProcessEnv): string => {
  if (caches.startsWith('/')) return join(caches, 'agentgateway')
  try {
    return join(homedir(), '.cache/agentgateway')
  } catch {
    // A user that the system does not know, as in many containers.
    return ''
  }
}

/** Creates the folder if it does not exist. Undefined if that fails, or if others could change it. */
const privateFolder = (path: string): string | undefined => {
  if (!path.startsWith('/')) return undefined
  try {
    create(path)
    // What a link leads to is decided now.
    const folder = realpathSync(path)
    return isPrivate(folder) ? folder : undefined
  } catch {
    return undefined
  }
}

/** With the folders above it. Node's own way of that never ends under /proc. */
const create = (path: string): void => {
  if (existsSync(path)) return
  create(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Whether nobody else can write to a folder, or put another one in its place. */
const isPrivate = (folder: string): boolean => {
  const user = process.getuid?.()
  if (user === undefined) return false
  for (let path = folder; ; path = dirname(path)) {
    const found = statSync(path)
    if (!found.isDirectory() || (found.uid !== user && found.uid !== 0)) return false
    // In folders with the sticky bit, such as /tmp, nobody can rename what belongs to others.
    const mayContain = path !== folder && (found.mode & STICKY) !== 0
    if ((found.mode & WRITABLE_BY_OTHERS) !== 0 && !mayContain) return false
    if (path === dirname(path)) return true
  }
}

const [WRITABLE_BY_OTHERS, STICKY] = [0o022, 0o1000]
