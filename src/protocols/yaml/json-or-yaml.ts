import { type Alias, type Document, isAlias, LineCounter, parseDocument, visit, CST, Lexer } from 'yaml'

/** The parsed value, or the position and the reason of the failure. Lines and columns are 1-based. */
export type ReadText =
  { readonly value: unknown } | { readonly line: number; readonly column: number; readonly problem: string }

/**
 * Parses a document that is JSON or YAML. Never throws.
 *
 * @param yamlLimit Maximum characters of YAML, which takes far longer than JSON.
 * @example
 * readJsonOrYaml('{"openapi": ') // { line: 1, column: 13, problem: '…' }
 */
export function readJsonOrYaml(text: string, yamlLimit = Infinity): ReadText {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    if (text.length <= yamlLimit) return readYaml(text)
    return { line: 1, column: 1, problem: `no JSON, and longer than ${yamlLimit} characters of YAML may be` }
  }
}

/** JSON is a subset of YAML, so that this finds mistakes in JSON too, with their positions. */
function readYaml(text: string): ReadText {
  if (nestsTooDeep(text)) return { line: 1, column: 1, problem: 'nested too deeply' }
  const counter = new LineCounter()
  try {
    const parsed = parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false,
      uniqueKeys: false, // the check takes quadratic time
      logLevel: 'error',
    })
    const at = (offset: number): { readonly line: number; readonly column: number } => {
      const { line, col } = counter.linePos(Math.min(offset, text.length))
      return { line: Math.max(1, line), column: Math.max(1, col) }
    }
    const [error] = parsed.errors
    if (error !== undefined)
      return {
        ...at(error.pos[0]),
        problem: `neither JSON nor YAML: ${error.message.replace(/\s+/g, ' ')}`,
      }
    const wrong = wrongAlias(parsed)
    if (wrong) return { ...at(wrong.alias.range?.[0] ?? 0), problem: `*${wrong.alias.source} ${wrong.why}` }
    return { value: parsed.toJS({ maxAliasCount: MAX_ALIASES }) as unknown }
  } catch (error) {
    if (error instanceof ReferenceError)
      return { line: 1, column: 1, problem: 'aliases that stand for too much' }
    if (error instanceof RangeError) return { line: 1, column: 1, problem: 'nested too deeply' }
    throw error
  }
}

/** The first alias without an anchor, or within its own anchor: it has no finite value. */
function wrongAlias(parsed: Document): { readonly alias: Alias; readonly why: string } | undefined {
  let found: { readonly alias: Alias; readonly why: string } | undefined
  const anchors = new Map<string, unknown>()
  visit(parsed, {
    Node: (_, node) => {
      if (!isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node)
    },
    Alias: (_, alias, path) => {
      const target = anchors.get(alias.source)
      if (target !== undefined && !path.some((node) => node === target)) return undefined
      found = { alias, why: target === undefined ? 'has no anchor before it' : 'contains itself' }
      return visit.BREAK
    },
  })
  return found
}

const MAX_ALIASES = 100

/** Whether flow collections are nested too deeply. Indentation bounds the depth of block collections. */
export function nestsTooDeep(text: string): boolean {
  let flow = 0
  let line = 0
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token)
    if (type === 'flow-seq-start' || type === 'flow-map-start') flow++
    else if (type === 'flow-seq-end' || type === 'flow-map-end') flow = Math.max(0, flow - 1)
    else if (type === 'seq-item-ind' || type === 'explicit-key-ind') line++
    else if (type === 'newline') line = 0
    if (flow > MAX_DEPTH || line > MAX_DEPTH) return true
  }
  return false
}

/**
 * Enough for every real document. The parser takes quadratic time and a stack frame or two for each level.
 */
const MAX_DEPTH = 100
