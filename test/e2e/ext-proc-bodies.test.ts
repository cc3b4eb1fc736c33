import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:http2'
import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { after, before, beforeEach, suite, test } from 'node:test'
import type { ProcessingRequest } from '../../src/protocols/grpc/ext-proc.gen.ts'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import {
  respondingTo,
  asItIs,
  casesOf,
  type Processor,
  type ProcessorResponse,
  startProcessor,
} from '../support/processor.ts'
import { RawClient } from '../support/raw-client.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** Routes by the first segment of the path. */
const route = (name: string, policy: string, host: string, more = ''): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: { extProc: { ${policy} }${more} }
    backends: [{ host: "${host}" }]`

const modes = (request: string, reply: string, more = '') =>
  `processingOptions: { requestBodyMode: ${request}, responseBodyMode: ${reply}${more} }`

const configuration = (host: string, at: string): string => `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
frontendPolicies: { http: { maxBufferSize: 100000 } }
routes:
${route('duplex', `host: "${at}"`, host)}
${route('slow', `host: "${at}", policies: { http: { requestTimeout: 100ms } }`, host)}
${route('timed', `host: "${at}"`, host, ', timeout: { requestTimeout: 4s }')}
${route('open', `host: "${at}", failureMode: failOpen`, host)}
${route('held', `host: "${at}", ${modes('buffered', 'buffered')}`, host)}
${route('openheld', `host: "${at}", failureMode: failOpen, ${modes('buffered', 'buffered')}`, host)}
${route('partly', `host: "${at}", ${modes('bufferedPartial', 'bufferedPartial')}`, host)}
${route('unseen', `host: "${at}", ${modes('none', 'none')}`, host)}
${route('skips', `host: "${at}", ${modes('fullDuplexStreamed', 'buffered', ', requestTrailerMode: skip, responseTrailerMode: skip, requestHeaderMode: skip, responseHeaderMode: skip')}`, host)}
${route('chosen', `host: "${at}", ${modes('none', 'none', ', allowModeOverride: true')}`, host)}
${route('begun', `host: "${at}", ${modes('fullDuplexStreamed', 'none', ', allowModeOverride: true')}`, host)}
${route('gone', `host: "127.0.0.1:1", failureMode: failOpen`, host)}
  - name: buffered
    matches: [{ path: { pathPrefix: /buffered } }]
    policies: { buffer: { response: {} } }
    backends: [{ host: "${host}" }]
