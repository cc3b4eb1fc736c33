import { Agent, request } from 'node:http'

/** Follows the version of the probe route at a proxy, by requests that follow each other. */
export class Probe implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #port: number
  #tookMs: number[] = []
  failed = 0

  constructor(port: number) {
    this.#port = port
  }

  /** Resolves at the first response of a version. */
  async seen(version: number): Promise<void> {
    while ((await this.#location()) !== `http://probe.example.com:${this.#port}/${version}`);
  }

  /** The time that a share of all requests stayed within, in milliseconds. */
  quantileMs(share: number): number {
    const sorted = Float64Array.from(this.#tookMs).sort()
    return sorted[Math.ceil(sorted.length * share) - 1] ?? 0
  }

  /** Counts from here on. */
  forget(): void {
    this.#tookMs = []
    this.failed = 0
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  async #location(): Promise<string | undefined> {
    const began = performance.now()
    const location = await new Promise<string | undefined>((resolve) => {
      request(
        {
          agent: this.#agent,
          host: '127.0.0.1',
          port: this.#port,
          headers: { host: `probe.example.com:${this.#port}` },
        },
        (response) => {
          response.resume()
          response.on('end', () => {
            resolve(response.headers.location)
          })
        },
      )
        .on('error', () => {
          resolve(undefined)
        })
        .end()
    })
    this.#tookMs.push(performance.now() - began)
    if (location === undefined) this.failed += 1
    // Others of this process, such as the clients of xDS, have their turn.
    await new Promise((resolve) => setImmediate(resolve))
    return location
  }
}
