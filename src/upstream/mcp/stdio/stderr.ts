import { stripVTControlCharacters } from 'node:util'

/** Keeps the end of the output: whole lines as far as they fit, and the end of the last one if it does not. */
export class StderrTail {
  readonly #length: number
  #text = ''

  constructor(length: number) {
    this.#length = length
  }

  add(line: string): void {
    this.#text = `${this.#text}\n${line}`
    if (this.#text.length <= this.#length) return
    const kept = this.#text.slice(-this.#length)
    const lineEnd = kept.indexOf('\n')
    this.#text = lineEnd < 0 ? kept.toWellFormed() : kept.slice(lineEnd)
  }

  get text(): string {
    return this.#text.trim()
  }
}

/** A line for the log. */
export interface StdioLine {
  readonly target: string
  /** 0 if there was no process. */
  readonly pid: number
  readonly text: string
  /** The source: `stdout` for lines that are no JSON-RPC, `gateway` for remarks on the child. */
  readonly from: 'stderr' | 'stdout' | 'gateway'
}

/** Logs lines of one child, up to a rate per second, so that a flood blocks nothing else. */
export class StdioLog {
  readonly #target: string
  readonly #perSecond: number
  readonly #log: (line: StdioLine) => void
  #second = 0
  #lines = 0

  constructor(target: string, perSecond: number, log: (line: StdioLine) => void) {
    this.#target = target
    this.#perSecond = perSecond
    this.#log = log
  }

  /** Logs a line, within the rate. */
  write(pid: number, from: StdioLine['from'], text: string): void {
    const second = Math.floor(performance.now() / 1_000)
    if (second !== this.#second) {
      this.flush(pid)
      this.#second = second
    }
    if (++this.#lines <= this.#perSecond)
      this.#log({ target: this.#target, pid, text: stripControlCharacters(text), from })
  }

  /** Logs how many lines were dropped, if any. */
  flush(pid: number): void {
    const missing = this.#lines - this.#perSecond
    this.#lines = 0
    if (missing > 0)
      this.#log({ target: this.#target, pid, text: `${missing} more lines were left out`, from: 'gateway' })
  }
}

/** Control characters except tab and line feed. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** @returns The text without colours and control characters, which belong into no log and no message. */
export const stripControlCharacters = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(CONTROLS, '').toWellFormed()
