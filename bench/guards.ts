/** The cost of pattern matching, compared with the same patterns in V8's own engine. */
import type { RegexRule } from '../src/operators/llm/guardrails/schema/normal-form.ts'
import { regexGuard } from '../src/operators/llm/guardrails/regex/regex-guard.ts'
import { exchange } from '../src/testing/exchange.ts'
import type { Figure } from './support/report.ts'

const RUNS = 200
const ROUNDS = 30
const CHUNKS = 500

const rejection = { status: 403, body: '', headers: { add: [], set: [], remove: [] } }
const about = { phase: 'request', kept: undefined, signal: new AbortController().signal } as const

const shapes: readonly { rule: RegexRule; native: RegExp; mask: string }[] = [
  {
    rule: { builtin: 'ssn' },
    native: /\b(?:\d{5}-\d{4}|\d{3}-\d{6}|\d{9}|\d{3}[- .]\d{2}[- .]\d{4})\b/g,
    mask: '<SSN>',
  },
  {
    rule: { builtin: 'creditCard', luhn: false },
    native: /\b(?:4\d{3}|5[0-5]\d{2}|[631]\d{3})[- ]?\d{3,4}[- ]?\d{3,4}[- ]?\d{3,5}\b/g,
    mask: '<CREDIT_CARD>',
  },
  {
    rule: { builtin: 'email' },
    native: /[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]+/g,
    mask: '<EMAIL_ADDRESS>',
  },
]

/** 4 KB of prose with a few numbers and an address in each paragraph. */
const prompt = (
  'Please summarise the letter that we had from the tenants of the second floor on 14 March, and answer it in a friendly tone. ' +
  'Order 20417 was paid with 4111 1111 1111 1111 and is to be sent to bob@example.com; the number on the form is 123-45-6789. '
)
  .repeat(20)
  .slice(0, 4_096)

export const guardFigures = (): Figure[] => {
  const x = exchange()
  const texts = [{ role: 'user', scope: 'messages', text: prompt }] as const
  const guards = shapes.map(({ rule }) => guardOf(rule))
  const [ours = NaN, native = NaN] = leastOf(
    () => guards.forEach((guard) => void guard.check(x, texts, about)),
    () => shapes.forEach(({ native: pattern, mask }) => prompt.replace(pattern, mask)),
  )
  const chunks = Array.from({ length: CHUNKS }, (_, i) => prompt.slice(i * 8, i * 8 + 8))
  const follow = (guard: ReturnType<typeof guardOf>) => () => {
    const follower = guard.follow?.()
    for (const chunk of chunks) follower?.push(chunk)
    follower?.end()
  }
  const followed = leastOf(...guards.map(follow))
  return [
    {
      name: 'guards.regex.ratio',
      value: ours / native,
      unit: '× V8',
      note: 'three guards, a prompt of 4 KB',
    },
    {
      name: 'guards.regex.us',
      value: ours / 1_000,
      unit: 'µs',
      note: `V8 takes ${(native / 1_000).toFixed(0)} µs`,
    },
    {
      name: 'guards.follow.us',
      value: Math.max(...followed) / CHUNKS / 1_000,
      unit: 'µs',
      note: 'per chunk of eight characters, the dearest of the three',
    },
  ]
}

const guardOf = (rule: RegexRule) =>
  regexGuard({ type: 'regex', action: 'mask', rules: [rule] }, rejection, new Set(['messages']))

/** The minimum of each in ns, measured in turns: disturbances only add to it. */
const leastOf = (...tasks: readonly (() => void)[]): number[] => {
  const least = tasks.map(() => Infinity)
  for (let round = 0; round < ROUNDS; round++)
    tasks.forEach((task, i) => {
      const began = process.hrtime.bigint()
      for (let run = 0; run < RUNS; run++) task()
      least[i] = Math.min(least[i] ?? Infinity, Number(process.hrtime.bigint() - began) / RUNS)
    })
  return least
}
