import type { EndpointResponse } from './endpoint.ts'

/** Resolves when a response takes more, or never will. */
export const drained = (res: EndpointResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    if (res.destroyed) resolve()
    else res.on('drain', done).on('close', done)
  })
