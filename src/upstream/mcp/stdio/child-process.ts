import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import type { Fault } from '../../../model/exchange/fault.ts'
import type { McpStdio } from '../../../model/mcp/mcp-backend.ts'
import { messageTooLarge } from '../http/faults.ts'
import type { ChildSlot } from './child-limits.ts'
import { inputFull, notStarted, ServerDied } from './faults.ts'
import type { StdioLimits } from './limits.ts'
import { StdioLines } from './line-reader.ts'
import { ProcessTree } from './process-tree.ts'
import { ChildShutdown } from './shutdown.ts'
import { StderrTail, type StdioLog, stripControlCharacters } from './stderr.ts'

/** What to run, and in which environment. */
export interface StdioCommand {
  /** Undefined if there is no such command. */
  readonly file: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The environment of a server is that of the gateway, with the variables of the configuration added; with `clearEnv` it
 * is those variables and nothing else. Its command is looked up in the `PATH` that the configuration gives it, else in
 * the gateway's, also with `clearEnv`: the lookup of programs belongs to the gateway, their environment does not.
 * `node` is always found: if no `PATH` has one, as in a minimal image, it is the one that runs the gateway.
 *
 * @param own The environment of the gateway.
 */
export const stdioCommand = (
  stdio: McpStdio,
  own: Readonly<Record<string, string | undefined>>,
): StdioCommand => ({
  file: stdio.command.includes('/')
    ? stdio.command
    : (find(stdio.command, stdio.env.PATH ?? own.PATH ?? '') ??
      (stdio.command === 'node' ? process.execPath : undefined)),
  env: stdio.clearEnv ? stdio.env : { ...own, ...stdio.env },
})

const find = (command: string, path: string): string | undefined =>
  path
    .split(delimiter)
    .map((folder) => resolve(folder, command))
    .find((file) => isProgram(file))

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Events of a child. */
export interface ChildEvents {
  /** It wrote a line to stdout that is not blank. */
  line(text: string): void
  /** It is unusable, and being ended if it has not exited: once, and nothing after it. */
  died(fault: Fault): void
}

/**
 * A child process that leads its own process group, and its streams as lines. However it ends, the whole group ends
 * with it, and its slot is released when nothing of it is left.
 */
export class StdioChild {
  readonly #target: string
  readonly #stdio: McpStdio
  readonly #limits: StdioLimits
  readonly #log: StdioLog
  readonly #slot: ChildSlot
  readonly #events: ChildEvents
  readonly #child: ChildProcessWithoutNullStreams
  /** Undefined if it could not be started. */
  readonly #tree: ProcessTree | undefined
  readonly #tail: StderrTail
  readonly #output: StdioLines
  readonly #errors: StdioLines
  #shutdown: ChildShutdown | undefined = undefined
  #closed: 'input' | 'output' | undefined = undefined
  #exitTimer: NodeJS.Timeout | undefined = undefined
  #over = false

  /**
   * Starts it.
   *
   * @param slot Released by the child, unless this throws.
   * @throws Fault if the command cannot be run. Sometimes that shows only later, as a death.
   */
  constructor(
    target: string,
    stdio: McpStdio,
    limits: StdioLimits,
    log: StdioLog,
    slot: ChildSlot,
    events: ChildEvents,
  ) {
    this.#target = target
    this.#stdio = stdio
    this.#limits = limits
    this.#log = log
    this.#slot = slot
    this.#events = events
    this.#tail = new StderrTail(limits.tailLength)
    this.#output = new StdioLines(limits.lineBytes, (text, whole) => this.#onLine(text, whole))
    this.#errors = new StdioLines(limits.logLineBytes, (text, whole) => this.#onErrorLine(text, whole))
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

  /** Writes a line, or returns why it cannot. Lines to an ended child are dropped. */
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

  /** Ends it, gracefully at first. It emits nothing more. */
  end(): void {
    if (this.#over) return
    this.#over = true
    this.#finish(false)
  }

  #watch(tree: ProcessTree): void {
    const child = this.#child
    this.#slot.runs(tree, this.pid)
    child.on('error', () => undefined)
    child.once('exit', () => {
      tree.leaderGone()
      if (this.#shutdown) this.#shutdown.leaderGone()
      else this.#scheduleExit()
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
    this.#scheduleExit()
  }

  /** Its end causes several events, one after the other; the exit code, the last lines and stderr come last. */
  #scheduleExit(): void {
    this.#exitTimer ??= setTimeout(this.#ended, this.#limits.exitGraceMs)
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
    clearTimeout(this.#exitTimer)
    if (!this.#tree) return
    this.#child.stdin.end()
    this.#shutdown = new ChildShutdown(this.#tree, this.#limits, () => this.#gone())
    if (hurry) this.#shutdown.hurry()
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) this.#shutdown.leaderGone()
  }

  #gone(): void {
    this.#log.flush(this.pid)
    for (const stream of this.#child.stdio) stream?.destroy()
    this.#slot.left()
  }

  #notStarted(error: Error): void {
    // Without free descriptors there are no streams either, contrary to the types.
    const streams = this.#child.stdio as ChildProcessWithoutNullStreams['stdio'] | undefined
    for (const stream of streams ?? []) stream?.destroy()
    this.#slot.left()
    if (!this.#over) this.#die(notStarted(this.#target, this.#stdio.command, error))
  }

  #onLine(text: string, whole: boolean): void {
    if (this.#over) return
    if (whole) this.#events.line(text)
    else this.#die(messageTooLarge(this.#target, this.#limits.lineBytes))
  }

  #onErrorLine(text: string, whole: boolean): void {
    this.#tail.add(stripControlCharacters(text))
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
