import { usageFailure } from '../command-failure.ts'
import { terminalJson, terminalText } from './terminal-text.ts'

/** How a command prints what it found. */
export type OutputFormat = 'table' | 'wide' | 'json' | 'yaml'

const formats: readonly string[] = ['table', 'wide', 'json', 'yaml'] satisfies readonly OutputFormat[]

/** Parses `-o`. `short` is the default of the command. */
export const parseOutputFormat = (text: string, short: OutputFormat): OutputFormat => {
  if (text === 'short') return short
  if (formats.includes(text)) return text as OutputFormat
  throw usageFailure(
    `output format "${text}" not supported`,
    `Formats are ${formats.join(', ')}, and short for ${short}.`,
  )
}

/** Data as JSON with two spaces, or as YAML. */
export const formatData = async (value: unknown, format: 'json' | 'yaml'): Promise<string> => {
  const json = terminalJson(`${JSON.stringify(value, undefined, 2)}\n`)
  if (format === 'json') return json
  const { stringify } = await import('yaml')
  const text = stringify(value, { aliasDuplicateObjects: false })
  // JSON is YAML too, and has escapes for every character.
  return terminalText(text) === text ? text : json
}
