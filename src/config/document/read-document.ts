import { LineCounter, parseDocument } from 'yaml'
import type { Document } from 'yaml'
import { DocumentRecord } from './document-record.ts'
import { TreeReader } from './document-tree.ts'
import type { ConfigProblem } from './errors.ts'
import type { Environment } from './interpolate.ts'
import { nestsTooDeep } from '../protocols/yaml/nests-too-deep.ts'
import { syntaxComplaint } from './yaml-text.ts'

/** A place in a text. */
export interface Position {
  /** 1-based. */
  readonly line: number
  /** 1-based, in characters. */
  readonly column: number
}

/** A parsed configuration that still knows where each value was written. */
export interface ConfigDocument {
  readonly file: string
  /** Undefined if the syntax is broken. */
  readonly value: unknown
  /** Where a value begins; for a pointer that leads nowhere, where its nearest parent begins. */
  valueAt(pointer: string): Position
  /** Where the name of a field begins; for list items, where the item begins. */
  keyAt(pointer: string): Position
  /** The text of a scalar as written, if variables were put into it. */
  writtenAs(pointer: string): string | undefined
  /** The text of a scalar after substitution, if there was one: what it is as a string. */
  substitutedText(pointer: string): string | undefined
  /** Pointers of fields that were written without a value. */
  readonly empty: readonly string[]
  /** Values of variables that are named like credentials. */
  readonly secrets: readonly string[]
  display(pointer: string): string
}

/** What reading a text gave. */
export interface ReadDocument {
  readonly document: ConfigDocument
  /** Broken syntax, fields written twice, unset variables. */
  readonly problems: readonly ConfigProblem[]
  /** Pointers of values that some of these problems left undefined or wrong. */
  readonly broken: readonly string[]
}

/** Larger texts are refused before they are parsed. */
export const MAX_CONFIG_BYTES = 16 * 1024 * 1024

/**
 * Reads YAML (or JSON) text into values with positions, variables put in. Never throws: what is wrong is in `problems`.
 *
 * @example
 * readDocument('gateways: {default: {port: $PORT}}', 'gateway.yaml', process.env)
 */
export function readDocument(source: string, file: string, env: Environment): ReadDocument {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  const counter = new LineCounter()
  const record = new DocumentRecord(file, positionsIn(text, counter))
  const give = (value?: unknown): ReadDocument => ({
    document: record.document(value),
    problems: record.problems,
    broken: record.broken,
  })
  if (text.length > MAX_CONFIG_BYTES) {
    record.problem(0, '', `the configuration is larger than ${String(MAX_CONFIG_BYTES)} bytes`)
    return give()
  }
  if (nestsTooDeep(text)) {
    record.problem(0, '', 'the configuration is nested too deeply')
    return give()
  }
  try {
    const parsed = parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false, // they quote the source, which may hold secrets
      uniqueKeys: false, // checked while reading the tree, which is not quadratic
      logLevel: 'error',
      version: '1.2',
    })
    noteSyntax(text, parsed, record)
    return give(record.problems.length > 0 ? undefined : new TreeReader(text, env, parsed, record).read())
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    record.problem(0, '', 'the configuration is nested too deeply')
    return give()
  }
}

/** One broken line often leads to several complaints: the first of each line is kept. */
function noteSyntax(text: string, { errors, warnings }: Document.Parsed, record: DocumentRecord): void {
  const told = new Set<number>()
  for (const { code, message, pos } of [...errors, ...warnings]) {
    const line = record.lineOf(pos[0])
    if (told.has(line)) continue
    told.add(line)
    const { expectation, hint } = syntaxComplaint(code, message, text.split('\n', line)[line - 1] ?? '')
    record.problem(pos[0], '', expectation, hint)
  }
}

/** Offsets of the text to lines and columns; columns count characters, so that an emoji is one. */
function positionsIn(text: string, counter: LineCounter): (offset: number) => Position {
  const plainLines = new Map<number, boolean>()
  return (offset) => {
    const { line } = counter.linePos(Math.min(offset, text.length))
    const start = counter.lineStarts[Math.max(0, line - 1)] ?? 0
    let plain = plainLines.get(line)
    if (plain === undefined) {
      const end = counter.lineStarts[line] ?? text.length
      // Files of one very long line are written by machines: there, code units are good enough.
      plain = end - start > LONG_LINE || ASCII.test(text.slice(start, end))
      plainLines.set(line, plain)
    }
    const before = plain ? offset - start : Array.from(text.slice(start, offset)).length
    return { line: Math.max(1, line), column: before + 1 }
  }
}

const LONG_LINE = 10_000
const ASCII = /^[\x00-\x7f]*$/
