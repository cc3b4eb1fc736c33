import { after } from 'node:test'
import type { BodySink } from '../../../../../src/model/exchange/body.ts'
import type {
  GuardRejection,
  TextScope,
} from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import type {
  GuardCheck,
  Guard,
  GuardedText,
  GuardVerdict,
  TextFollower,
} from '../../../../../src/operators/llm/guardrails/guard.ts'
import { GuardedStream } from '../../../../../src/operators/llm/guardrails/stream/guarded-stream.ts'
import type { GuardedStreamOptions } from '../../../../../src/operators/llm/guardrails/stream/guarded-stream-options.ts'
import type { StreamTexts, TextSlot } from '../../../../../src/protocols/llm/texts/text-slot.ts'
import { exchange } from '../../../../../src/testing/exchange.ts'
import { ManualBody } from '../../../../../src/testing/manual-body.ts'

/** The data of an event of the toy format: pieces by channel, complete texts, channels that end. */
export interface EventData {
  readonly pieces?: Record<string, string>
  readonly wholes?: string[]
  readonly closes?: string[] | 'all'
  readonly scope?: TextScope
}

/** A format with nothing but what guards need. */
export const toyTexts = (): StreamTexts => ({
  eventNames: new Set(['start', 'say', 'ping', 'e', 'error']),
  read: (_name, data) => {
    const { pieces = {}, wholes = [], closes = [], scope = 'messages' } = (data ?? {}) as EventData
    const slot = <K extends string | number>(at: Record<K, string>, key: K): TextSlot => ({
      role: 'assistant',
      scope,
      text: at[key],
      set: (text) => {
        at[key] = text
      },
    })
    return {
      pieces: Object.keys(pieces).map((channel) => ({ ...slot(pieces, channel), channel })),
      wholes: wholes.map((_, i) => slot(wholes as Record<number, string>, i)),
      closes,
    }
  },
})

/** An event of the toy format. */
export const eventOf = (data: EventData): string => `event: say\ndata: ${JSON.stringify(data)}\n\n`

/** A piece of the channel `a`. */
export const piece = (text: string): string => eventOf({ pieces: { a: text } })

/** The text of a channel in a stream of the toy format. */
export const textIn = (stream: string, channel = 'a'): string =>
  eventsOf(stream)
    .map(({ pieces }) => pieces?.[channel] ?? '')
    .join('')

/** The events of a stream. */
export const eventsOf = (stream: string): EventData[] =>
  stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as EventData)

export const rejection: GuardRejection = {
  status: 403,
  body: 'not with me',
  headers: { add: [], set: [], remove: [] },
}

const scopes: ReadonlySet<TextScope> = new Set(['messages', 'toolInput'])

/** A guard whose verdict on each text is the result of a function: another text, a rejection, or nothing. */
export const guardWith = (
  judge: (text: string) => string | Error | undefined,
  over: Partial<Guard> = {},
): Guard => ({
  name: 'judge',
  scopes,
  opensOnFailure: false,
  check: (_x, texts) => verdictOf(texts, judge),
  ...over,
})

const verdictOf = (
  texts: readonly GuardedText[],
  judge: (text: string) => string | Error | undefined,
): GuardVerdict => {
  const made = texts.map(({ text }) => judge(text))
  if (made.some((one) => one instanceof Error)) return { action: 'reject', rejection }
  const masked = made.map((one, i) => (one as string | undefined) ?? (texts[i] as GuardedText).text)
  return masked.every((text, i) => text === texts[i]?.text) ? undefined : { action: 'mask', texts: masked }
}

/** Checks texts incrementally, and replaces a word with `[word]`, or rejects. */
export const wordGuard = (word: string, action: 'mask' | 'reject', over: Partial<Guard> = {}): Guard => ({
  ...guardWith((text) => {
    if (!text.includes(word)) return undefined
    return action === 'reject' ? new Error(word) : text.replaceAll(word, `[${word}]`)
  }),
  name: word,
  follow: () => new WordFollower(word, action),
  ...over,
})

class WordFollower implements TextFollower {
  readonly rejection = rejection
  readonly #word: string
  readonly #action: 'mask' | 'reject'
  #buffered: string[] = []
  /** How much of the first buffered piece belongs to a word that begins in an earlier piece. */
  #cut = 0

  constructor(word: string, action: 'mask' | 'reject') {
    this.#word = word
    this.#action = action
  }

