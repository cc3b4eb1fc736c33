import type { McpAttributes } from '../../../model/mcp/mcp-attributes.ts'
import { redactUrl } from '../../../model/trace/redact.ts'
import { OVERFLOW } from '../exposition/label-text.ts'
import type { OnLabelOverflow } from './label-values.ts'

/**
 * Decides which item names may be labels. Clients may request any name: it counts once its server has confirmed it, and
 * the number per server and kind is limited, because a template makes endless resources. Task names are used only once.
 */
export class McpNames {
  readonly #known = new Map<string, Set<string>>()
  readonly #onOverflow: OnLabelOverflow

  constructor(onOverflow: OnLabelOverflow) {
    this.#onOverflow = onOverflow
  }

  /** The label of the item of a request; undefined if it has none, or it may not be a label. */
  label({ kind, target = '', isKnown, ...attributes }: McpAttributes): string | undefined {
    const name = kind === undefined || kind === 'task' ? undefined : attributes[kind]?.name
    if (name === undefined) return undefined
    const key = `${kind} ${target}`
    let names = this.#known.get(key)
    if (names?.has(name)) return shown(name)
    if (!isKnown) return undefined
    if (!names) this.#known.set(key, (names = new Set()))
    if (names.size >= NAMES_LIMIT) {
      this.#onOverflow('resource')
      return OVERFLOW
    }
    names.add(name)
    return shown(name)
  }
}

/** Per kind and server. */
const NAMES_LIMIT = 500
const MAX_LENGTH = 128

const shown = (name: string): string => redactUrl(name).slice(0, MAX_LENGTH).toWellFormed()
