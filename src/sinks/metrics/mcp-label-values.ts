import type { McpAttributes } from '../../model/mcp/mcp-attributes.ts'
import { redactUrl } from '../../model/trace/redact.ts'

/**
 * Which names may be labels. Clients may ask for anything: a name counts once its server has answered for it, and of each
 * server and kind there are only so many, for a template makes resources without end. Tasks have names that are used once.
 */
export class McpNames {
  readonly #known = new Map<string, Set<string>>()

  /** The label for what a request is about; undefined if it has none, or none that may be known. */
  label({ kind, target = '', isKnown, ...attributes }: McpAttributes): string | undefined {
    const name = kind === undefined || kind === 'task' ? undefined : attributes[kind]?.name
    if (name === undefined) return undefined
    const key = `${kind} ${target}`
    let names = this.#known.get(key)
    if (names?.has(name)) return shown(name)
    if (!isKnown) return undefined
    if (!names) this.#known.set(key, (names = new Set()))
    if (names.size >= NAMES_LIMIT) return 'other'
    names.add(name)
    return shown(name)
  }
}

/** Of one kind, of one server. */
const NAMES_LIMIT = 500
const MAX_LENGTH = 128

const shown = (name: string): string => redactUrl(name).slice(0, MAX_LENGTH)
