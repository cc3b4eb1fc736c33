import { readFileSync } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { ConfigSource } from './command-line.ts'
import { MAX_CONFIG_BYTES } from './document.ts'
import { ConfigError } from './errors.ts'
import type { Environment } from './interpolate.ts'
import { FilesOnce } from './named-files.ts'
import type { NamedFiles } from './named-files.ts'
import { parseConfig } from './parse-config.ts'
import type { ParsedConfig } from './parse-config.ts'

/** A configuration with the files it was made from. */
export interface LoadedConfig extends ParsedConfig {
  /** What messages call it: the path, or where else the text came from. */
  readonly name: string
  /** The configuration file to watch. Absent for text on the command line and for standard input, which are read once. */
  readonly path?: string
}

/**
 * Reads a configuration from where the command line says, or from the usual places.
 *
 * @param named Told which files policies name, even if the configuration is refused: it may be because of them. Not
 *   among them are certificates, which are watched by those who use them.
 * @throws {ConfigError} if there is none, it cannot be read, or it is wrong in any way.
 *
 * @example
 * const { resources } = await loadConfig({ kind: 'file', path: 'gateway.yaml' }, process.env)
 */
export async function loadConfig(
  source: ConfigSource,
  env: Environment,
  named: (files: readonly string[]) => void = () => undefined,
): Promise<LoadedConfig> {
  const loaded = (text: string, name: string, variables = env): LoadedConfig => {
    const files = new FilesOnce(readNamed)
    try {
      return { ...parseConfig(text, name, variables, files), name }
    } finally {
      named(files.paths.map((path) => resolve(path)))
    }
  }
  if (source.kind === 'text') return loaded(source.text, '<command line>')
  if (source.kind === 'stdin' || (source.kind === 'file' && STDIN.has(source.path)))
    return loaded(await readStdin(), '<stdin>')
  const path = source.kind === 'file' ? source.path : await firstExisting(usualPlaces(env))
  // So that a file can name its neighbours, wherever the two of them are and the gateway is started.
  const config = loaded(await read(path), path, { CONFIG_DIR: dirname(path), ...env })
  return isStream(path) ? config : { ...config, path: resolve(path) }
}

/** In one go, since a configuration is checked in one go; it names few files, and small ones. */
function readNamed(path: string): ReturnType<NamedFiles['read']> {
  try {
    const bytes = readFileSync(path)
    if (bytes.length > MAX_CONFIG_BYTES) return { problem: 'is too large a file' }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (isMissing(error)) return { problem: 'is not there' }
    return {
      problem:
        code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
          ? 'is not UTF-8 text'
          : `cannot be read: ${String(code)}`,
    }
  }
}

/** Where a configuration is looked for if the command line names none, in this order. */
export function usualPlaces(env: Environment): readonly string[] {
  const home =
    env.XDG_CONFIG_HOME === undefined || env.XDG_CONFIG_HOME === '' ? undefined : env.XDG_CONFIG_HOME
  const base = home ?? join(env.HOME ?? homedir(), '.config')
  return ['/config/config.yaml', join(base, 'agentgateway', 'config.yaml')]
}

/** Sockets, which these may be, cannot be opened a second time. */
const STDIN = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'])

async function firstExisting(places: readonly string[]): Promise<string> {
  for (const place of places) {
    try {
      await access(place)
      return place
    } catch (error) {
      if (!isMissing(error)) throw unreadable(place, error)
    }
  }
  throw new ConfigError([
    {
      file: 'agentgateway',
      line: 0,
      column: 0,
      pointer: '',
      path: '',
      expectation: `no configuration: there is none in ${places.join(' or ')}`,
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
    if (size > MAX_CONFIG_BYTES) break // parsing refuses it
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

/** Whether a path leads to something that can be read only once. */
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
