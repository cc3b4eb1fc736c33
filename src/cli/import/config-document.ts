import { Document, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import type { Position } from '../../config/document/document.ts'
import { escapedText } from './config-text.ts'
import type { ImportReport } from './import-report.ts'

/** A configuration as a YAML document, and where its parts come from. */
export interface ImportedDocument {
  readonly document: Document
  /** The origin of a node, in the imported file. */
  originOf: (node: Node) => Position | undefined
}

/** Makes a YAML document of a configuration, with the comments of the report. */
export const configDocument = (config: object, report: ImportReport): ImportedDocument => {
  const origins = new WeakMap<Node, Position>()
  const document = new Document()
  const node = nodeOf(config, report, origins) as YAMLMap<Scalar, Node>
  for (const [index, { key }] of node.items.entries()) if (index > 0) key.spaceBefore = true
  document.contents = node
  return { document, originOf: (one) => origins.get(one) }
}

const nodeOf = (value: unknown, report: ImportReport, origins: WeakMap<Node, Position>): Node => {
  if (typeof value === 'string') return new Scalar(escapedText(value))
  if (typeof value !== 'object' || value === null) return new Scalar(value)
  const origin = report.originOf(value)
  if (Array.isArray(value)) {
    const list = new YAMLSeq<Node>()
    if (origin) origins.set(list, origin)
    for (const item of value) {
      const node = nodeOf(item, report, origins)
      setComment(node, item, report)
      list.items.push(node)
    }
    return list
  }
  const map = new YAMLMap<Scalar, Node>()
  if (origin) origins.set(map, origin)
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue
    const key = new Scalar(name)
    setComment(key, item, report)
    map.items.push(new Pair(key, nodeOf(item, report, origins)))
  }
  return map
}

const setComment = (node: Node, value: unknown, report: ImportReport): void => {
  if (typeof value !== 'object' || value === null) return
  const lines = report.commentOf(value)
  if (lines.length > 0) node.commentBefore = lines.map((line) => ` ${line}`).join('\n')
}
