import { defineQuery, type Query } from '../../graph/query.ts'

/** Where a ProxyBackend is that policies can call: a host and a port, or a socket. */
export interface CallableBackend {
  readonly host?: string
  readonly port?: number
  readonly unixPath?: string
}

/**
 * The address of a ProxyBackend of kind static or a2a, by its key; undefined of others. It is not that of its translation,
 * which may depend on policies that refer to the backend itself.
 */
export const callableBackend: Query<CallableBackend | undefined> = defineQuery(
  'callableBackend',
  (reads, key) => {
    const spec = reads.object('ProxyBackend', key)?.spec
    const form = (spec?.static ?? spec?.a2a) as CallableBackend | undefined
    if (form === undefined) return undefined
    const { host, port, unixPath } = form
    return {
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port }),
      ...(unixPath === undefined ? {} : { unixPath }),
    }
  },
)
