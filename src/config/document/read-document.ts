import { type Document, LineCounter, parseDocument } from 'yaml'
import { DocumentRecord } from './source-map.ts'
import { TreeReader } from './yaml-reader.ts'
import type { ConfigDocument, Position } from './document.ts'
import type { ConfigProblem } from '../errors.ts'
import type { Environment } from './interpolate.ts'
import { nestsTooDeep } from '../../protocols/yaml/json-or-yaml.ts'
import { syntaxComplaint } from './yaml-scalar.ts'

/** The result of reading a text. */
export interface ReadDocument {
  readonly document: ConfigDocument
  /** Syntax errors, repeated fields, unset variables. */
  readonly problems: readonly ConfigProblem[]
  /** Pointers of values that these problems left undefined or wrong. */
  readonly broken: readonly string[]
}

/** Larger texts are refused before they are parsed. */
export const MAX_CONFIG_BYTES = 16 * 1024 * 1024

/**
 * Parses YAML (or JSON) into values with positions, and substitutes variables. Never throws: mistakes are in
 * `problems`.
 *
 * @example
 * readDocument('gateways: {default: {port: $PORT}}', 'gateway.yaml', process.env)
 */
export function readDocument(source: string, file: string, env: Environment): ReadDocument {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  const counter = new LineCounter()
  const record = new DocumentRecord(file, positionsIn(text, counter))
  const result = (value?: unknown): ReadDocument => ({
    document: record.document(value),
    problems: record.problems,
    broken: record.broken,
  })
  if (text.length > MAX_CONFIG_BYTES) {
    record.problem(0, '', `the configuration is larger than ${String(MAX_CONFIG_BYTES)} bytes`)
    return result()
  }
  if (nestsTooDeep(text)) {
    record.problem(0, '', 'the configuration is nested too deeply')
    return result()
  }
  try {
    const parsed = parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false, // they quote the source, which may contain secrets
      uniqueKeys: false, // checked while reading the tree, which is not quadratic
      logLevel: 'error',
      version: '1.2',
    })
    reportSyntax(text, parsed, record)
    return result(record.problems.length > 0 ? undefined : new TreeReader(text, env, parsed, record).read())
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    record.problem(0, '', 'the configuration is nested too deeply')
    return result()
  }
}

/** One broken line often leads to several errors: the first of each line is kept. */
function reportSyntax(text: string, { errors, warnings }: Document.Parsed, record: DocumentRecord): void {
  const reported = new Set<number>()
  for (const { code, message, pos } of [...errors, ...warnings]) {
    const line = record.lineOf(pos[0])
    if (reported.has(line)) continue
    reported.add(line)
    const { expectation, hint } = syntaxComplaint(code, message, text.split('\n', line)[line - 1] ?? '')
    record.problem(pos[0], '', expectation, hint)
  }
}

/** Converts offsets to lines and columns. Columns count characters, so that an emoji is one. */
function positionsIn(text: string, counter: LineCounter): (offset: number) => Position {
  const plainLines = new Map<number, boolean>()
  return (offset) => {
    const { line } = counter.linePos(Math.min(offset, text.length))
    const start = counter.lineStarts[Math.max(0, line - 1)] ?? 0
    let plain = plainLines.get(line)
    if (plain === undefined) {
      const end = counter.lineStarts[line] ?? text.length
      // Files of one very long line are machine-made; code units are good enough for them.
      plain = end - start > LONG_LINE || ASCII.test(text.slice(start, end))
      plainLines.set(line, plain)
    }
    const before = plain ? offset - start : Array.from(text.slice(start, offset)).length
    return { line: Math.max(1, line), column: before + 1 }
  }
}

const LONG_LINE = 10_000
const ASCII = /^[\x00-\x7f]*$/
