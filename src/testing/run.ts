import { of } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { Operator } from '../pipeline/stage.ts'

/**
 * Runs one exchange through a synchronous operator, and returns the exchange as it came out.
 *
 * @throws The fault of the operator; or an Error if the operator parked the exchange (use {@link runAsync}) or lost it.
 * @example
 * assert.equal(run(noDelete, exchange({ method: 'DELETE' })).reply?.status, 403)
 */
export const run = (operator: Operator, x: Exchange): Exchange => {
  const observed = { came: [] as Exchange[], faults: [] as unknown[], done: false }
  const running = operator(of(x)).subscribe({
    next: (out) => observed.came.push(out),
    error: (fault: unknown) => observed.faults.push(fault),
    complete: () => {
      observed.done = true
    },
  })
  if (observed.faults.length) throw observed.faults[0]
  const [came] = observed.came
  if (came) return came
  running.unsubscribe()
  throw new Error(
    observed.done
      ? 'the operator completed without its exchange'
      : 'the operator parked its exchange: use runAsync to wait for it',
  )
}

/**
 * As {@link run}, for asynchronous operators. It resolves when the exchange comes out; what follows, such as the bytes
 * of a body, continues.
 */
export const runAsync = (operator: Operator, x: Exchange): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    operator(of(x)).subscribe({
      next: resolve,
      error: reject,
      complete: () => {
        reject(new Error('the operator completed without its exchange'))
      },
    })
  })
