/**
 * A provider with constant output: whole responses and streams of 500 chunks, in the formats of OpenAI and Anthropic.
 * With `x-pace: 1` the chunks of a stream are sent 20 per second; with `x-hold: 1` the response is sent after a
 * request for `/release`.
 */
import http from 'node:http'

const CHUNKS = 500
const PACED_CHUNKS = 60
const PACE_MS = 50

const word = (i: number) => ` word${String(i)}`
const text = Array.from({ length: 120 }, (_, i) => word(i)).join('')

const completion = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'gpt-4o-2024-11-20',
  choices: [
    { index: 0, message: { role: 'assistant', content: text, refusal: null }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 29, completion_tokens: 120, total_tokens: 149 },
})
const message = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 29, output_tokens: 120 },
})

const chunk = (delta: object, finish: string | null, usage: object | null = null, choices = true) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'gpt-4o-2024-11-20',
    choices: choices ? [{ index: 0, delta, finish_reason: finish }] : [],
    usage,
  })}\n\n`
const event = (type: string, rest: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`

const completionChunks = (count: number): Buffer[] =>
  [
    chunk({ role: 'assistant', content: '' }, null),
    ...Array.from({ length: count - 4 }, (_, i) => chunk({ content: word(i) }, null)),
    chunk({}, 'stop'),
    chunk({}, null, { prompt_tokens: 29, completion_tokens: count, total_tokens: 29 + count }, false),
    'data: [DONE]\n\n',
  ].map((one) => Buffer.from(one))

const messageChunks = (count: number): Buffer[] =>
  [
    event('message_start', {
      message: {
        ...(JSON.parse(message) as object),
        content: [],
        stop_reason: null,
        usage: { input_tokens: 29, output_tokens: 1 },
      },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...Array.from({ length: count - 5 }, (_, i) =>
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: word(i) } }),
    ),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: count },
    }),
    event('message_stop', {}),
  ].map((one) => Buffer.from(one))

/** The final events arrive with the last text, as providers send them. */
const endTogether = (chunks: readonly Buffer[]): Buffer[] => [
  ...chunks.slice(0, -3),
  Buffer.concat(chunks.slice(-3)),
]

const streams = {
  completions: { fast: completionChunks(CHUNKS), paced: endTogether(completionChunks(PACED_CHUNKS)) },
  messages: { fast: messageChunks(CHUNKS), paced: endTogether(messageChunks(PACED_CHUNKS)) },
}

const held = new Set<() => void>()

const server = http.createServer({ keepAliveTimeout: 120_000 }, (req, res) => {
  if (req.url === '/held') {
    res.end(String(held.size))
    return
  }
  if (req.url === '/release') {
    for (const one of held) one()
    held.clear()
    res.end()
    return
  }
  let beginning = ''
  req.on('data', (part: Buffer) => {
    if (beginning.length < 512) beginning += part.toString('latin1', 0, 512)
  })
  req.on('end', () => {
    const kind = req.url?.includes('/messages') ? 'messages' : 'completions'
    const answer = () => {
      if (!beginning.includes('"stream":true')) whole(res, kind === 'messages' ? message : completion)
      else if (req.headers['x-pace'] === '1') paced(res, streams[kind].paced)
      else fast(res, streams[kind].fast)
    }
    if (req.headers['x-hold'] === '1') held.add(answer)
    else answer()
  })
})

const whole = (res: http.ServerResponse, body: string): void => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  res.end(body)
}

const head = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

/** Ten chunks per turn, so that some arrive together and others separately. */
const fast = (res: http.ServerResponse, chunks: readonly Buffer[]): void => {
  res.writeHead(200, head)
  let sent = 0
  const some = () => {
    for (const end = sent + 10; sent < end && sent < chunks.length; sent++) res.write(chunks[sent])
    if (sent < chunks.length) setImmediate(some)
    else res.end()
  }
  some()
}

const paced = (res: http.ServerResponse, chunks: readonly Buffer[]): void => {
  res.writeHead(200, head)
  let sent = 0
  const timer = setInterval(() => {
    res.write(chunks[sent++])
    if (sent < chunks.length) return
    clearInterval(timer)
    res.end()
  }, PACE_MS)
  res.on('close', () => {
    clearInterval(timer)
  })
}

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.send?.({ port: address.port })
})
