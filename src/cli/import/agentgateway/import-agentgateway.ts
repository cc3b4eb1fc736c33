import { type Document, isMap, LineCounter, type Node, parseDocument } from 'yaml'
import { MAX_CONFIG_BYTES } from '../../../config/document/read-document.ts'
import { nestsTooDeep } from '../../../protocols/yaml/json-or-yaml.ts'
import { CommandFailure } from '../../command-failure.ts'
import type { ImportedDocument } from '../config-document.ts'
import type { ImportReport } from '../import-report.ts'

/**
 * A configuration of the Rust implementation, which this gateway reads as it is: comments stay, deprecated fields move
 * to where they belong now. What is not supported is removed later, when the result is checked.
 *
 * @throws {CommandFailure} if the file is no YAML.
 */
export const importAgentgateway = (source: string, report: ImportReport): ImportedDocument => {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  if (text.length > MAX_CONFIG_BYTES) throw new CommandFailure(`${report.file} is larger than 16 MiB`)
  if (nestsTooDeep(text)) throw new CommandFailure(`${report.file} is nested too deeply`)
  const counter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'error',
  })
  const at = (offset: number): { readonly line: number; readonly column: number } => {
    const { line, col } = counter.linePos(Math.min(offset, text.length))
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const [error] = document.errors
  if (error) {
    const { line, column } = at(error.pos[0])
    throw new CommandFailure(
      `${report.file}:${String(line)}:${String(column)}: ${error.message.split('\n')[0] ?? ''}`,
    )
  }
  if (!isMap(document.contents))
    throw new CommandFailure(`${report.file} is no configuration: it has no fields`)
  const originOf = (node: Node): ReturnType<typeof at> | undefined =>
    node.range ? at(node.range[0]) : undefined
  const moved = new Moves(document, report, originOf)
  moved.logging()
  moved.tracing()
  return { document: document, originOf }
}

/** Moves of deprecated fields. */
class Moves {
  readonly #document: Document.Parsed
  readonly #report: ImportReport
  readonly #originOf: ImportedDocument['originOf']

  constructor(document: Document.Parsed, report: ImportReport, originOf: ImportedDocument['originOf']) {
    this.#document = document
    this.#report = report
    this.#originOf = originOf
  }

  logging(): void {
    const old = ['config', 'logging']
    const into = ['frontendPolicies', 'accessLog']
    this.#move([...old, 'filter'], [...into, 'filter'])
    this.#move([...old, 'fields', 'add'], [...into, 'add'])
    this.#move([...old, 'fields', 'remove'], [...into, 'remove'])
    this.#deleteIfEmpty([...old, 'fields'], old, ['config'])
  }

  tracing(): void {
    const old = ['config', 'tracing']
    const into = ['frontendPolicies', 'tracing']
    const names: readonly (readonly [readonly string[], string])[] = [
      [['otlpEndpoint'], 'host'],
      [['otlpProtocol'], 'protocol'],
      [['path'], 'path'],
      [['randomSampling'], 'randomSampling'],
      [['clientSampling'], 'clientSampling'],
      [['fields', 'add'], 'attributes'],
      [['fields', 'remove'], 'remove'],
    ]
    for (const [name, now] of names) this.#move([...old, ...name], [...into, now])
    this.#move([...old, 'headers'], [...into, 'policies', 'requestHeaderModifier', 'set'])
    this.#deleteIfEmpty([...old, 'fields'], old, ['config'])
  }

  /** A field that is set at both paths stays at the new one: the old one is refused, and reported, later. */
  #move(from: readonly string[], to: readonly string[]): void {
    if (!this.#document.hasIn(from) || this.#document.hasIn(to)) return
    const node = this.#document.getIn(from, true) as Node
    this.#document.deleteIn(from)
    this.#document.setIn(to, node)
    this.#report.changed(
      this.#originOf(node) ?? { line: 1, column: 1 },
      from.join('.'),
      `deprecated: moved to ${to.join('.')}`,
    )
  }

  #deleteIfEmpty(...paths: readonly (readonly string[])[]): void {
    for (const path of paths) {
      const node = this.#document.getIn(path, true)
      if (isMap(node) && node.items.length === 0) this.#document.deleteIn(path)
    }
  }
}
