import { after } from 'node:test'
import type { BodySink } from '../../../src/model/body.ts'
import type { GuardRejection, TextScope } from '../../../src/model/llm-guards.ts'
import type { Guard, GuardedText, GuardVerdict, TextFollower } from '../../../src/operators/guard/guard.ts'
import type { Checked } from '../../../src/operators/guard/guards.ts'
import { GuardedStream } from '../../../src/operators/guard-response/guarded-stream.ts'
import type { GuardedStreamOptions } from '../../../src/operators/guard-response/guarded-stream-options.ts'
import type { StreamTexts, TextSlot } from '../../../src/protocols/llm/texts/text-slot.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { ManualBody } from '../../../src/testing/manual-body.ts'

/** What an event of the toy format says: pieces by channel, texts said as wholes, channels that end. */
export interface Said {
  readonly pieces?: Record<string, string>
  readonly wholes?: string[]
  readonly closes?: string[] | 'all'
  readonly scope?: TextScope
}

/** A format with nothing but what guards care for. */
export const toyTexts = (): StreamTexts => ({
  read: (_name, data) => {
    const { pieces = {}, wholes = [], closes = [], scope = 'messages' } = (data ?? {}) as Said
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
export const eventOf = (said: Said): string => `event: say\ndata: ${JSON.stringify(said)}\n\n`

/** A piece of the channel `a`. */
export const piece = (text: string): string => eventOf({ pieces: { a: text } })

/** What a stream of the toy format says in a channel. */
export const saidIn = (stream: string, channel = 'a'): string =>
  eventsOf(stream)
    .map(({ pieces }) => pieces?.[channel] ?? '')
    .join('')

/** The events of a stream. */
export const eventsOf = (stream: string): Said[] =>
  stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Said)

export const rejection: GuardRejection = {
  status: 403,
  body: 'not with me',
  headers: { add: [], set: [], remove: [] },
}

const scopes: ReadonlySet<TextScope> = new Set(['messages', 'toolInput'])

/** A guard that says what a function says of each text: another text, that it is rejected, or nothing. */
export const judging = (
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

/** Follows texts, and puts `[word]` in place of a word, or rejects. */
export const wordGuard = (word: string, action: 'mask' | 'reject', over: Partial<Guard> = {}): Guard => ({
  ...judging((text) => {
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
  #held: string[] = []
  /** So much of the first piece that is held belongs to a word that stands in one before it. */
  #cut = 0

  constructor(word: string, action: 'mask' | 'reject') {
    this.#word = word
    this.#action = action
  }

  push(piece: string): readonly string[] | 'reject' {
    this.#held.push(piece)
    const text = this.#held.join('').slice(this.#cut)
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
    const all = this.#held.join('')
    const out: string[] = []
    let [start, cut] = [0, this.#cut]
    for (const piece of this.#held) {
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
    this.#held = this.#held.slice(out.length)
    this.#cut = cut
    return out
  }
}

/** A question that waits for its answer. */
export interface Question {
  readonly texts: readonly string[]
  readonly signal: AbortSignal
  answer(verdict?: GuardVerdict): void
  fail(problem: Error): void
}

/** A guard that keeps what it was asked. */
export interface AskedGuard extends Guard {
  readonly questions: readonly Question[]
  at(i: number): Question
}

/** A guard that has to be asked, and answers when the test says so. */
export const askedGuard = (over: Partial<Guard> = {}): AskedGuard => {
  const questions: Question[] = []
  return {
    questions,
    at: (i) => {
      const question = questions[i]
      if (!question) throw new Error(`question ${String(i)} was not asked`)
      return question
    },
    name: 'asked',
    scopes,
    opensOnFailure: false,
    check: (_x, texts, { signal }) =>
      new Promise((answer, fail) => {
        questions.push({ texts: texts.map(({ text }) => text), signal, answer, fail })
      }),
    ...over,
  }
}

/** A client that takes down what it gets, and reads as fast as the test says. */
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

/** A guarded stream from a provider that sends what the test says to a client that it can look at. */
export const guardedStream = (over: Partial<GuardedStreamOptions> = {}, source = new ManualBody()) => {
  const settled: Checked[] = []
  const told = { over: 0, shown: '' }
  const x = over.x ?? exchange()
  const guards = over.guards ?? []
  const stream = new GuardedStream(source, {
    x,
    texts: toyTexts(),
    guards,
    kept: guards.map(() => undefined),
    streaming: windows,
    reply: undefined,
    settle: (_x, checked) => settled.push(checked),
    limitBytes: 1024 * 1024,
    encodeError: (error) => `event: error\ndata: ${JSON.stringify({ error })}\n\n`,
    shown: (events) => {
      told.shown += events.toString()
    },
    over: () => {
      told.over++
    },
    ...over,
  })
  const client = new ToyClient()
  stream.pipe(client)
  // One that is left open would keep the timer of all streams.
  after(() => x.cancel())
  return {
    x,
    source,
    stream,
    client,
    told,
    settled,
    actions: () => settled.map(({ guard, action }) => `${guard} ${action}`),
  }
}

/** The error at the end of what a client got, and what came before it. */
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

/** Lets everything happen that does not wait for anything. */
export const settle = () => new Promise((resolve) => setImmediate(resolve))
