/** The cost of the pipeline alone: no sockets, a backend that responds immediately. */
import { map, of } from 'rxjs'
import { faultReply } from '../src/pipeline/fault-reply.ts'
import { rescue } from '../src/pipeline/rescue.ts'
import { sequence } from '../src/pipeline/sequence.ts'
import { onReply, onRequest, type Operator } from '../src/pipeline/stage.ts'
import type { Exchange } from '../src/model/exchange/exchange.ts'
import { respond } from '../src/model/exchange/reply.ts'
import { exchange } from '../src/testing/exchange.ts'
import type { Figure } from './support/report.ts'

const RUNS = 100_000
const ROUNDS = 20

const pass = onRequest('pass', () => undefined)
const stamp = onReply('stamp', () => undefined)
const answer = onRequest('answer', () => respond(200, ''))

export const pipelineFigures = (): Figure[] => {
  const stages = sequence(Array.from({ length: 8 }, () => pass))
  const maps = sequence(Array.from({ length: 8 }, () => map((x: Exchange) => x)))
  const [eight = NaN, none = NaN, mapped = NaN] = leastOf(stages, sequence([]), maps)
  const standard = sequence([
    rescue(sequence([pass, pass, pass, pass, pass, answer]), faultReply()),
    stamp,
    stamp,
  ])
  const [full = NaN] = leastOf(standard)
  return [
    {
      name: 'stage.ns',
      value: (eight - none) / 8,
      unit: 'ns',
      note: `per stage, of eight; map of rxjs: ${((mapped - none) / 8).toFixed(0)}`,
    },
    {
      name: 'pipeline.default.us',
      value: full / 1_000,
      unit: 'µs',
      note: 'five stages, rescue, a backend, two reply stages',
    },
  ]
}

/** The minimum of each, measured in turns: disturbances only add to it. */
const leastOf = (...pipelines: readonly Operator[]): number[] => {
  const least = pipelines.map(() => Infinity)
  for (let round = 0; round < ROUNDS; round++)
    pipelines.forEach((pipeline, i) => {
      least[i] = Math.min(least[i] ?? Infinity, costNs(pipeline))
    })
  return least
}

const costNs = (pipeline: Operator): number => {
  const x = exchange()
  const began = process.hrtime.bigint()
  for (let i = 0; i < RUNS; i++) {
    x.reply = undefined
    pipeline(of(x)).subscribe()
  }
  return Number(process.hrtime.bigint() - began) / RUNS
}
