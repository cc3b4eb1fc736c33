import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** One request of the load and its outcome. */
export interface ClientRequest {
  readonly startedAt: number
  /** The body of a 200 response; undefined for any other outcome. */
  readonly body: string | undefined
  /** The status, or the error of the connection. */
  readonly outcome: string
}

/** Clients that send one request after another, each over its own connection. */
export class Clients {
  readonly requests: ClientRequest[] = []
  readonly #url: string
  readonly #agent = new Agent({ keepAlive: true })
  #isOver = false
  #watch: ((request: ClientRequest) => void) | undefined = undefined
  readonly #running: Promise<void>[]

  constructor(url: string, count: number) {
    this.#url = url
    this.#running = Array.from({ length: count }, () => this.#run())
  }

  /** Resolves after this many more responses for which `counts` is true. */
  async until(count: number, counts: (request: ClientRequest) => boolean = () => true): Promise<void> {
    let left = count
    await new Promise<void>((resolve) => {
      this.#watch = (request) => {
        if (counts(request) && --left === 0) resolve()
      }
    })
    this.#watch = undefined
  }

  /** Resolves when the last request has completed. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#running)
    this.#agent.destroy()
  }

  get failed(): readonly ClientRequest[] {
    return this.requests.filter(({ body }) => body === undefined)
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const request = await this.#send()
      this.requests.push(request)
      this.#watch?.(request)
    }
  }

  #send(): Promise<ClientRequest> {
    const startedAt = performance.now()
    return new Promise((resolve) => {
      const failed = (error: unknown) => {
        resolve({ startedAt, body: undefined, outcome: String(error) })
      }
      const req = request(this.#url, { agent: this.#agent }, (res) => {
        const { statusCode = 0 } = res
        text(res).then((body) => {
          const outcome = statusCode === 200 ? '200' : `${statusCode} ${body}`
          resolve({ startedAt, body: statusCode === 200 ? body : undefined, outcome })
        }, failed)
      })
      req.on('error', failed)
      req.end()
    })
  }
}
