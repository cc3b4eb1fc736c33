import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml'
import type { Position } from '../../config/document/document.ts'
import { MAX_CONFIG_BYTES } from '../../config/document/read-document.ts'
import { nestsTooDeep } from '../../protocols/yaml/json-or-yaml.ts'
import { CommandFailure } from '../command-failure.ts'

/**
 * A value of an imported YAML file. It records which fields are read, so that the others can be reported.
 */
export class SourceValue {
  readonly name: string
  /** Such as `model_list[0].model_name`. */
  readonly path: string
  readonly at: Position
  readonly #value: unknown
  readonly #fields: ReadonlyMap<string, SourceValue>
  readonly items: readonly SourceValue[]
  #isRead = false

  readonly #kind: 'scalar' | 'list' | 'map'

  /** @param content The value of a scalar, or the parts of a list or of a map. */
  constructor(
    name: string,
    path: string,
    at: Position,
    kind: 'scalar' | 'list' | 'map',
    content: unknown,
    parts: readonly SourceValue[] = [],
  ) {
    this.name = name
    this.path = path
    this.at = at
    this.#kind = kind
    this.#value = content
    this.items = kind === 'list' ? parts : []
    this.#fields = new Map(kind === 'map' ? parts.map((part) => [part.name, part]) : [])
  }

  /** A field; marked as read. Undefined if it is absent or null. */
  field(name: string): SourceValue | undefined {
    const found = this.#fields.get(name)
    if (found) found.#isRead = true
    return found === undefined || found.#value === null ? undefined : found
  }

  /** A field of a field. */
  in(...names: readonly string[]): SourceValue | undefined {
    return names.reduce<SourceValue | undefined>((value, name) => value?.field(name), this)
  }

  /** All fields; each is marked as read. */
  get fields(): readonly SourceValue[] {
    const all = [...this.#fields.values()]
    for (const one of all) one.#isRead = true
    return all
  }

  get text(): string | undefined {
    return typeof this.#value === 'string' || typeof this.#value === 'number'
      ? String(this.#value)
      : undefined
  }

  get number(): number | undefined {
    const number = typeof this.#value === 'string' ? Number.parseFloat(this.#value) : this.#value
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined
  }

  get isTrue(): boolean {
    return this.#value === true || this.#value === 'true'
  }

  get isFalse(): boolean {
    return this.#value === false || this.#value === 'false'
  }

  /** The whole value; everything in it counts as read. */
  get json(): unknown {
    this.ignore()
    if (this.#kind === 'list') return this.items.map((item) => item.json)
    if (this.#kind === 'scalar') return this.#value
    return Object.fromEntries([...this.#fields].map(([name, value]) => [name, value.json]))
  }

  /** Marks the value and everything in it as read. */
  ignore(): void {
    this.#isRead = true
    for (const part of [...this.items, ...this.#fields.values()]) part.ignore()
  }

  /** The outermost values that were not read. */
  get unread(): readonly SourceValue[] {
    const parts = [...this.items, ...this.#fields.values()]
    return parts.flatMap((part) => (part.#isRead || this.items.includes(part) ? part.unread : [part]))
  }
}

/**
 * Reads the documents of a YAML file.
 *
 * @throws {CommandFailure} with line and column, if it cannot be read.
 */
export const readSourceValues = (text: string, file: string): readonly SourceValue[] => {
  if (text.length > MAX_CONFIG_BYTES) throw new CommandFailure(`${file} is larger than 16 MiB`)
  if (nestsTooDeep(text)) throw new CommandFailure(`${file} is nested too deeply`)
  const counter = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: counter, prettyErrors: false, logLevel: 'error' })
  const positionAt = (offset: number): Position => {
    const { line, col } = counter.linePos(Math.min(offset, text.length))
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const values: SourceValue[] = []
  for (const document of Array.isArray(documents) ? documents : []) {
    const [error] = document.errors
    if (error) {
      const { line, column } = positionAt(error.pos[0])
      throw new CommandFailure(
        `${file}:${String(line)}:${String(column)}: ${error.message.split('\n')[0] ?? ''}`,
      )
    }
    let budget = MAX_VALUES
    const build = (node: unknown, name: string, path: string, at: Position): SourceValue => {
      if (--budget < 0) throw new CommandFailure(`${file} expands to too many values`)
      const target = isAlias(node) ? node.resolve(document) : node
      if (isSeq(target)) {
        const items = target.items.map((item, index) =>
          build(item, String(index), `${path}[${String(index)}]`, positionOf(item, at)),
        )
        return new SourceValue(name, path, at, 'list', items, items)
      }
      if (!isMap(target))
        return new SourceValue(name, path, at, 'scalar', isScalar(target) ? target.value : null)
      const fields = target.items.map(({ key, value }) => {
        const field = isScalar(key) ? String(key.value) : String(key)
        return build(value, field, path === '' ? field : `${path}.${field}`, positionOf(key, at))
      })
      return new SourceValue(name, path, at, 'map', fields, fields)
    }
    const positionOf = (node: unknown, parent: Position): Position => {
      const range = (node as Node | null)?.range
      return range ? positionAt(range[0]) : parent
    }
    if (document.contents !== null) values.push(build(document.contents, '', '', { line: 1, column: 1 }))
  }
  return values
}

/** Aliases may not expand a small file to more values than this. */
const MAX_VALUES = 50_000
