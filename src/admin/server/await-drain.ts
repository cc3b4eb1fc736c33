import type { EndpointResponse } from '../endpoint.ts'

/** Resolves when a response drains or closes. */
export const drained = (res: EndpointResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    if (res.destroyed) resolve()
    else res.on('drain', done).on('close', done)
  })
