import { jsonText, textValue } from './text-format.ts'
import { timestamp } from '../log/timestamp.ts'

/** Collects the fields of one record. Absent values and omitted fields are skipped. */
export interface LogLineFields {
  text(name: string, value: string | undefined): void
  number(name: string, value: number): void
  /** Any other value, as JSON. */
  json(name: string, value: string): void
}

/** Collects the fields of one line. */
export interface LogLine extends LogLineFields {
  /** The fields so far. */
  readonly fields: string
  /** Appends encoded fields. */
  ready(fields: string): void
  /** The complete line, with the current time. */
  whole(): string
}

/** ` name=value …`. */
export class TextLogLine implements LogLine {
  fields = ''
  readonly #omit: ReadonlySet<string> | undefined
  readonly #scope: string

  constructor(omit?: ReadonlySet<string>, scope = 'request') {
    this.#omit = omit
    this.#scope = scope
  }

  text(name: string, value: string | undefined): void {
    if (value !== undefined && !this.#omit?.has(name)) this.fields += ` ${name}=${textValue(value)}`
  }

  number(name: string, value: number): void {
    if (!this.#omit?.has(name)) this.fields += ` ${name}=${value}`
  }

  json(name: string, value: string): void {
    this.text(name, value)
  }

  ready(fields: string): void {
    this.fields += fields
  }

  whole(): string {
    return `${timestamp()}\tinfo\t${this.#scope}${this.fields}\n`
  }
}

/** `,"name":value …`. */
export class JsonLine implements LogLine {
  fields = ''
  readonly #omit: ReadonlySet<string> | undefined
  readonly #scope: string

  constructor(omit?: ReadonlySet<string>, scope = 'request') {
    this.#omit = omit
    this.#scope = scope
  }

  text(name: string, value: string | undefined): void {
    if (value !== undefined && !this.#omit?.has(name)) this.fields += `,"${name}":${jsonText(value)}`
  }

  number(name: string, value: number): void {
    if (!this.#omit?.has(name)) this.fields += `,"${name}":${value}`
  }

  json(name: string, value: string): void {
    if (!this.#omit?.has(name)) this.fields += `,"${name}":${value}`
  }

  ready(fields: string): void {
    this.fields += fields
  }

  whole(): string {
    if (this.#omit) return this.#wholeWithout(this.#omit)
    return `{"level":"info","time":"${timestamp()}","scope":"${this.#scope}"${this.fields}}\n`
  }

  /** The leading fields may be omitted or replaced as well. */
  #wholeWithout(omit: ReadonlySet<string>): string {
    const first = [
      ...(omit.has('level') ? [] : ['"level":"info"']),
      ...(omit.has('time') ? [] : [`"time":"${timestamp()}"`]),
      ...(omit.has('scope') ? [] : [`"scope":"${this.#scope}"`]),
    ].join(',')
    return `{${first === '' ? this.fields.slice(1) : first + this.fields}}\n`
  }
}
