import { readFile, writeFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { MAX_CONFIG_BYTES } from '../../config/document/read-document.ts'
import { CommandFailure } from '../command-failure.ts'
import { importConfig, type ImportSource } from './import-config.ts'
import { findingsJson, findingsTable } from './print-findings.ts'

/** Options of `agctl config import`. */
export interface ImportOptions {
  readonly from: ImportSource
  readonly output?: string
  readonly force?: boolean
  readonly format: 'text' | 'json'
  readonly strict?: boolean
}

/** Imports a file, writes the configuration, and lists the findings on standard error. */
export const runImport = async (path: string, options: ImportOptions): Promise<void> => {
  const { from, output, force = false, format, strict = false } = options
  const file = path === '-' ? '<stdin>' : path
  const { text, findings } = importConfig(from, await read(path), file)
  if (output === undefined) process.stdout.write(text)
  else await write(output, text, force)
  process.stderr.write(format === 'json' ? findingsJson(findings) : findingsTable(findings))
  const lost = findings.filter(({ kind }) => kind !== 'changed').length
  if (strict && lost > 0)
    throw new CommandFailure(`${String(lost)} ${lost === 1 ? 'part was' : 'parts were'} not carried over`, {
      hint: 'Without --strict this is no failure.',
    })
}

const read = async (path: string): Promise<string> => {
  try {
    const text = path === '-' ? await readAll(process.stdin) : await readFile(path, 'utf8')
    if (text.length <= MAX_CONFIG_BYTES) return text
  } catch (cause) {
    throw new CommandFailure(`${path} cannot be read: ${codeOf(cause)}`, { cause })
  }
  throw new CommandFailure(`${path} is larger than ${String(MAX_CONFIG_BYTES)} bytes`)
}

/** The file may contain keys: it is for its owner only. */
const write = async (path: string, text: string, force: boolean): Promise<void> => {
  try {
    await writeFile(path, text, { flag: force ? 'w' : 'wx', mode: 0o600 })
  } catch (cause) {
    const code = codeOf(cause)
    throw new CommandFailure(
      code === 'EEXIST' ? `${path} exists` : `${path} cannot be written: ${code}`,
      code === 'EEXIST' ? { cause, hint: '--force replaces it.' } : { cause },
    )
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)
