import { keyOf } from './equality.ts'
import { celError } from './eval-error.ts'
import { type CelType, metaOf, type Node, setMeta, setValue } from './cel-js.ts'
import { skipCelBlank, celStringEnd } from '../values/text-scan.ts'

/** Corrects literals that the library does not read as CEL defines them. */
export const patchLiteral = (node: Node): void => {
  if (node.op === 'map') patchMap(node)
  else if (node.op === 'value' && node.args instanceof Uint8Array) patchBytes(node)
}

/**
 * The library reads a map as an object: all keys become strings, and keys such as `constructor` are dropped.
 * Here keys keep their types, repeated keys are an error, and no key is lost.
 */
const patchMap = (node: Node & { op: 'map' }): void => {
  if (node.args.length === 0) return
  const { check } = metaOf(node)
  setMeta(node, 'check', (checker, self, scope) => {
    const type = check(checker, self, scope)
    for (const [key] of node.args) {
      const found = checker.check(key, scope)
      if (!mayBeKey(found)) throw checker.createError('invalid_map_key', `a key cannot be ${found.name}`, key)
    }
    return type
  })
  setMeta(node, 'evaluate', (evaluator, _self, scope) => {
    const map = new Map<unknown, unknown>()
    for (const [keyNode, valueNode] of node.args) {
      const key = keyOf(evaluator.run(keyNode, scope))
      if (!keyTypes.has(typeof key)) throw celError('invalid_map_key', 'this cannot be a key')
      if (map.has(key)) throw celError('duplicate_key', `the key ${String(key)} comes twice`)
      map.set(key, evaluator.run(valueNode, scope))
    }
    return map
  })
}

const mayBeKey = ({ kind, name }: CelType): boolean =>
  kind === 'dyn' || kind === 'param' || keyTypeNames.has(name)

const keyTypeNames: ReadonlySet<string> = new Set(['string', 'int', 'uint', 'bool'])
const keyTypes: ReadonlySet<string> = new Set(['string', 'bigint', 'boolean'])

/** Characters beyond ASCII stand for their UTF-8; the library keeps the low byte of their code. */
const patchBytes = (node: Node & { op: 'value' }): void => {
  if (/^[\u0000-\u007f]*$/.test(node.input)) return
  const written = literalEndingAt(node.input, node.end)
  if (written === undefined) return
  const quotes = /^("""|'''|.)/.exec(written)?.[0].length ?? 1
  const parts = written.slice(quotes, -quotes).matchAll(/\\(?:[0-7]{3}|[xX][\da-fA-F]{2}|.)|[^\\]+/gs)
  setValue(
    node,
    Buffer.concat(
      Array.from(parts, ([part]) => (part.startsWith('\\') ? escaped(part.slice(1)) : Buffer.from(part))),
    ),
  )
}

/** The library records where a bytes literal ends, but not where it begins. */
const literalEndingAt = (text: string, end: number): string | undefined => {
  for (let at = 0; at < end;) {
    const char = text.charAt(at)
    if (char === '"' || char === "'") {
      const after = celStringEnd(text, at)
      if (after === end) return text.slice(at, end)
      at = after
    } else at = text.startsWith('//', at) ? skipCelBlank(text, at) : at + 1
  }
  return undefined
}

const escaped = (text: string): Buffer => {
  if (/^[0-7]{3}$/.test(text)) return Buffer.of(Number.parseInt(text, 8))
  if (/^x/i.test(text)) return Buffer.of(Number.parseInt(text.slice(1), 16))
  return Buffer.from(escapes[text] ?? text)
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}