${route('retried', `host: "${at}", ${modes('fullDuplexStreamed', 'none')}`, host, ', retry: { attempts: 1, codes: [503] }')}
`

/** A request as the upstream received it. */
interface Seen {
  readonly body: Buffer
  readonly length: string | undefined
  readonly trailers: NodeJS.Dict<string>
}

/** Returns each piece of a body, changed or not, and leaves everything else unchanged. */
const echoing = (change: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes) =>
  respondingTo(({ request }) => {
    if (request.case !== 'requestBody' && request.case !== 'responseBody') return asItIs
    const streamed = { body: change(request.value.body), endOfStream: request.value.endOfStream }
    return {
      response: {
        case: request.case,
        value: { response: { bodyMutation: { mutation: { case: 'streamedResponse', value: streamed } } } },
      },
    }
  })

/** Applies one change to the bodies of one direction. */
const changing = (direction: 'requestBody' | 'responseBody', response: object) =>
  respondingTo(({ request }) =>
    request.case === direction ? { response: { case: direction, value: { response } } } : asItIs,
  )

const upper = (bytes: Uint8Array) =>
  Buffer.from(Buffer.from(bytes).toString('latin1').toUpperCase(), 'latin1')

suite('an extProc processor of bodies', () => {
  let daemon: Daemon
  let upstream: Upstream
  let processor: Processor
  let seen: Seen[] = []
  let handle: (req: IncomingMessage, res: ServerResponse) => void
  const port = () => Number(new URL(daemon.url('default')).port)
  const asked = (target: string, body?: string | Buffer, signal?: AbortSignal) =>
    sendRequest(daemon.url('default'), target, {
      method: 'POST',
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    })
  before(async () => {
    upstream = await startUpstream((req, res) => handle(req, res))
    processor = await startProcessor()
    daemon = await startDaemon(configuration(upstream.host, processor.host))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
    await processor[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await processor.idle()
    processor.received.length = 0
    processor.onStream = echoing()
    seen = []
    handle = (req, res) => {
      buffer(req).then(
        (body) => {
          seen.push({ body, length: req.headers['content-length'], trailers: req.trailers })
          res.end(body)
        },
        () => res.destroy(),
      )
    }
  })

  suite('in streamed mode', () => {
    test('forwards bodies of any size, without a length', async () => {
      const body = randomBytes(3_000_000)
      const answer = await new Promise<{ body: Buffer; length: string | undefined }>((resolve, reject) => {
        const req = request({ port: port(), path: '/duplex', method: 'POST', agent: false }, (res) => {
          buffer(res).then((bytes) => resolve({ body: bytes, length: res.headers['content-length'] }), reject)
        })
        req.on('error', reject)
        req.end(body)
      })
      assert.ok(answer.body.equals(body))
      assert.ok(seen[0]?.body.equals(body))
      assert.deepEqual([answer.length, seen[0]?.length], [undefined, undefined])
      await processor.idle()
      const parts = processor.received.filter(({ request: { case: part } }) => part?.endsWith('Body'))
      assert.ok(
        parts.every(({ request: { value } }) => value && 'body' in value && value.body.length <= 65_536),
      )
    })

    test('changes bodies in both directions', async () => {
      processor.onStream = echoing(upper)
      handle = (req, res) => {
        buffer(req).then(
          (body) => res.end(`${body.toString()} and more`),
          () => res.destroy(),
        )
      }
      assert.equal((await asked('/duplex', 'hello')).text, 'HELLO AND MORE')
      assert.deepEqual(casesOf(processor.received), [
        'requestHeaders',
        'requestBody',
        'requestBody',
        'responseHeaders',
        'responseBody',
        'responseBody',
      ])
    })

    test('gets the modes and the body before it has responded to the headers', async () => {
      const held: ProcessingRequest[] = []
      processor.onStream = (talk) => {
        const parts: Uint8Array[] = []
        talk.on('data', (message: ProcessingRequest) => {
          const { request: said } = message
          if (said.case === 'responseHeaders')
            talk.write({ response: { case: 'responseHeaders', value: {} } })
          if (said.case === 'responseBody' && said.value.endOfStream)
            talk.write({
              response: {
                case: 'responseBody',
                value: {
                  response: {
                    bodyMutation: {
                      mutation: {
                        case: 'streamedResponse',
                        value: { body: Buffer.from('fin'), endOfStream: true },
                      },
                    },
                  },
                },
              },
            })
          if (said.case === 'requestHeaders') held.push(message)
          if (said.case !== 'requestBody') return
          parts.push(said.value.body)
          if (!said.value.endOfStream) return
          // Responds once the whole body has arrived, with any number of pieces.
          talk.write({ response: { case: 'requestHeaders', value: {} } })
          const whole = Buffer.concat(parts)
          for (let i = 0; i < 10; i++)
            talk.write({
              response: {
                case: 'requestBody',
                value: {
                  response: {
                    bodyMutation: {
                      mutation: {
                        case: 'streamedResponse',
                        value: {
                          body: whole.subarray((i * whole.length) / 10, ((i + 1) * whole.length) / 10),
                          endOfStream: i === 9,
                        },
                      },
                    },
                  },
                },
              },
            })
        })
        talk.on('end', () => talk.end())
      }
      const body = randomBytes(1_000_000)
      assert.equal((await asked('/duplex', body)).text, 'fin')
      assert.ok(seen[0]?.body.equals(body))
      assert.deepEqual(
        [held[0]?.protocolConfig?.requestBodyMode, held[0]?.protocolConfig?.responseBodyMode],
        [4, 4],
      )
    })

    test('keeps, replaces or clears chunks', async () => {
      let pieces = 0
      processor.onStream = respondingTo(({ request: said }) => {
        if (said.case !== 'requestBody') return asItIs
        const mutation =
          pieces++ === 0
            ? undefined
            : said.value.endOfStream
              ? { case: 'body' as const, value: Buffer.from(' end') }
              : { case: 'clearBody' as const, value: true }
        return {
          response: {
            case: 'requestBody',
            value: { response: { bodyMutation: mutation ? { mutation } : {} } },
          },
        }
      })
      const client = await RawClient.to(port())
      client.send('POST /duplex HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n4\r\nkept\r\n')
      while (pieces < 1) await new Promise(setImmediate)
      client.send('4\r\ngone\r\n')
      while (pieces < 2) await new Promise(setImmediate)
      client.send('0\r\n\r\n')
      await client.until('kept end')
      client.socket.destroy()
      assert.equal(String(seen[0]?.body), 'kept end')
    })

    test('can end a body early', async () => {
      processor.onStream = respondingTo(({ request: said }) =>
        said.case === 'requestBody' || said.case === 'responseBody'
          ? {
              response: {
                case: said.case,
                value: {
                  response: {
                    bodyMutation: {
                      mutation: {
                        case: 'streamedResponse',
                        value: { body: Buffer.from(said.case), endOfStream: true },
                      },
                    },
                  },
                },
              },
            }
          : asItIs,
      )
      assert.equal((await asked('/duplex', randomBytes(200_000))).text, 'responseBody')
      assert.equal(String(seen[0]?.body), 'requestBody')
    })

    test('processes both directions at once', async () => {
      handle = (req, res) => {
        res.writeHead(200)
        req.pipe(res)
      }
      const body = randomBytes(5_000_000)
      const received = await new Promise<Buffer>((resolve, reject) => {
        const req = request({ port: port(), path: '/duplex', method: 'POST', agent: false }, (res) => {
          buffer(res).then(resolve, reject)
        })
        req.on('error', reject)
        req.end(body)
      })
      assert.ok(received.equals(body))
    })

    test('forwards a response that comes before the request is complete', async () => {
      handle = (_, res) => {
        res.writeHead(413)
        res.end('too much')
      }
      const client = await RawClient.to(port())
      client.send(`POST /duplex HTTP/1.1\r\nhost: a\r\ncontent-length: 50000000\r\n\r\n`)
      client.send(randomBytes(8_000_000))
      await client.until('too much')
      client.socket.destroy()
    })

    test('can close its stream early, and nothing is lost', async () => {
      processor.onStream = (talk) => {
        talk.once('data', () => {
          talk.write({ response: { case: 'requestHeaders', value: {} } })
          talk.end()
        })
      }
      const body = randomBytes(80_000)
      await asked('/duplex', body)
      assert.ok(seen[0]?.body.equals(body))
    })

    test('can send an immediate response during a request, which cancels the upstream request', async () => {
      const begun = Promise.withResolvers<undefined>()
      const gone = Promise.withResolvers<undefined>()
      handle = (req) => {
        begun.resolve(undefined)
        req.on('error', () => undefined)
        req.on('close', () => gone.resolve(undefined))
      }
      processor.onStream = respondingTo(({ request: said }) => {
        if (said.case !== 'requestBody' || !Buffer.from(said.value.body).includes('secret')) return asItIs
        return {
          response: {
            case: 'immediateResponse',
            value: { status: { code: 403 }, body: Buffer.from('no secrets') },
          },
        }
      })
      const client = await RawClient.to(port())
      client.send('POST /duplex HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n4\r\nfine\r\n')
      await begun.promise
      client.send('6\r\nsecret\r\n')
      const answer = await client.until('no secrets')
      assert.match(answer, /^HTTP\/1.1 403 /)
      client.socket.destroy()
      await gone.promise
    })

    for (const when of ['request', 'reply'] as const)
      test(`that breaks off in the middle of a ${when} causes an error, not a truncated body`, async () => {
        processor.onStream = (talk) => {
          let isOver = false
          talk.on('data', ({ request: said }: ProcessingRequest) => {
            if (isOver) return
            talk.write(saidOf(said))
            if (said.case !== (when === 'request' ? 'requestBody' : 'responseBody')) return
            isOver = true
            talk.emit('error', { code: 13, details: 'on purpose' })
          })
        }
        handle = (req, res) => {
          req.on('error', () => undefined)
          req.resume()
          req.on('end', () => {
            res.write('beginning')
            setTimeout(() => res.end('end'), 50).unref()
          })
        }
        for (const path of ['/duplex', '/open'])
          if (when === 'request') {
            const { status, text } = await asked(path, 'hello')
            assert.deepEqual([status, text], [500, 'ext_proc failed: the processor broke off with an error'])
          } else await assert.rejects(asked(path, 'hello'))
      })

    test('is skipped in mode failOpen if unreachable, and the body is forwarded', async () => {
      const body = randomBytes(300_000)
      assert.equal((await asked('/gone', body)).status, 200)
      assert.ok(seen[0]?.body.equals(body))
    })

    test('is subject to its timeout after it has received the body', async () => {
      processor.onStream = respondingTo(({ request: said }) =>
        said.case === 'requestHeaders' ? asItIs : undefined,
      )
      const { status, text } = await asked('/slow', 'hello')
      assert.deepEqual([status, text], [500, 'ext_proc failed: the processor did not answer in time'])
    })

    test('is subject to the timeout of the route', async () => {
      processor.onStream = respondingTo(({ request: said }) =>
        said.case === 'responseBody' ? undefined : echoOf(said),
      )
      await assert.rejects(asked('/timed', 'hello'))
      await processor.idle()
      processor.onStream = respondingTo(({ request: said }) =>
        said.case === 'requestBody' ? undefined : echoOf(said),
      )
      assert.equal((await asked('/timed', 'hello')).status, 504)
    })

    test('is called once for a request that is retried', async () => {
      let calls = 0
      handle = (req, res) => {
        buffer(req).then(
          (body) => {
            res.statusCode = calls++ === 0 ? 503 : 200
            res.end(body)
          },
          () => res.destroy(),
        )
      }
      processor.onStream = echoing(upper)
      const { status, text } = await asked('/retried', 'hello')
      assert.deepEqual([status, text, calls], [200, 'HELLO', 2])
      await processor.idle()
      assert.deepEqual(
        casesOf(processor.received).filter((part) => part === 'requestHeaders'),
        ['requestHeaders'],
      )
    })
  })

  suite('in buffered mode', () => {
    test('gets the whole body, and keeps or replaces it with its length', async () => {
      assert.equal((await asked('/held', 'hello')).text, 'hello')
      assert.deepEqual(casesOf(processor.received), [
        'requestHeaders',
        'requestBody',
        'responseHeaders',
        'responseBody',
      ])
      assert.equal(seen[0]?.length, '5')
      processor.onStream = changing('requestBody', {
        headerMutation: { setHeaders: [{ header: { key: 'content-length', value: '8' } }] },
        bodyMutation: { mutation: { case: 'body', value: Buffer.from('replaced') } },
      })
      assert.equal((await asked('/held', 'hello')).text, 'replaced')
      assert.equal(seen[1]?.length, '8')
      processor.onStream = changing('requestBody', {
        bodyMutation: { mutation: { case: 'clearBody', value: true } },
      })
      assert.equal((await asked('/held', 'hello')).text, '')
      assert.equal(seen[2]?.length, '0')
    })

    test('replaces the response body', async () => {
      processor.onStream = changing('responseBody', {
        headerMutation: { setHeaders: [{ header: { key: 'x-seen', value: 'yes' } }] },
        bodyMutation: { mutation: { case: 'body', value: Buffer.from('replaced') } },
      })
      const { text, headers } = await asked('/held', 'hello')
      assert.deepEqual([text, headers['x-seen'], headers['content-length']], ['replaced', 'yes', '8'])
    })

    test('cannot set a Content-Length other than the length of the body', async () => {
      for (const mutation of [
        { case: 'body', value: Buffer.from('replaced') },
        { case: 'clearBody', value: true },
      ]) {
        processor.onStream = changing('requestBody', {
          headerMutation: { setHeaders: [{ header: { key: 'content-length', value: '5' } }] },
          bodyMutation: { mutation },
        })
        const { status, text } = await asked('/openheld', 'hello')
        assert.equal(status, 500)
        assert.match(
          text,
          /^ext_proc failed: the processor announced a Content-Length of 5 for a body of [08] bytes$/,
        )
      }
      assert.equal(seen.length, 0)
    })

    test('fails bodies beyond the buffer limit', async () => {
      const { status, text } = await asked('/held', randomBytes(100_001))
      assert.deepEqual([status, text], [500, 'ext_proc failed: the body exceeds the limit of 100000 bytes'])
      handle = (_, res) => {
        res.write(randomBytes(60_000))
        res.end(randomBytes(60_000))
      }
      const answer = await asked('/openheld', 'hello')
      assert.deepEqual(
        [answer.status, answer.text],
        [500, 'ext_proc failed: the body exceeds the limit of 100000 bytes'],
      )
    })

    test('that breaks off is skipped in mode failOpen before it has the body, and fails afterwards', async () => {
      const breaking = (part: string) => {
        processor.onStream = (talk) => {
          talk.on('data', (message: ProcessingRequest) => {
            if (message.request.case === part) talk.emit('error', { code: 13, details: 'on purpose' })
            else talk.write({ response: { case: message.request.case as 'requestHeaders', value: {} } })
          })
        }
      }
      for (const [part, status] of [
        ['requestHeaders', 200],
        ['requestBody', 500],
        ['responseHeaders', 200],
        ['responseBody', 500],
      ] as const) {
        breaking(part)
        assert.equal((await asked('/openheld', 'hello')).status, status, part)
        await processor.idle()
      }
    })

    test('in mode bufferedPartial gets the beginning of a longer body, and can change it', async () => {
      const body = randomBytes(250_000)
      assert.equal((await asked('/partly', body)).status, 200)
      assert.ok(seen[0]?.body.equals(body))
      const [part] = processor.received.filter(({ request: said }) => said.case === 'requestBody')
      assert.ok(part?.request.case === 'requestBody')
      assert.deepEqual([part.request.value.body.length, part.request.value.endOfStream], [100_000, false])
      processor.onStream = changing('requestBody', {
        bodyMutation: { mutation: { case: 'body', value: Buffer.from('beginning') } },
      })
      await asked('/partly', body)
      assert.ok(seen[1]?.body.equals(Buffer.concat([Buffer.from('beginning'), body.subarray(100_000)])))
      processor.onStream = changing('requestBody', {
        bodyMutation: { mutation: { case: 'body', value: Buffer.from('short') } },
      })
      await asked('/partly', 'hello')
      assert.deepEqual([String(seen[2]?.body), seen[2]?.length], ['short', '5'])
    })
  })

  test('can skip headers', async () => {
    assert.equal((await asked('/skips', 'hello')).text, 'hello')
    assert.deepEqual(casesOf(processor.received), ['requestBody', 'requestBody', 'responseBody'])
    assert.equal(processor.received[0]?.protocolConfig?.requestBodyMode, 4)
  })

  test('can replace a body in its response to the headers, without receiving it', async () => {
    for (const path of ['/duplex', '/held', '/unseen']) {
      processor.received.length = 0
      processor.onStream = respondingTo(({ request: said }, talk) => {
        if (said.case === 'requestBody') return undefined
        if (said.case !== 'requestHeaders') {
          const echo = echoOf(said)
          if (echo !== asItIs) talk.write(echo)
          return echo === asItIs ? asItIs : undefined
        }
        return {
          response: {
            case: 'requestHeaders',
            value: {
              response: {
                status: 1,
                bodyMutation: { mutation: { case: 'body', value: Buffer.from(path) } },
              },
            },
          },
        }
      })
      assert.equal((await asked(path, randomBytes(50_000))).status, 200)
      assert.deepEqual([String(seen.at(-1)?.body), seen.at(-1)?.length], [path, String(path.length)])
      await processor.idle()
    }
  })

  suite('with mode overrides', () => {
    const choosing = (from: 'requestHeaders' | 'responseHeaders', modeOverride: object) =>
      respondingTo(({ request: said }) =>
        said.case === from ? { response: { case: from, value: {} }, modeOverride } : asItIs,
      )

    test('receives what it requests if overrides are allowed', async () => {
      processor.onStream = choosing('requestHeaders', { requestBodyMode: 2, responseBodyMode: 2 })
      await asked('/chosen', 'hello')
      assert.deepEqual(casesOf(processor.received), [
        'requestHeaders',
        'requestBody',
        'responseHeaders',
        'responseBody',
      ])
      processor.received.length = 0
      processor.onStream = choosing('responseHeaders', { requestBodyMode: 2, responseBodyMode: 1 })
      assert.equal((await asked('/chosen', 'hello')).text, 'hello')
      assert.deepEqual(casesOf(processor.received), [
        'requestHeaders',
        'responseHeaders',
        'responseBody',
        'responseBody',
      ])
      processor.received.length = 0
      processor.onStream = choosing('requestHeaders', { responseHeaderMode: 2, responseTrailerMode: 2 })
      assert.equal((await asked('/chosen', 'hello')).text, 'hello')
      assert.deepEqual(casesOf(processor.received), ['requestHeaders'])
    })

    test('receives what is configured if overrides are not allowed', async () => {
      processor.onStream = choosing('requestHeaders', { requestBodyMode: 2, responseBodyMode: 2 })
      await asked('/unseen', 'hello')
      assert.deepEqual(casesOf(processor.received), ['requestHeaders', 'responseHeaders'])
    })

    test('cannot stop a body that is already streaming', async () => {
      processor.onStream = choosing('requestHeaders', { requestBodyMode: 0, responseBodyMode: 2 })
      assert.equal((await asked('/begun', 'hello')).text, 'hello')
      assert.deepEqual(casesOf(processor.received), [
        'requestHeaders',
        'requestBody',
        'requestBody',
        'responseHeaders',
        'responseBody',
      ])
    })
  })

  suite('with trailers', () => {
    const withTrailers = async (path: string): Promise<string> => {
      handle = (req, res) => {
        buffer(req).then(
          (body) => {
            seen.push({ body, length: req.headers['content-length'], trailers: req.trailers })
            res.writeHead(200, { trailer: 'x-sum' })
            res.write(body)
            res.addTrailers({ 'x-sum': 'reply' })
            res.end()
          },
          () => res.destroy(),
        )
      }
      const client = await RawClient.to(port())
      client.send(
        `POST ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n5\r\nhello\r\n0\r\nx-sum: request\r\n\r\n`,
      )
      const answer = await client.until(/\r\n0\r\n(?:[^\r]+\r\n)*\r\n$/)
      client.socket.destroy()
      await processor.idle()
      return answer.slice(answer.lastIndexOf('\r\n0\r\n') + 5)
    }
    const marking = respondingTo(({ request: said }) => {
      if (said.case !== 'requestTrailers' && said.case !== 'responseTrailers') return echoOf(said)
      const fields = said.value.trailers?.headers.map(({ key, rawValue }) => [
        key,
        Buffer.from(rawValue).toString(),
      ])
      assert.deepEqual(fields, [['x-sum', said.case === 'requestTrailers' ? 'request' : 'reply']])
      return {
        response: {
          case: said.case,
          value: {
            headerMutation: {
              setHeaders: [
                { header: { key: 'x-more', value: said.case } },
                { header: { key: 'content-length', value: '1' } },
                { header: { key: 'set-cookie', value: 'a=b' } },
              ],
            },
          },
        },
      }
    })

    for (const [path, bodies] of [
      ['/duplex', 1],
      ['/held', 1],
      ['/unseen', 0],
    ] as const)
      test(`gets and changes them: ${path}`, async () => {
        processor.onStream = marking
        assert.equal(await withTrailers(path), 'x-sum: reply\r\nx-more: responseTrailers\r\n\r\n')
        assert.deepEqual({ ...seen[0]?.trailers }, { 'x-sum': 'request', 'x-more': 'requestTrailers' })
        assert.equal(String(seen[0]?.body), 'hello')
        const part = (name: string) => Array.from({ length: bodies }, () => name)
        assert.deepEqual(casesOf(processor.received), [
          'requestHeaders',
          ...part('requestBody'),
          'requestTrailers',
          'responseHeaders',
          ...part('responseBody'),
          'responseTrailers',
        ])
        assert.ok(
          processor.received.every(
            ({ request: { value } }) => !value || !('endOfStream' in value) || !value.endOfStream,
          ),
        )
      })

    test('leaves them unchanged if it does not receive them', async () => {
      assert.equal(await withTrailers('/skips'), 'x-sum: reply\r\n\r\n')
      assert.deepEqual({ ...seen[0]?.trailers }, { 'x-sum': 'request' })
    })

    test('forwards them on HTTP/2 in every body mode', async () => {
      handle = (req, res) => {
        req.resume()
        res.writeHead(200, { trailer: 'x-sum' })
        res.write('hello')
        res.addTrailers({ 'x-sum': 'reply' })
        res.end()
      }
      const session = connect(daemon.url('default'))
      for (const path of ['/held', '/duplex', '/buffered']) {
        const stream = session.request({ ':path': path })
        const trailers = once(stream, 'trailers') as Promise<[Record<string, string>]>
        assert.equal((await buffer(stream)).toString(), 'hello')
        const [fields] = await trailers
        assert.equal(fields['x-sum'], 'reply', path)
      }
      session.close()
    })

    test('that breaks off at the trailers causes an error, not a complete message', async () => {
      processor.onStream = (talk) => {
        talk.on('data', ({ request: said }: ProcessingRequest) => {
          if (said.case === 'responseTrailers') talk.emit('error', { code: 13, details: 'on purpose' })
          else if (said.case) talk.write({ response: { case: said.case as 'requestHeaders', value: {} } })
        })
      }
      await assert.rejects(withTrailers('/unseen'), /closed before/)
    })
  })
})

const saidOf = (said: ProcessingRequest['request']): ProcessorResponse => {
  const echo = echoOf(said)
  return echo === asItIs ? ({ response: { case: said.case, value: {} } } as ProcessorResponse) : echo
}

const echoOf = (said: ProcessingRequest['request']): ProcessorResponse => {
  if (said.case !== 'requestBody' && said.case !== 'responseBody') return asItIs
  const streamed = { body: said.value.body, endOfStream: said.value.endOfStream }
  return {
    response: {
      case: said.case,
      value: { response: { bodyMutation: { mutation: { case: 'streamedResponse', value: streamed } } } },
    },
  }
}
