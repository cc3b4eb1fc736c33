import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { convertSchema, type Schema, type Surroundings } from './convert-schema.ts'
import { ConversionError, quoted } from './conversion-error.ts'
import type { References } from './references.ts'

/** A converted schema, and the definitions it refers to. */
export interface Converted {
  readonly schema: Schema
  readonly refers: ReadonlySet<SchemaDefinition>
  /** The definitions that apply to the same value. */
  readonly inPlace: ReadonlySet<SchemaDefinition>
}

/** The target of a reference: converted on first use, and shared by all tools. */
export interface SchemaDefinition {
  readonly name: string
  readonly sizeBytes: number
  readonly converted: Converted
}

const MAX_NAME = 64

/** The schemas of one document. */
export class SchemaPool {
  readonly #references: References
  readonly #isOld: boolean
  /** By the target object: several references may have the same target. */
  readonly #definitions = new Map<object, SchemaDefinition>()
  /** How often a name was requested. */
  readonly #names = new Map<string, number>()

  constructor(references: References, isOld: boolean) {
    this.#references = references
    this.#isOld = isOld
  }

  /** Converts an inline schema. */
  convert(source: unknown): Converted {
    const refers = new Set<SchemaDefinition>()
    const inPlace = new Set<SchemaDefinition>()
    const surroundings: Surroundings = {
      isOld: this.#isOld,
      follow: (value) => this.#references.follow(value),
      refer: (reference, staysInPlace) => {
        const definition = this.#refer(reference)
        if (typeof definition === 'boolean') return definition
        refers.add(definition)
        if (staysInPlace) inPlace.add(definition)
        return definition.name
      },
    }
    return { schema: convertSchema(source, surroundings), refers, inPlace }
  }

  #refer(reference: string): SchemaDefinition | boolean {
    let target = this.#references.locate(reference)
    let last = reference
    for (let hops = 0; isJsonObject(target) && this.#isOnlyReference(target); hops++) {
      if (hops === 100) throw new ConversionError(`refers in a circle: ${quoted(reference)}`)
      last = target.$ref as string
      target = this.#references.locate(last)
    }
    if (typeof target === 'boolean') return target
    if (!isJsonObject(target)) throw new ConversionError(`refers to ${quoted(reference)}, which is no schema`)
    const known = this.#definitions.get(target)
    if (known) return known
    const definition = new LazyDefinition(this.#nameFor(last), target, this)
    this.#definitions.set(target, definition)
    return definition
  }

  #isOnlyReference(schema: JsonObject): boolean {
    return typeof schema.$ref === 'string' && (this.#isOld || Object.keys(schema).length === 1)
  }

  #nameFor(reference: string): string {
    const last = reference.slice(Math.max(reference.lastIndexOf('/'), reference.lastIndexOf('#')) + 1)
    const plain = last.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, MAX_NAME)
    const base = /^(__proto__|)$/.test(plain) ? 'schema' : plain
    const times = (this.#names.get(base) ?? 0) + 1
    this.#names.set(base, times)
    // The document may use a name that ends in `_` and a number: it counts too.
    return times === 1 ? base : this.#nameFor(`${base.slice(0, MAX_NAME - 8)}_${times}`)
  }
}

class LazyDefinition implements SchemaDefinition {
  readonly name: string
  readonly #source: JsonObject
  readonly #pool: SchemaPool
  #converted: Converted | undefined = undefined
  #sizeBytes: number | undefined = undefined

  constructor(name: string, source: JsonObject, pool: SchemaPool) {
    this.name = name
    this.#source = source
    this.#pool = pool
  }

  get converted(): Converted {
    return (this.#converted ??= this.#pool.convert(this.#source))
  }

  get sizeBytes(): number {
    return (this.#sizeBytes ??= JSON.stringify(this.converted.schema).length)
  }
}
