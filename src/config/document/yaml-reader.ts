import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Scalar,
} from 'yaml'
import { isSensitiveParameter } from '../../model/trace/redact.ts'
import type { DocumentRecord } from './source-map.ts'
import { child } from './json-pointer.ts'
import { type Environment, interpolate } from './interpolate.ts'
import { typedScalar } from './yaml-scalar.ts'

/** Aliases may not expand a small text to more values than this ("billion laughs"). */
const MAX_ALIASED_VALUES = 100_000

/** Hiding shorter values would hide too many other texts. */
const SHORTEST_SECRET = 6

/** Names that would reach into the prototype of a plain object. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype'])

/** Converts the syntax tree of one document to plain values. */
export class TreeReader {
  readonly #text: string
  readonly #env: Environment
  readonly #parsed: Document.Parsed
  readonly #record: DocumentRecord
  /** Targets of aliases that are being read, to detect an anchor that contains itself. */
  readonly #open = new Set<Node>()
  #aliased = 0

  constructor(text: string, env: Environment, parsed: Document.Parsed, record: DocumentRecord) {
    this.#text = text
    this.#env = env
    this.#parsed = parsed
    this.#record = record
  }

  /** The value of the document; undefined if it is too large. */
  read(): unknown {
    const value = this.#read(this.#parsed.contents, '') ?? {}
    return this.#aliased > MAX_ALIASED_VALUES ? undefined : value
  }

  #read(node: unknown, pointer: string): unknown {
    if (isAlias(node)) return this.#alias(node, pointer)
    if (this.#open.size > 0 && ++this.#aliased > MAX_ALIASED_VALUES) {
      this.#explosion()
      return undefined
    }
    if (isScalar(node)) return this.#scalar(node, pointer)
    if (isSeq(node)) {
      this.#record.value(pointer, offsetOf(node))
      this.#record.list(pointer)
      return node.items.map((item, index) => this.#read(item, child(pointer, index)))
    }
    if (isMap(node)) {
      this.#record.value(pointer, offsetOf(node))
      const object: Record<string, unknown> = {}
      this.#fields(node.items, pointer, object)
      return object
    }
    return null
  }

  #fields(pairs: readonly Pair[], pointer: string, into: Record<string, unknown>): void {
    const merges: Pair[] = []
    for (const pair of pairs) {
      if (isScalar(pair.key) && pair.key.source === '<<' && pair.key.type === Scalar.PLAIN) merges.push(pair)
      else this.#field(pair, pointer, into)
    }
    // Merged fields come last: fields of the mapping itself take precedence, wherever the `<<` is.
    for (const { value } of merges) this.#merge(value, pointer, into)
  }

  #field({ key, value }: Pair, pointer: string, into: Record<string, unknown>): void {
    const keyNode = isAlias(key) ? key.resolve(this.#parsed) : key
    const offset = offsetOf(key)
    if (!isScalar(keyNode) || keyNode.value === null || typeof keyNode.value === 'object') {
      this.#record.breakage(offset, pointer, 'field names must be plain text')
      return
    }
    const name = typeof keyNode.value === 'string' ? keyNode.value : (keyNode.source ?? '')
    const at = child(pointer, name)
    if (RESERVED.has(name)) this.#record.breakage(offset, at, 'this name is reserved')
    else if (Object.hasOwn(into, name)) {
      const first = String(this.#record.fieldLine(at))
      this.#record.problem(offset, at, `written twice, first on line ${first}`)
    } else {
      this.#record.field(at, offset)
      into[name] = this.#read(value, at)
      if (into[name] === null) this.#record.emptyField(at)
      if (into[name] === '' || (into[name] === null && isExplicitNull(value))) this.#record.nullField(at)
    }
  }

  #merge(value: unknown, pointer: string, into: Record<string, unknown>): void {
    const node = isAlias(value) ? value.resolve(this.#parsed) : value
    if (isSeq(node)) {
      for (const item of node.items) this.#merge(item, pointer, into)
      return
    }
    if (!isMap(node) || this.#open.has(node)) {
      const expectation = '"<<" takes a mapping, an alias of one, or a list of them'
      this.#record.breakage(offsetOf(value), pointer, expectation)
      return
    }
    const missing = node.items.filter(({ key }) => !(isScalar(key) && Object.hasOwn(into, String(key.value))))
    this.#within(node, () => {
      this.#fields(missing, pointer, into)
    })
  }

  #alias(alias: Alias, pointer: string): unknown {
    const target = alias.resolve(this.#parsed)
    if (target !== undefined && !this.#open.has(target)) {
      return this.#within(target, () => this.#read(target, pointer))
    }
    const why = target === undefined ? 'has no anchor before it' : 'contains itself'
    this.#record.breakage(offsetOf(alias), pointer, `*${alias.source} ${why}`)
    return undefined
  }

  #within<T>(target: Node, read: () => T): T {
    this.#open.add(target)
    const result = read()
    this.#open.delete(target)
    return result
  }

  #explosion(): void {
    if (this.#aliased !== MAX_ALIASED_VALUES + 1) return
    const most = String(MAX_ALIASED_VALUES)
    this.#record.breakage(0, '', `the aliases of the configuration stand for more than ${most} values`)
  }

  #scalar(node: Scalar, pointer: string): unknown {
    this.#record.value(pointer, offsetOf(node))
    const plain = node.type === Scalar.PLAIN
    const source = plain ? (node.source ?? '') : node.value
    if (typeof source !== 'string' || !source.includes('$')) return node.value
    const { text, substituted, used, unset } = interpolate(source, this.#env)
    for (const { name, value } of used) {
      if (isSensitiveParameter(name) && value.length >= SHORTEST_SECRET) this.#record.secret(value)
    }
    for (const { name, reference } of unset) {
      this.#record.breakage(
        this.#referenceOffset(node, reference),
        pointer,
        `environment variable ${name} is not set`,
        `write \${${name}:-default} to give a default, or $$ for a literal $`,
      )
    }
    if (!substituted) return text
    this.#record.substitution(pointer, source, text)
    return plain ? typedScalar(text, this.#parsed) : text
  }

  #referenceOffset(node: Scalar, reference: string): number {
    const [from, to] = node.range ?? [0, 0]
    const found = this.#text.slice(from, to).indexOf(reference)
    return from + Math.max(0, found)
  }
}

/** Whether null was written explicitly, as opposed to a missing value. */
function isExplicitNull(node: unknown): boolean {
  return isScalar(node) && (node.source ?? '') !== ''
}

function offsetOf(node: unknown): number {
  const range = (node as { range?: readonly number[] | null } | null | undefined)?.range
  return range?.[0] ?? 0
}
