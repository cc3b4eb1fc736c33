import { Agent, request } from 'node:http'

/** Follows the version of the probe route at a proxy, by requests that follow each other. */
export class Probe implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #port: number
  /** The longest of all requests, in milliseconds. */
  longestMs = 0
  failed = 0

  constructor(port: number) {
    this.#port = port
  }

  /** Resolves at the first response of a version. */
  async seen(version: number): Promise<void> {
    while ((await this.#location()) !== `http://probe.example.com:${this.#port}/${version}`);
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
    this.longestMs = Math.max(this.longestMs, performance.now() - began)
    if (location === undefined) this.failed += 1
    // Others of this process, such as the clients of xDS, have their turn.
    await new Promise((resolve) => setImmediate(resolve))
    return location
  }
}
