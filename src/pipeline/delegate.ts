import { mergeMap, of } from 'rxjs'
import type { Exchange } from '../model/exchange.ts'
import type { Operator } from './stage.ts'

/** Continues in an operator known only per exchange, such as the pipeline of the route it matched. */
export const delegate = (choose: (x: Exchange) => Operator): Operator =>
  mergeMap((x) => (x.reply ? of(x) : choose(x)(of(x))))
