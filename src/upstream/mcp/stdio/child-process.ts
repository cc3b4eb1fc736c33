import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Fault } from '../../model/fault.ts'
import type { McpStdio } from '../../model/mcp.ts'
import type { ChildPlace } from './child-count.ts'
import { messageTooLarge } from './http-faults.ts'
import { ProcessTree } from './process-tree.ts'
import { StderrTail } from './stderr-tail.ts'
import { stdioCommand } from './stdio-command.ts'
import { StdioEnding } from './stdio-ending.ts'
import { inputFull, notStarted, ServerDied } from './stdio-faults.ts'
import type { StdioLimits } from './stdio-limits.ts'
import { StdioLines } from './stdio-lines.ts'
import type { StdioLog } from './stdio-log.ts'
import { printable } from './stdio-printable.ts'

/** What a child does. */
export interface ChildEvents {
  /** It wrote a line to stdout that is not blank. */
  line(text: string): void
  /** It is of no more use, and being ended if it has not ended: once, and nothing after it. */
  died(fault: Fault): void
}

/**
 * A child process that leads a process group of its own, and its three streams as lines. However it ends, the whole group
 * ends with it, and its place among the children is given back when nothing of it is left.
 */
export class StdioChild {
  readonly #target: string
  readonly #stdio: McpStdio
  readonly #limits: StdioLimits
  readonly #log: StdioLog
  readonly #place: ChildPlace
  readonly #events: ChildEvents
  readonly #child: ChildProcessWithoutNullStreams
  /** Undefined if it could not be started. */
  readonly #tree: ProcessTree | undefined
  readonly #tail: StderrTail
  readonly #output: StdioLines
  readonly #errors: StdioLines
  #ending: StdioEnding | undefined = undefined
  #closed: 'input' | 'output' | undefined = undefined
  #lastWords: NodeJS.Timeout | undefined = undefined
  #over = false

  /**
   * Starts it.
   *
   * @param place Given back by the child, unless this throws.
   * @throws Fault if the command cannot be run. Sometimes that shows only later, as a death.
   */
  constructor(
    target: string,
    stdio: McpStdio,
    limits: StdioLimits,
    log: StdioLog,
    place: ChildPlace,
    events: ChildEvents,
  ) {
    this.#target = target
    this.#stdio = stdio
    this.#limits = limits
    this.#log = log
    this.#place = place
    this.#events = events
    this.#tail = new StderrTail(limits.tailLength)
    this.#output = new StdioLines(limits.lineBytes, (text, whole) => this.#said(text, whole))
    this.#errors = new StdioLines(limits.logLineBytes, (text, whole) => this.#complained(text, whole))
    this.#child = start(target, stdio)
    const { pid } = this.#child
    this.#tree = pid === undefined ? undefined : new ProcessTree(pid)
    if (this.#tree) this.#watch(this.#tree)
    else this.#child.once('error', (error) => this.#notStarted(error))
  }

  /** 0 if it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Writes a line, or says why it is not written. One that is over takes everything. */
  send(text: string): Fault | undefined {
    const { stdin } = this.#child
    if (this.#over || !this.#tree || !stdin.writable) return undefined
    const line = `${text}\n`
    const { waitingBytes } = this.#limits
    // UTF-8 takes up to three bytes for a character: only long texts need to be counted.
    const free = waitingBytes - stdin.writableLength
    if (line.length * 3 > free && Buffer.byteLength(line) > free) return inputFull(this.#target, waitingBytes)
    stdin.write(line)
    return undefined
  }

  /** Ends it, politely at first. It says nothing more. */
  end(): void {
    if (this.#over) return
    this.#over = true
    this.#finish(false)
  }

  #watch(tree: ProcessTree): void {
    const child = this.#child
    this.#place.runs(tree)
    child.on('error', () => undefined)
    child.once('exit', () => {
      tree.leaderGone()
      if (this.#ending) this.#ending.leaderGone()
      else this.#soon()
    })
    child.once('close', this.#ended)
    child.stdin.on('error', () => this.#broke('input'))
    child.stdout.on('data', (chunk: Buffer) => {
      if (!this.#over) this.#output.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => this.#errors.push(chunk))
    child.stdout.once('close', () => this.#broke('output'))
    for (const stream of [child.stdout, child.stderr]) stream.on('error', () => undefined)
  }

  #broke(closed: 'input' | 'output'): void {
    if (this.#over) return
    this.#closed ??= closed
    this.#soon()
  }

  /** Its end shows in several places, one after the other; the exit code, the last lines and stderr are worth waiting for. */
  #soon(): void {
    this.#lastWords ??= setTimeout(this.#ended, this.#limits.lastWordsMs)
  }

  readonly #ended = (): void => {
    const { exitCode, signalCode } = this.#child
    this.#output.end()
    this.#errors.end()
    const hasEnded = exitCode !== null || signalCode !== null
    const death = { exitCode, signal: signalCode, closed: hasEnded ? undefined : this.#closed }
    if (!this.#over) this.#die(new ServerDied(this.#target, death, this.#tail.text))
  }

  #die(fault: Fault): void {
    this.#over = true
    this.#finish(true)
    this.#events.died(fault)
  }

  #finish(hurry: boolean): void {
    clearTimeout(this.#lastWords)
    if (!this.#tree) return
    this.#child.stdin.end()
    this.#ending = new StdioEnding(this.#tree, this.#limits, () => this.#gone())
    if (hurry) this.#ending.hurry()
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) this.#ending.leaderGone()
  }

  #gone(): void {
    this.#log.flush(this.pid)
    for (const stream of this.#child.stdio) stream?.destroy()
    this.#place.left()
  }

  #notStarted(error: Error): void {
    // Without descriptors left there are no streams either, whatever the types say.
    const streams = this.#child.stdio as ChildProcessWithoutNullStreams['stdio'] | undefined
    for (const stream of streams ?? []) stream?.destroy()
    this.#place.left()
    if (!this.#over) this.#die(notStarted(this.#target, this.#stdio.command, error))
  }

  #said(text: string, whole: boolean): void {
    if (this.#over) return
    if (whole) this.#events.line(text)
    else this.#die(messageTooLarge(this.#target, this.#limits.lineBytes))
  }

  #complained(text: string, whole: boolean): void {
    this.#tail.add(printable(text))
    this.#log.write(this.pid, 'stderr', whole ? text : `${text} …`)
  }
}

/** @throws Fault */
const start = (target: string, stdio: McpStdio): ChildProcessWithoutNullStreams => {
  const { file, env } = stdioCommand(stdio, process.env)
  if (file === undefined)
    throw notStarted(target, stdio.command, Object.assign(new Error('no such command'), { code: 'ENOENT' }))
  try {
    return spawn(file, stdio.args, { argv0: stdio.command, env, detached: true, windowsHide: true })
  } catch (error) {
    throw notStarted(target, stdio.command, error)
  }
}
