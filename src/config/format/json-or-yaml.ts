import { LineCounter, parseDocument } from 'yaml'
import { nestsTooDeep } from '../yaml-text.ts'

/** A text that was read, or where and why it could not be. Lines and columns begin with 1. */
export type ReadText =
  { readonly value: unknown } | { readonly line: number; readonly column: number; readonly problem: string }

/**
 * Reads a document that is JSON or YAML. Never throws.
 *
 * @example
 * readJsonOrYaml('{"openapi": ') // { line: 1, column: 13, problem: '…' }
 */
export function readJsonOrYaml(text: string): ReadText {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return readYaml(text)
  }
}

/** JSON is YAML, so that what is wrong with it is found here too, with its place. */
function readYaml(text: string): ReadText {
  if (nestsTooDeep(text)) return { line: 1, column: 1, problem: 'nested too deeply' }
  const counter = new LineCounter()
  try {
    const parsed = parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false,
      uniqueKeys: false, // checking it takes quadratic time
      logLevel: 'error',
    })
    const [error] = parsed.errors
    if (error === undefined) return { value: parsed.toJS({ maxAliasCount: MAX_ALIASES }) as unknown }
    const { line, col } = counter.linePos(Math.min(error.pos[0], text.length))
    return {
      line: Math.max(1, line),
      column: Math.max(1, col),
      problem: `neither JSON nor YAML: ${error.message.replace(/\s+/g, ' ')}`,
    }
  } catch (error) {
    if (error instanceof ReferenceError)
      return { line: 1, column: 1, problem: 'aliases that stand for too much' }
    if (error instanceof RangeError) return { line: 1, column: 1, problem: 'nested too deeply' }
    throw error
  }
}

const MAX_ALIASES = 100
