/** A server over stdio that does what the method of a request says, valid or not. It ends with its input. */
import { spawn } from 'node:child_process'
import { closeSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

interface Received {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
}

const received: Received[] = []
let asked: Received | undefined
/** Ends a flood. */
let isEnough = false

/** Pipes accept partial writes. */
const raw = (text: string): void => {
  let bytes = Buffer.from(text)
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}
const say = (message: object): void => {
  raw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
const answer = ({ id }: Received, result: object = {}): void => {
  say({ id, result })
}

const handlers: Readonly<Record<string, (request: Received) => void>> = {
  silent: () => undefined,
  echo: (request) => {
    answer(request, { params: request.params })
  },
  received: (request) => {
    answer(request, { received })
  },
  env: (request) => {
    answer(request, { env: process.env })
  },
  die: ({ params }) => {
    writeSync(2, `${String(params?.words)}\n`)
    process.exit(Number(params?.code))
  },
  half: ({ id }) => {
    raw(`{"jsonrpc":"2.0","id":${id ?? ''},"resul`)
    process.exit(3)
  },
  twice: (request) => {
    answer(request, { which: 'first' })
    answer(request, { which: 'second' })
  },
  wrong: (request) => {
    for (const id of ['1', 4_711, -1, 1.5]) answer({ id }, { which: 'wrong' })
    answer(request, { which: 'right' })
  },
  neither: ({ id }) => {
    say({ id })
  },
  nameless: () => {
    say({ error: { code: -32_700, message: 'cannot read this' } })
  },
  big: (request) => {
    answer(request, { text: 'ü'.repeat(Number(request.params?.bytes) / 2) })
  },
  deep: (request) => {
    const levels = Number(request.params?.levels)
    raw(`{"jsonrpc":"2.0","method":"deep","params":{"x":${'['.repeat(levels)}${']'.repeat(levels)}}}\n`)
    answer(request)
  },
  garbage: (request) => {
    raw('Server is starting…\n\n   \n{"log":"started"}\nnull\n[]\n{"jsonrpc":"1.0","id":"x","result":{}}\r\n')
    raw(`{"jsonrpc":"2.0","id":${request.id ?? ''},"result":{}}\r\n`)
  },
  batch: (request) => {
    const told = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 1 } }
    raw(`${JSON.stringify([told, { jsonrpc: '2.0', id: request.id, result: {} }])}\n`)
  },
  flood: (request) => {
    const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x' } })
    const most = Number(request.params?.lines)
    isEnough = false
    let lines = 0
    const more = (): void => {
      for (let i = 0; i < 10; i++) raw(`${line}\n`.repeat(1_000))
      lines += 10_000
      if (lines >= most || isEnough) answer(request, { lines })
      else setImmediate(more)
    }
    more()
  },
  enough: (request) => {
    isEnough = true
    answer(request)
  },
  endless: () => {
    const block = 'x'.repeat(65_536)
    const more = (): boolean => process.stdout.write(block, () => more())
    more()
  },
  closeOutput: () => {
    closeSync(1)
    setInterval(() => undefined, 1_000)
  },
  stubborn: (request) => {
    process.on('SIGTERM', () => undefined)
    setInterval(() => undefined, 1_000)
    answer(request)
  },
  deaf: (request) => {
    process.stdin.pause()
    reader.pause()
    setInterval(() => undefined, 1_000)
    answer(request)
  },
  noisy: (request) => {
    for (let i = 0; i < Number(request.params?.lines); i++) writeSync(2, `\u001b[31mline ${i}\u001b[0m\n`)
    answer(request)
  },
  progress: (request) => {
    const meta = request.params?._meta as { progressToken?: unknown } | undefined
    const report = (progress: number) => {
      say({
        method: 'notifications/progress',
        params: { progressToken: meta?.progressToken, progress, ...{ for: request.params?.for } },
      })
    }
    report(1)
    report(2)
    answer(request, {
      told: meta?.progressToken,
      ...(request.params?.task ? { task: { taskId: 't' } } : {}),
    })
    report(3)
  },
  tell: (request) => {
    say({ method: 'notifications/message', params: request.params })
    answer(request)
  },
  tellLater: (request) => {
    answer(request)
    for (let i = 0; i < Number(request.params?.times ?? 1); i++)
      say({ method: 'notifications/message', params: { data: i } })
  },
  ask: (request) => {
    asked = request
    say({ id: 'q1', method: 'roots/list' })
  },
  'subscriptions/listen': ({ id }) => {
    const meta = { _meta: { 'io.modelcontextprotocol/subscriptionId': id } }
    say({ method: 'notifications/subscriptions/acknowledged', params: meta })
  },
  change: (request) => {
    const meta = { _meta: { 'io.modelcontextprotocol/subscriptionId': request.params?.of } }
    say({ method: 'notifications/tools/list_changed', params: meta })
    say({ method: 'notifications/cancelled', params: { requestId: request.params?.of } })
    answer(request)
  },
  child: (request) => {
    const detached = request.params?.detached === true
    const child = spawn('sleep', ['1000'], { detached, stdio: 'ignore' })
    answer(request, { pid: child.pid, own: process.pid })
  },
  holder: (request) => {
    // Keeps the streams of this process open beyond its end.
    const child = spawn('sleep', ['1000'], { stdio: 'inherit' })
    answer(request, { pid: child.pid })
  },
}

const reader = createInterface(process.stdin)
reader.on('line', (line) => {
  const message = JSON.parse(line) as Received
  received.push(message)
  if (message.id === 'q1' && asked) answer(asked, { answer: message.result })
  else if (message.id !== undefined) handlers[message.method ?? '']?.(message)
})
reader.on('close', () => {
  process.exitCode = 0
})
