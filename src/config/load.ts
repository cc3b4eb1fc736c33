import { existsSync, readFileSync } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { ConfigSource } from './command-line.ts'
import { MAX_CONFIG_BYTES } from './document/read-document.ts'
import { ConfigError } from './errors.ts'
import type { Environment } from './document/interpolate.ts'
import { FilesOnce, type NamedFiles } from './document/referenced-files.ts'
import { parseConfig, type ParsedConfig } from './parse.ts'
import type { OriginRecorder } from './normalize/context.ts'

/** A configuration with the files that it was read from. */
export interface LoadedConfig extends ParsedConfig {
  /** Its name in messages: the path, or a description of the source. */
  readonly name: string
  /**
   * The configuration file to watch. Absent for text of the command line and for standard input, which are
   * read once.
   */
  readonly path?: string
}

/**
 * Reads a configuration from the source of the command line, or from the default locations.
 *
 * @param named Called with the files that policies refer to, even if the configuration is refused because of them.
 *   Certificates are not among them; they are watched separately.
 * @param origins Receives the location of every policy.
 * @throws {ConfigError} if there is none, it cannot be read, or it is invalid.
 *
 * @example
 * const { resources } = await loadConfig({ kind: 'file', path: 'gateway.yaml' }, process.env)
 */
export async function loadConfig(
  source: ConfigSource,
  env: Environment,
  named: (files: readonly string[]) => void = () => undefined,
  origins?: OriginRecorder,
): Promise<LoadedConfig> {
  const loaded = (text: string, name: string, variables = env, folder?: string): LoadedConfig => {
    const files = new FilesOnce((path) => readNamed(path, folder))
    try {
      return { ...parseConfig(text, name, variables, files, origins), name }
    } finally {
      named(files.paths.map((path) => resolve(path)))
    }
  }
  if (source.kind === 'text') return loaded(source.text, source.name ?? '<command line>')
  if (source.kind === 'stdin' || (source.kind === 'file' && STDIN.has(source.path)))
    return loaded(await readStdin(), '<stdin>')
  const path = source.kind === 'file' ? source.path : await firstExisting(defaultLocations(env))
  // So that a file can refer to its neighbours from any working directory.
  const config = loaded(await read(path), path, { CONFIG_DIR: dirname(path), ...env }, resolve(dirname(path)))
  return isStream(path) ? config : { ...config, path: resolve(path) }
}

/** Synchronous, since a configuration is validated synchronously; it refers to few files, and small ones. */
function readNamed(path: string, folder: string | undefined): ReturnType<NamedFiles['read']> {
  try {
    const bytes = readFileSync(path)
    if (bytes.length > MAX_CONFIG_BYTES) return { problem: 'is too large a file' }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (isMissing(error)) return { problem: 'is not there', where: whereLooked(path, folder) }
    return {
      problem:
        code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
          ? 'is not UTF-8 text'
          : `cannot be read: ${String(code)}`,
    }
  }
}

/**
 * The absolute path of a relative one. Operators often expect it beside the configuration file, where a file
 * of that name may exist.
 */
function whereLooked(path: string, folder: string | undefined): string {
  if (isAbsolute(path)) return ''
  const meant = `${resolve(path)}, relative to the working directory`
  if (folder === undefined || folder === process.cwd()) return `: ${meant}`
  const beside = resolve(folder, path)
  return existsSync(beside)
    ? `: the configuration file's folder has ${beside}, which is \${CONFIG_DIR}/${path}; looked for was ${meant}`
    : `, neither in the configuration file's folder, as ${beside}, nor where it was looked for: ${meant}`
}

/** The default locations of a configuration, in the order of the search. */
export function defaultLocations(env: Environment): readonly string[] {
  const home =
    env.XDG_CONFIG_HOME === undefined || env.XDG_CONFIG_HOME === '' ? undefined : env.XDG_CONFIG_HOME
  const base = home ?? configFolderOfUser(env)
  return ['/config/config.yaml', ...(base === undefined ? [] : [join(base, 'agentgateway', 'config.yaml')])]
}

function configFolderOfUser({ HOME }: Environment): string | undefined {
  try {
    return join(HOME ?? homedir(), '.config')
  } catch {
    // A user that the system does not know, as in many containers.
    return undefined
  }
}

/** These may be sockets, which cannot be opened a second time. */
const STDIN = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'])

async function firstExisting(paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    try {
      await access(path)
      return path
    } catch (error) {
      if (!isMissing(error)) throw unreadable(path, error)
    }
  }
  throw new ConfigError([
    {
      file: 'agentgateway',
      line: 0,
      column: 0,
      pointer: '',
      path: '',
      expectation: `no configuration: there is none in ${paths.join(' or ')}`,
      hint: 'name one with -f FILE, or give its text with -c TEXT',
    },
  ])
}

async function read(path: string): Promise<string> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (error) {
    throw unreadable(path, error)
  }
  return decode(bytes, path)
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > MAX_CONFIG_BYTES) break // refused by the parser
  }
  return decode(Buffer.concat(chunks), '<stdin>')
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ConfigError(
      [
        {
          file,
          line: 1,
          column: 1,
          pointer: '',
          path: '',
          expectation: 'the configuration is not UTF-8 text',
        },
      ],
      { cause },
    )
  }
}

/** Whether a path leads to a file that can be read only once. */
function isStream(path: string): boolean {
  return path.startsWith('/dev/fd/') || path.startsWith('/proc/self/fd/')
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function unreadable(path: string, cause: unknown): ConfigError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause)
  const expectation = isMissing(cause) ? 'there is no such file' : `the configuration cannot be read: ${code}`
  return new ConfigError([{ file: path, line: 0, column: 0, pointer: '', path: '', expectation }], { cause })
}