  push(piece: string): readonly string[] | 'reject' {
    this.#buffered.push(piece)
    const text = this.#buffered.join('').slice(this.#cut)
    let open = Math.min(this.#word.length - 1, text.length)
    while (!(this.#word.startsWith(text.slice(text.length - open)) || open === 0)) open--
    return this.#release(this.#cut + text.length - open)
  }

  end(): readonly string[] | 'reject' {
    return this.#release(Infinity)
  }

  whole(text: string): readonly [string] | 'reject' {
    if (!text.includes(this.#word)) return [text]
    return this.#action === 'reject' ? 'reject' : [text.replaceAll(this.#word, `[${this.#word}]`)]
  }

  #release(decided: number): readonly string[] | 'reject' {
    const word = this.#word
    const all = this.#buffered.join('')
    const out: string[] = []
    let [start, cut] = [0, this.#cut]
    for (const piece of this.#buffered) {
      const end = start + piece.length
      if (end > decided) break
      let text = ''
      let at = start + Math.min(cut, piece.length)
      cut = Math.max(0, cut - piece.length)
      while (at < end) {
        if (!all.startsWith(word, at)) text += all.charAt(at++)
        else if (this.#action === 'reject') return 'reject'
        else {
          text += `[${word}]`
          cut = Math.max(0, at + word.length - end)
          at = Math.min(end, at + word.length)
        }
      }
      out.push(text)
      start = end
    }
    this.#buffered = this.#buffered.slice(out.length)
    this.#cut = cut
    return out
  }
}

/** A pending check. */
export interface PendingCheck {
  readonly texts: readonly string[]
  readonly signal: AbortSignal
  resolve(verdict?: GuardVerdict): void
  fail(problem: Error): void
}

/** A guard that records its checks. */
export interface ManualGuard extends Guard {
  readonly checks: readonly PendingCheck[]
  at(i: number): PendingCheck
}

/** A guard whose verdicts are given by the test. */
export const manualGuard = (over: Partial<Guard> = {}): ManualGuard => {
  const checks: PendingCheck[] = []
  return {
    checks,
    at: (i) => {
      const check = checks[i]
      if (!check) throw new Error(`check ${String(i)} was not started`)
      return check
    },
    name: 'asked',
    scopes,
    opensOnFailure: false,
    check: (_x, texts, { signal }) =>
      new Promise((answer, fail) => {
        checks.push({ texts: texts.map(({ text }) => text), signal, resolve: answer, fail })
      }),
    ...over,
  }
}

/** A client that records what it receives, and reads as fast as the test lets it. */
export class ToyClient implements BodySink {
  readonly writes: string[] = []
  ended = false
  fault: unknown = undefined
  takes = true
  #drain: (() => void) | undefined = undefined

  get text(): string {
    return this.writes.join('')
  }

  write(chunk: Uint8Array): boolean {
    if (this.ended) throw new Error('written after the end')
    this.writes.push(Buffer.from(chunk).toString())
    return this.takes
  }

  end(): void {
    if (this.ended) throw new Error('ended twice')
    this.ended = true
  }

  fail(fault: unknown): void {
    this.fault = fault
  }

  onDrain(resume: () => void): void {
    this.#drain = resume
  }

  drain(): void {
    this.takes = true
    const drain = this.#drain
    this.#drain = undefined
    drain?.()
  }
}

export const windows = { mode: 'Enabled', windowBytes: 1024, overlapBytes: 256 } as const
export const buffer = { mode: 'Buffer' } as const

/** A guarded stream from a provider to a client, both played by the test. */
export const guardedStream = (over: Partial<GuardedStreamOptions> = {}, source = new ManualBody()) => {
  const settled: GuardCheck[] = []
  const reported = { over: 0, shown: '' }
  const x = over.x ?? exchange()
  const guards = over.guards ?? []
  const stream = new GuardedStream(source, {
    x,
    texts: toyTexts(),
    guards,
    kept: guards.map(() => undefined),
    streaming: windows,
    reply: undefined,
    onGuardEnd: (_x, checked) => settled.push(checked),
    limitBytes: 1024 * 1024,
    encodeError: (error) => `event: error\ndata: ${JSON.stringify({ error })}\n\n`,
    shown: (events) => {
      reported.shown += events.toString()
    },
    over: () => {
      reported.over++
    },
    ...over,
  })
  const client = new ToyClient()
  stream.pipe(client)
  // An open stream would keep the shared timer running.
  after(() => x.cancel())
  return {
    x,
    source,
    stream,
    client,
    told: reported,
    settled,
    actions: () => settled.map(({ guard, action }) => `${guard} ${action}`),
  }
}

/** The error at the end of what a client got, and the part before it. */
export const blockedIn = (text: string): { before: string; error: unknown } => {
  const at = text.lastIndexOf('event: error\ndata: ')
  if (at < 0) return { before: text, error: undefined }
  return { before: text.slice(0, at), error: (JSON.parse(text.slice(at + 19)) as { error: unknown }).error }
}

export const blocked = {
  status: 403,
  type: 'guardrail_blocked',
  code: 'guardrail_intervention',
  message: 'not with me',
}

export const undecided = {
  status: 503,
  type: 'guardrail_blocked',
  code: 'guardrail_intervention',
  message: 'Content blocked by guardrail policy',
}

/** Runs everything that is not pending. */
export const settle = () => new Promise((resolve) => setImmediate(resolve))
