/** The cost of the pipeline alone: no sockets, a backend that answers at once. */
import { of } from 'rxjs'
import { faultReply } from '../src/pipeline/fault-reply.ts'
import { rescue } from '../src/pipeline/rescue.ts'
import { sequence } from '../src/pipeline/sequence.ts'
import { onReply, onRequest, type Operator } from '../src/pipeline/stage.ts'
import { respond } from '../src/model/reply.ts'
import { exchange } from '../src/testing/exchange.ts'
import { type Figure, median } from './support/report.ts'

const RUNS = 200_000

const pass = onRequest('pass', () => undefined)
const stamp = onReply('stamp', () => undefined)
const answer = onRequest('answer', () => respond(200, ''))

export const pipelineFigures = (): Figure[] => {
  const eight = median(repeat(() => costNs(sequence(Array.from({ length: 8 }, () => pass)))))
  const none = median(repeat(() => costNs(sequence([]))))
  const standard = sequence([
    rescue(sequence([pass, pass, pass, pass, pass, answer]), faultReply()),
    stamp,
    stamp,
  ])
  return [
    { name: 'stage.ns', value: (eight - none) / 8, unit: 'ns', note: 'per stage, of eight' },
    {
      name: 'pipeline.default.us',
      value: median(repeat(() => costNs(standard))) / 1_000,
      unit: 'µs',
      note: 'five stages, rescue, a backend, two reply stages',
    },
  ]
}

const repeat = (measure: () => number): number[] => Array.from({ length: 7 }, measure)

const costNs = (pipeline: Operator): number => {
  const x = exchange()
  const began = process.hrtime.bigint()
  for (let i = 0; i < RUNS; i++) {
    x.reply = undefined
    pipeline(of(x)).subscribe()
  }
  return Number(process.hrtime.bigint() - began) / RUNS
}
