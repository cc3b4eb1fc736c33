import type { SpanAttributes } from '../../model/tracing/span.ts'
import type { LogLineFields } from '../access-log/line.ts'

/** Collects the fields of a log line as typed attributes. */
export class AttributeFields implements LogLineFields {
  readonly attributes: SpanAttributes
  readonly #omit: ReadonlySet<string> | undefined

  /** @param omit Names that are skipped. */
  constructor(attributes: SpanAttributes, omit?: ReadonlySet<string>) {
    this.attributes = attributes
    this.#omit = omit
  }

  text(name: string, value: string | undefined): void {
    if (value !== undefined && !this.#omit?.has(name)) this.attributes[name] = value
  }

  number(name: string, value: number): void {
    if (!this.#omit?.has(name)) this.attributes[name] = value
  }

  /** Numbers and booleans keep their type, anything else stays JSON. */
  json(name: string, value: string): void {
    if (this.#omit?.has(name)) return
    if (value === 'true' || value === 'false') this.attributes[name] = value === 'true'
    else this.attributes[name] = isNumber.test(value) ? Number(value) : value
  }
}

const isNumber = /^-?\d+(?:\.\d+)?$/
