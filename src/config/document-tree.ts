import { isAlias, isMap, isScalar, isSeq, Scalar } from 'yaml'
import type { Document, Node, Pair } from 'yaml'
import { isSensitiveParameter } from '../model/redact.ts'
import type { ConfigDocument, Position, ReadDocument } from './document.ts'
import type { ConfigProblem } from './errors.ts'
import { child, display, parent } from './instance-path.ts'
import { interpolate } from './interpolate.ts'
import type { Environment } from './interpolate.ts'
import { syntaxComplaint, typedScalar } from './yaml-text.ts'

/** Aliases may not blow a small text up to more values than this ("billion laughs"). */
const MAX_ALIASED_VALUES = 100_000

/** Hiding shorter texts would hide half of everything. */
const SHORTEST_SECRET = 6

/** Names that would reach into the prototype of a plain object. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype'])

/** Turns the syntax tree of one document into plain values, noting positions and problems on the way. */
export class TreeReader {
  readonly #text: string
  readonly #file: string
  readonly #env: Environment
  readonly #parsed: Document.Parsed
  readonly #position: (offset: number) => Position
  /** Offsets; lines and columns are computed for the few that are asked for. */
  readonly #values = new Map<string, number>()
  readonly #keys = new Map<string, number>()
  readonly #written = new Map<string, { source: string; text: string }>()
  readonly #lists = new Set<string>()
  readonly #empty: string[] = []
  readonly #secrets = new Set<string>()
  readonly #problems: ConfigProblem[] = []
  /** Nodes being read, to notice an anchor that contains itself. */
  readonly #open = new Set<Node>()
  #aliasDepth = 0
  #aliased = 0

  constructor(
    text: string,
    file: string,
    env: Environment,
    parsed: Document.Parsed,
    position: (offset: number) => Position,
  ) {
    this.#text = text
    this.#file = file
    this.#env = env
    this.#parsed = parsed
    this.#position = position
  }

