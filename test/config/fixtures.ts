import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ConfigError } from '../../src/config/errors.ts'
import { parseConfig } from '../../src/config/parse.ts'

/** Variables for the fixtures. */
export const fixtureEnvironment = {
  PORT: '3000',
  TOKEN: 's3cr3t-token',
  QUOTE: "s3cr3t'quote",
  NAME: 'from-environment',
  DIGITS: '007',
  EMPTY: '',
}

export interface Fixture {
  readonly name: string
  readonly file: string
  readonly text: string
  /** Its expectation, as text. */
  readonly expected: string
}

/** The configurations of one folder, each with its expectation beside it. */
export function fixtures(folder: string, expectation: string): readonly Fixture[] {
  const root = join(import.meta.dirname, 'fixtures', folder)
  return globSync(['*.yaml', '*.json'], { cwd: root, exclude: ['*.normalized.json'] })
    .sort()
    .map((file) => {
      const name = basename(file).replace(/\.(yaml|json)$/, '')
      const read = (path: string): string => readFileSync(join(root, path), 'utf8')
      return { name, file, text: read(file), expected: read(`${name}${expectation}`) }
    })
}

/** The output for an invalid configuration. */
export function problemsOf(text: string, file: string): string {
  try {
    parseConfig(text, file, fixtureEnvironment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'no problems'
}

/** The warnings of a configuration, one a line. */
export function warningsOf(text: string, file: string): readonly string[] {
  return parseConfig(text, file, fixtureEnvironment).warnings.map(
    ({ line, column, code, message }) => `${String(line)}:${String(column)} ${code}: ${message}`,
  )
}

/** The sections of a configuration that differ from those of an empty one. */
export function normalized(text: string, file: string): unknown {
  const { resources, process } = parseConfig(text, file, fixtureEnvironment)
  const bare = parseConfig('', 'empty.yaml', {})
  return JSON.parse(
    JSON.stringify(
      {
        ...different(resources, bare.resources),
        ...different({ process }, { process: bare.process }),
      },
      (_, value: unknown) => (value instanceof Set ? [...value] : value),
    ),
  )
}

function different(object: object, from: object): object {
  const other = new Map(Object.entries(from).map(([key, value]) => [key, JSON.stringify(value)]))
  return Object.fromEntries(
    Object.entries(object).filter(
      ([key, value]) => key !== 'warnings' && JSON.stringify(value) !== other.get(key),
    ),
  )
}
