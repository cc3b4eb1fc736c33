import type { Exchange } from '../model/exchange.ts'
import { each } from './each.ts'
import type { Operator } from './stage.ts'

/** Continues in an operator known only per exchange, such as the pipeline of the route it matched. */
export const delegate = (choose: (x: Exchange) => Operator): Operator =>
  each((x) => (x.reply ? undefined : choose(x)))
