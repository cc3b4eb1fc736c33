import type { Directive } from './directive.ts'

/** A `listen` directive. */
export interface ListenAddress {
  /** Undefined for all addresses. */
  readonly address: string | undefined
  readonly port: number | undefined
  readonly options: ReadonlySet<string>
}

/** Parses the arguments of `listen`; undefined if they are none that nginx takes. */
export const parseListen = ({ args }: Pick<Directive, 'args'>): ListenAddress | undefined => {
  const [written = '', ...rest] = args
  const options = new Set(rest.map((option) => option.split('=')[0] ?? ''))
  if (written.startsWith('unix:')) return { address: written, port: undefined, options }
  const match =
    /^(?:(\[[0-9a-fA-F:.]+\]|\*|[^:[\]]*[^:[\]\d][^:[\]]*|\d+\.\d+\.\d+\.\d+)(?::(\d+))?|(\d+))$/.exec(
      written,
    )
  if (!match) return undefined
  const port = Number(match[2] ?? match[3] ?? 80)
  if (port < 1 || port > 65535) return undefined
  const host = match[1]?.replaceAll(/[[\]]/g, '')
  const address = host === undefined || ALL.has(host) ? undefined : host === 'localhost' ? '127.0.0.1' : host
  return { address, port, options }
}

const ALL: ReadonlySet<string> = new Set(['*', '0.0.0.0', '::'])

/** Equal for directives that share a socket. */
export const listenKey = ({ address, port }: ListenAddress): string => `${address ?? ''} ${String(port)}`
