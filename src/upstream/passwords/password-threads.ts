import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Closable } from '../draining.ts'
import type { PasswordCheck } from './password-thread.ts'

/** Limits of the threads. */
export interface ThreadLimits {
  /** Checks at a time. */
  readonly threads: number
  /** Checks that wait for a thread. */
  readonly waiting: number
  /** Checks of one client, waiting or not: no client can block all others alone. */
  readonly perClient: number
}

/** Leaves the thread that serves requests a processor of its own where there are two. */
const defaultLimits: ThreadLimits = {
  threads: Math.min(4, Math.max(1, availableParallelism() - 1)),
  waiting: 64,
  perClient: 16,
}

/** Threads that check passwords. They start on first use, and never keep the process alive. */
export class PasswordThreads implements Closable {
  readonly #limits: ThreadLimits
  readonly #threads: Thread[] = []
  readonly #queue: QueuedCheck[] = []
  readonly #clients = new Map<string, number>()
  #closed: Promise<void> | undefined = undefined
  #drained: () => void = () => undefined

  constructor(limits: ThreadLimits = defaultLimits) {
    this.#limits = limits
  }

  /** @returns Undefined if the queue is full. Rejects if the thread dies of it, or is ended. */
  check(client: string, check: PasswordCheck): Promise<boolean> | undefined {
    const pending = this.#clients.get(client) ?? 0
    const free = this.#freeThread()
    if (this.#closed || pending >= this.#limits.perClient) return undefined
    if (!free && this.#queue.length >= this.#limits.waiting) return undefined
    this.#clients.set(client, pending + 1)
    return new Promise((resolve, reject) => {
      const task: QueuedCheck = { client, check, resolve, reject }
      if (free) this.#run(free, task)
      else this.#queue.push(task)
    })
  }

  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => (this.#drained = resolve))
    this.#endIfIdle()
    return this.#closed
  }

  async destroy(): Promise<void> {
    for (const { reject } of this.#queue.splice(0)) reject(ended)
    for (const { task } of this.#threads) task?.reject(ended)
    await this.#end()
  }

  #freeThread(): Thread | undefined {
    const idle = this.#threads.find(({ task }) => task === undefined)
    if (idle || this.#closed || this.#threads.length === this.#limits.threads) return idle
    const thread: Thread = { worker: startWorker(), task: undefined }
    thread.worker.on('message', (isRight: boolean) => {
      thread.task?.resolve(isRight)
      this.#next(thread)
    })
    thread.worker.on('error', (error: Error) => {
      thread.task?.reject(error)
      this.#threads.splice(this.#threads.indexOf(thread), 1)
      const fresh = this.#freeThread()
      this.#done(thread)
      if (fresh) this.#next(fresh)
    })
    this.#threads.push(thread)
    return thread
  }

  #run(thread: Thread, task: QueuedCheck): void {
    thread.task = task
    thread.worker.postMessage(task.check)
  }

  #next(thread: Thread): void {
    this.#done(thread)
    const task = this.#queue.shift()
    if (task) this.#run(thread, task)
    else this.#endIfIdle()
  }

  #done(thread: Thread): void {
    const client = thread.task?.client
    thread.task = undefined
    if (client === undefined) return
    const remaining = (this.#clients.get(client) ?? 1) - 1
    if (remaining > 0) this.#clients.set(client, remaining)
    else this.#clients.delete(client)
  }

  #endIfIdle(): void {
    if (this.#closed && this.#threads.every(({ task }) => task === undefined)) void this.#end()
  }

  async #end(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map(({ worker }) => worker.terminate()))
    this.#drained()
  }
}

interface QueuedCheck {
  readonly client: string
  readonly check: PasswordCheck
  readonly resolve: (isRight: boolean) => void
  readonly reject: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  task: QueuedCheck | undefined
}

/** The file next to this one, compiled or not. */
const program = new URL(`./password-thread${import.meta.url.slice(-3)}`, import.meta.url)

const startWorker = (): Worker => {
  // The process's own arguments, such as those of a profiler or a test runner, are not for it.
  const worker = new Worker(program, {
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  })
  worker.unref()
  return worker
}

const ended = new Error('the gateway is shutting down')
