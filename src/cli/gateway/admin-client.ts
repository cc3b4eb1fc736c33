import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { AdminAccess } from './admin-access.ts'
import { connectFailure, statusFailure } from './admin-failure.ts'
import { CommandFailure } from '../command-failure.ts'

/** A call to an admin server. */
export interface AdminRequest {
  readonly method?: 'GET' | 'POST'
  /** With the query. */
  readonly path: string
  /** Until the response has ended. Default 30 s. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** Calls an admin server; failures are {@link CommandFailure}s with a hint on what to do. */
export class AdminClient {
  /** For messages. */
  readonly name: string
  readonly access: AdminAccess

  /** @param name Default: the address. */
  constructor(access: AdminAccess, name = access.socketPath ?? access.url.host) {
    this.access = access
    this.name = name
  }

  /** The response of any status. Its body has to be read or destroyed. */
  async send({ method = 'GET', path, timeoutMs = 30_000, signal }: AdminRequest): Promise<IncomingMessage> {
    const { url, socketPath, token, tls } = this.access
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      return await new Promise((resolve, reject) => {
        const send = url.protocol === 'https:' ? httpsRequest : httpRequest
        const call = send(new URL(path, url), {
          ...tls,
          method,
          agent: false,
          ...(socketPath !== undefined && { socketPath }),
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        })
        call.once('response', resolve).on('error', reject).end()
      })
    } catch (error) {
      if (signal?.aborted) throw error
      throw connectFailure(this.name, timeout.aborted ? timeoutError(timeoutMs) : error)
    }
  }

  /** The body of a response with status 200, as text. */
  async readText(call: AdminRequest, limitBytes = 256 * 1024 * 1024): Promise<string> {
    const response = await this.send(call)
    const text = await this.#readBody(response, limitBytes)
    if (response.statusCode === 200) return text
    throw statusFailure(this.name, call.path, response, text)
  }

  /** The failure of a response with another status than 200. */
  async failureOf(call: AdminRequest, response: IncomingMessage): Promise<CommandFailure> {
    return statusFailure(this.name, call.path, response, await this.#readBody(response, 64 * 1024))
  }

  async #readBody(response: IncomingMessage, limitBytes: number): Promise<string> {
    const chunks: Buffer[] = []
    let size = 0
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > limitBytes) throw new Error(`it is longer than ${String(limitBytes)} bytes`)
        chunks.push(chunk)
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new CommandFailure(`the response of ${this.name} broke off: ${reason}`, { cause: error })
    }
    return Buffer.concat(chunks).toString('utf8')
  }
}

const timeoutError = (timeoutMs: number) => new Error(`no response within ${String(timeoutMs / 1000)} s`)
