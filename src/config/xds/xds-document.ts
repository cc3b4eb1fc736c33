import type { ConfigDocument } from '../document/document.ts'
import { display, segments } from '../document/json-pointer.ts'
import type { ConfigFile } from '../schema/file-types.gen.ts'
import { type XdsKind, xdsName } from './xds-resource.ts'

/** Where a resource of each kind is, in a file that has nothing else. */
const POINTERS: Readonly<Record<XdsKind, string>> = {
  bind: '/binds/0',
  listener: '/binds/0/listeners/0',
  route: '/binds/0/listeners/0/routes/0',
  tcpRoute: '/binds/0/listeners/0/tcpRoutes/0',
  udpRoute: '/binds/0/listeners/0/udpRoutes/0',
  models: '/llm',
  backend: '/backends/0',
  policy: '/policies/0',
  service: '/services/0',
  workload: '/workloads/0',
}

/** The kinds of resources. */
export const isXdsKind = (kind: string): kind is XdsKind => Object.hasOwn(POINTERS, kind)

/** A configuration file that has one resource only. */
export interface XdsDocument extends ConfigDocument {
  readonly value: ConfigFile
  /** Where the resource is in it. */
  readonly pointer: string
}

/**
 * A resource of a control plane as a configuration file, so that everything that checks and normalises files applies to
 * it. In messages, the file has the name of the resource, and fields are relative to it.
 */
export const xdsDocument = (kind: XdsKind, key: string, model: unknown): XdsDocument => {
  const file = xdsName({ kind, key })
  const pointer = POINTERS[kind]
  const value = within(segments(pointer), model, PROTOCOLS[kind]) as ConfigFile
  const root = { value }
  return {
    file,
    value,
    pointer,
    valueAt: () => NOWHERE,
    keyAt: () => NOWHERE,
    writtenAs: () => undefined,
    substitutedText: () => undefined,
    empty: [],
    nulls: [],
    secrets: [],
    display: (at) =>
      at === pointer || !at.startsWith(`${pointer}/`)
        ? ''
        : display(at.slice(pointer.length), (inner) => Array.isArray(valueAt(root.value, pointer + inner))),
  }
}

/** The protocol of the listener that has a route. Default: HTTP. */
const PROTOCOLS: Partial<Record<XdsKind, string>> = { tcpRoute: 'TCP', udpRoute: 'UDP' }

/** There are no lines. */
const NOWHERE = { line: 0, column: 0 }

const within = (path: readonly string[], model: unknown, protocol?: string): unknown => {
  const [name = '', position, ...rest] = path
  if (position === undefined) return { [name]: model }
  const item = rest.length === 0 ? model : within(rest, model, protocol)
  if (name === 'binds' && rest.length > 0) return { binds: [{ port: 1, ...(item as object) }] }
  if (name === 'listeners' && rest.length > 0)
    return { listeners: [{ ...(protocol !== undefined && { protocol }), ...(item as object) }] }
  return { [name]: [item] }
}

const valueAt = (root: unknown, pointer: string): unknown =>
  segments(pointer).reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null ? (at as Readonly<Record<string, unknown>>)[name] : undefined,
    root,
  )
