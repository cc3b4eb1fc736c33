/** The services behind the proxies of the policy test, in a pod: each has a port of its own. */
import { create } from '@bufbuild/protobuf'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import {
  Authorization,
  CheckResponseSchema,
  type CheckRequest,
} from '../../../src/protocols/grpc/ext-authz.gen.ts'
import { ExternalProcessor, type ProcessingRequest } from '../../../src/protocols/grpc/ext-proc.gen.ts'
import { bidi, type GrpcHandler, unary } from '../../support/grpc-server.ts'
import { type ProcessorResponse, unchanged } from '../../support/processor.ts'

type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void

const listen = (port: number, handler: Handler): void => {
  createServer((request, response) => {
    void text(request).then((body) => {
      handler(request, body, response)
    })
  }).listen(port)
}

const sendJson = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

const counts = new Map<string, number>()

/** What it received, in JSON; `delay` and `fail` (so many times, for each `id`) change how it replies. */
const echo: Handler = (request, body, response) => {
  const { searchParams, pathname } = new URL(request.url ?? '/', 'http://echo')
  if (pathname === '/keys') {
    response.end(process.env.KEYS)
    return
  }
  const id = searchParams.get('id') ?? ''
  const count = (counts.get(id) ?? 0) + 1
  counts.set(id, count)
  const status = count <= Number(searchParams.get('fail') ?? 0) ? 503 : 200
  const peer = (request.socket as Partial<TLSSocket>).getPeerCertificate?.().subject.CN
  response.setHeader('x-internal', 'yes')
  const { method, url, headers } = request
  setTimeout(
    () => {
      sendJson(response, status, { method, url, headers, body, count, peer })
    },
    Number(searchParams.get('delay') ?? 0),
  )
}

listen(8080, echo)

if (existsSync('/tls/tls.crt'))
  createTlsServer(
    {
      key: readFileSync('/tls/tls.key'),
      cert: readFileSync('/tls/tls.crt'),
      ca: readFileSync('/tls/ca.crt'),
      requestCert: true,
    },
    (request, response) => {
      echo(request, '', response)
    },
  ).listen(8443)

/** External authorization by HTTP: a header is the credential. */
listen(8081, ({ headers, url }, _body, response) => {
  if (headers['x-pass'] === 'yes') response.writeHead(200, { 'x-user': `alice of ${url ?? ''}` }).end()
  else response.writeHead(403).end('denied by the service')
})

/** A guard: rejects prompts with a word, by the contract of the webhook. */
listen(8082, ({ headers, url }, body, response) => {
  const action = body.includes('forbidden')
    ? { body: `no, ${String(headers['x-team'])}, by ${url ?? ''}`, status_code: 422, reason: 'a word' }
    : {}
  sendJson(response, 200, { action })
})

/** A provider of a language model: repeats the prompt, if it comes with the key. */
listen(8083, ({ headers }, body, response) => {
  const { messages = [] } = JSON.parse(body) as { readonly messages?: readonly { content: string }[] }
  if (headers.authorization !== 'Bearer a-key-of-the-provider') {
    sendJson(response, 401, { error: { message: 'no key' } })
    return
  }
  const content = messages.at(-1)?.content ?? ''
  sendJson(response, 200, {
    id: 'chat',
    object: 'chat.completion',
    created: 1,
    model: 'model',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  })
})

/** A collector of spans: what it has got is there as text. */
const exported: string[] = []
createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(exported.join('\n'))
    return
  }
  request.setEncoding('latin1')
  void request.toArray().then((chunks: unknown[]) => {
    exported.push(`${request.url ?? ''} ${chunks.join('')}`)
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
}).listen(4318)

const processed = (message: ProcessingRequest): ProcessorResponse => {
  if (message.request.case !== 'requestHeaders') return unchanged(message)
  const header = { key: 'x-processed', rawValue: Buffer.from('yes') }
  const headerMutation = { setHeaders: [{ header }] }
  return { response: { case: 'requestHeaders', value: { response: { headerMutation } } } }
}

const listenGrpc = (port: number, handler: GrpcHandler): void => {
  const server = new Server()
  server.register(...handler.definition)
  server.bindAsync(`0.0.0.0:${port}`, ServerCredentials.createInsecure(), (error) => {
    if (error) throw error
  })
}

listenGrpc(
  9000,
  bidi(ExternalProcessor.method.process, (stream) => {
    stream.on('data', (message: ProcessingRequest) => stream.write(processed(message)))
    stream.on('end', () => stream.end())
  }),
)

/** External authorization by gRPC: the same credential. */
const check = ({ attributes }: CheckRequest) =>
  create(CheckResponseSchema, {
    status: { code: attributes?.request?.http?.headers['x-pass'] === 'yes' ? 0 : 7 },
  })

listenGrpc(9001, unary(Authorization.method.check, check))
