import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request for a token. */
export interface TokenRequest {
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** Of a form; repeated parameters are lists. Of JSON, the object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The response of a token server. */
export interface TokenReply {
  readonly status?: number
  readonly body: unknown
}

/** An authorization server with responses from the test. */
export interface TokenServer extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly host: string
  readonly asked: TokenRequest[]
  /** By default a bearer token for an hour, numbered. */
  answer: (request: TokenRequest) => TokenReply | Promise<TokenReply>
}

/** Starts a token server on 127.0.0.1. */
export const startTokenServer = async (name = 'token'): Promise<TokenServer> => {
  const asked: TokenRequest[] = []
  const state = {
    asked,
    answer: (): TokenReply | Promise<TokenReply> => ({
      body: { access_token: `${name}-${asked.length}`, token_type: 'Bearer', expires_in: 3600 },
    }),
  } as Pick<TokenServer, 'asked' | 'answer'>
  const server = createServer((req, res) => {
    const serve = async () => {
      const body = await text(req)
      const isJson = req.headers['content-type'] === 'application/json'
      const parameters = isJson ? (JSON.parse(body) as Record<string, unknown>) : fromForm(body)
      const request = { target: req.url ?? '', headers: req.headers, parameters }
      asked.push(request)
      const { status = 200, body: answer } = await state.answer(request)
      res.writeHead(status, { 'content-type': 'application/json' })
      res.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
    }
    serve().catch(() => res.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(state, {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

const fromForm = (body: string): Record<string, unknown> => {
  const form = new URLSearchParams(body)
  return Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const values = form.getAll(name)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}
