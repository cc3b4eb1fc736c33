import { Session } from 'node:inspector'
import { sampleStack } from './sample-stack.ts'

/**
 * The main thread, seen from a worker thread through V8's inspector, without its debugger and its profiler. Close it
 * after use.
 */
export class InspectedMainThread {
  readonly #session = new Session()
  /** A session does not keep its thread alive. */
  readonly #keepAlive = setInterval(() => undefined, 1_000_000)
  #sampler = ''

  constructor() {
    this.#session.connectToMainThread()
  }

  /**
   * Defines the function that describes the stack. To be called first.
   *
   * @throws The error of the inspector.
   */
  async prepare(): Promise<void> {
    const { result } = await this.#post<{ result: { objectId?: string } }>('Runtime.evaluate', {
      expression: `(${String(sampleStack)})`,
    })
    if (result.objectId === undefined) throw new Error('the main thread cannot be sampled')
    this.#sampler = result.objectId
  }

  /** Interrupts the main thread, and resolves with its stack as `sampleStack` describes it. */
  async stack(): Promise<string> {
    const { result } = await this.#post<{ result: { value?: unknown } }>('Runtime.callFunctionOn', {
      objectId: this.#sampler,
      functionDeclaration: 'function () { return this() }',
      returnByValue: true,
      silent: true,
    })
    return typeof result.value === 'string' ? result.value : ''
  }

  /** Ends the session with the inspector. */
  close(): void {
    clearInterval(this.#keepAlive)
    this.#session.disconnect()
  }

  #post<Result>(method: string, params: object): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#session.post(method, params, (error, result) => {
        if (error) reject(error)
        else resolve(result as Result)
      })
    })
  }
}