  read(): ReadDocument {
    for (const { code, message, pos } of [...this.#parsed.errors, ...this.#parsed.warnings]) {
      const { line } = this.#position(pos[0])
      const { expectation, hint } = syntaxComplaint(
        code,
        message,
        this.#text.split('\n', line)[line - 1] ?? '',
      )
      this.#problem(pos[0], '', expectation, hint)
    }
    const value = this.#problems.length > 0 ? undefined : (this.#read(this.#parsed.contents, '') ?? {})
    const document: ConfigDocument = {
      file: this.#file,
      value,
      valueAt: (pointer) => this.#position(nearestRecorded(this.#values, pointer)),
      keyAt: (pointer) => this.#position(this.#keys.get(pointer) ?? nearestRecorded(this.#values, pointer)),
      writtenAs: (pointer) => this.#written.get(pointer)?.source,
      substitutedText: (pointer) => this.#written.get(pointer)?.text,
      empty: this.#empty,
      secrets: [...this.#secrets],
      display: (pointer) => this.#display(pointer),
    }
    return { document, problems: this.#problems }
  }

  #read(node: unknown, pointer: string): unknown {
    if (isAlias(node)) return this.#alias(node, pointer)
    if (this.#aliasDepth > 0 && ++this.#aliased > MAX_ALIASED_VALUES) return undefined
    if (isScalar(node)) return this.#scalar(node, pointer)
    if (isSeq(node)) {
      this.#at(node, pointer)
      this.#lists.add(pointer)
      return node.items.map((item, index) => this.#read(item, child(pointer, index)))
    }
    if (isMap(node)) {
      this.#at(node, pointer)
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
    // Merged fields come last: what is written here wins, wherever the `<<` stands.
    for (const { value } of merges) this.#merge(value, pointer, into)
  }

  #field({ key, value }: Pair, pointer: string, into: Record<string, unknown>): void {
    const keyNode = isAlias(key) ? key.resolve(this.#parsed) : key
    const offset = offsetOf(key)
    if (!isScalar(keyNode) || keyNode.value === null || typeof keyNode.value === 'object') {
      this.#problem(offset, pointer, 'field names must be plain text')
      return
    }
    const name = typeof keyNode.value === 'string' ? keyNode.value : (keyNode.source ?? '')
    const at = child(pointer, name)
    if (RESERVED.has(name)) {
      this.#problem(offset, at, 'this name is reserved')
      return
    }
    if (Object.hasOwn(into, name)) {
      const first = this.#position(this.#keys.get(at) ?? 0).line
      this.#problem(offset, at, `is written twice, first on line ${String(first)}`)
      return
    }
    this.#keys.set(at, offset)
    if (!this.#values.has(at)) this.#values.set(at, offset)
    into[name] = this.#read(value, at)
    if (into[name] === null) this.#empty.push(at)
  }

  #merge(value: unknown, pointer: string, into: Record<string, unknown>): void {
    const node = isAlias(value) ? value.resolve(this.#parsed) : value
    if (isSeq(node)) {
      for (const item of node.items) this.#merge(item, pointer, into)
      return
    }
    if (!isMap(node) || this.#open.has(node)) {
      this.#problem(offsetOf(value), pointer, '"<<" takes a mapping, an alias of one, or a list of them')
      return
    }
    const missing = node.items.filter(({ key }) => !(isScalar(key) && Object.hasOwn(into, String(key.value))))
    this.#enterAlias(node, () => {
      this.#fields(missing, pointer, into)
    })
  }

  #alias(
    alias: Node & { source: string; resolve(doc: Document): Node | undefined },
    pointer: string,
  ): unknown {
    const target = alias.resolve(this.#parsed)
    if (target === undefined) {
      this.#problem(offsetOf(alias), pointer, `*${alias.source} has no anchor before it`)
      return undefined
    }
    if (this.#open.has(target)) {
      this.#problem(offsetOf(alias), pointer, `*${alias.source} contains itself`)
      return undefined
    }
    return this.#enterAlias(target, () => this.#read(target, pointer))
  }

  #enterAlias<T>(target: Node, read: () => T): T {
    this.#open.add(target)
    this.#aliasDepth++
    const before = this.#aliased
    const result = read()
    this.#open.delete(target)
    this.#aliasDepth--
    if (this.#aliased > MAX_ALIASED_VALUES && before <= MAX_ALIASED_VALUES) {
      this.#problem(offsetOf(target), '', `aliases expand to more than ${String(MAX_ALIASED_VALUES)} values`)
    }
    return result
  }

  #scalar(node: Scalar, pointer: string): unknown {
    this.#at(node, pointer)
    const plain = node.type === Scalar.PLAIN
    const source = plain ? (node.source ?? '') : node.value
    if (typeof source !== 'string' || !source.includes('$')) return node.value
    const { text, substituted, used, unset } = interpolate(source, this.#env)
    for (const { name, value } of used) {
      if (isSensitiveParameter(name) && value.length >= SHORTEST_SECRET) this.#secrets.add(value)
    }
    for (const { name, reference } of unset) {
      this.#problem(
        this.#referenceOffset(node, reference),
        pointer,
        `environment variable ${name} is not set`,
        `write \${${name}:-default} to give a default, or $$ for a literal $`,
      )
    }
    if (!substituted) return text
    this.#written.set(pointer, { source, text })
    return plain ? typedScalar(text, this.#parsed) : text
  }

  #referenceOffset(node: Scalar, reference: string): number {
    const [from, to] = node.range ?? [0, 0]
    const found = this.#text.slice(from, to).indexOf(reference)
    return from + Math.max(0, found)
  }

  #at(node: Node, pointer: string): void {
    this.#values.set(pointer, offsetOf(node))
  }

  #problem(offset: number, pointer: string, expectation: string, hint?: string): void {
    this.#problems.push({
      file: this.#file,
      ...this.#position(offset),
      pointer,
      path: this.#display(pointer),
      expectation,
      ...(hint === undefined ? {} : { hint }),
    })
  }

  #display(pointer: string): string {
    return display(pointer, (at) => this.#lists.has(at))
  }
}

function offsetOf(node: unknown): number {
  const range = (node as { range?: readonly number[] | null } | null | undefined)?.range
  return range?.[0] ?? 0
}

/** The offset recorded for a pointer or for its nearest recorded parent. */
function nearestRecorded(offsets: ReadonlyMap<string, number>, pointer: string): number {
  for (let at = pointer; ; at = parent(at)) {
    const offset = offsets.get(at)
    if (offset !== undefined || at === '') return offset ?? 0
  }
}
