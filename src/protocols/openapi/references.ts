import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { ConversionError, quoted } from './conversion-error.ts'
import { own } from './own-property.ts'

/** References to references. Longer chains are circles, or hostile. */
const MAX_HOPS = 100

/** Resolves the `$ref`s of a document. Targets outside of the document are never resolved. */
export class References {
  readonly #document: JsonObject
  /** Schemas by the absolute names and anchors that they declare. */
  readonly #named = new Map<string, unknown>()

  constructor(document: JsonObject) {
    this.#document = document
    const components = own(document, 'components')
    const schemas = isJsonObject(components) ? own(components, 'schemas') : undefined
    if (!isJsonObject(schemas)) return
    for (const schema of Object.values(schemas)) {
      if (!isJsonObject(schema)) continue
      const { $id, $anchor, $dynamicAnchor } = schema
      if (typeof $id === 'string') this.#named.set($id.replace(/#$/, ''), schema)
      for (const anchor of [$anchor, $dynamicAnchor])
        if (typeof anchor === 'string') this.#named.set(`#${anchor}`, schema)
    }
  }

  /** The target of one reference. */
  locate(reference: string): unknown {
    const self = own(this.#document, '$self')
    const local =
      typeof self === 'string' && reference.startsWith(`${self}#`) ? reference.slice(self.length) : reference
    if (this.#named.has(local)) return this.#named.get(local)
    if (!local.startsWith('#/'))
      throw new ConversionError(`refers to ${quoted(reference)}, which is not in this document`)
    let found: unknown = this.#document
    for (const step of local.slice(2).split('/')) found = into(found, nameOf(step))
    if (found === undefined) throw new ConversionError(`refers to ${quoted(reference)}, which does not exist`)
    return found
  }

  /** Follows references until an object that is none. */
  follow(value: unknown): unknown {
    let found = value
    for (let hops = 0; isJsonObject(found) && typeof found.$ref === 'string'; hops++) {
      if (hops === MAX_HOPS) throw new ConversionError(`refers in a circle: ${quoted(found.$ref)}`)
      found = this.locate(found.$ref)
    }
    return found
  }
}

const into = (value: unknown, step: string): unknown => {
  if (isJsonObject(value)) return own(value, step)
  return Array.isArray(value) && /^\d{1,9}$/.test(step) ? (value as unknown[])[Number(step)] : undefined
}

/** Decodes a segment of a JSON pointer in a fragment (RFC 6901 §6). */
const nameOf = (step: string): string => {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    throw new ConversionError(`has a reference that is no URI: ${quoted(step)}`)
  }
}
