import type { Exchange } from '../model/exchange/exchange.ts'
import { perExchange } from './per-exchange.ts'
import type { Operator } from './stage.ts'

/** Continues in an operator that depends on the exchange, such as the pipeline of the matched route. */
export const delegate = (choose: (x: Exchange) => Operator): Operator =>
  perExchange((x) => (x.reply ? undefined : choose(x)))
