import { readFileSync, readlinkSync } from 'node:fs'

/**
 * A socket that the process got from its parent (systemd socket activation, `sd_listen_fds(3)`): one that listens for
 * connections, or one for datagrams.
 */
export interface InheritedSocket {
  readonly fd: number
  readonly transport: 'tcp' | 'udp'
  /** `[::]:443`, `127.0.0.1:80` or `unix:/path`; undefined if it is something else that the gateway cannot serve. */
  readonly address: string | undefined
}

/** The first descriptor that is passed. */
const FIRST_FD = 3
/** A larger number is refused: the variable is wrong. */
const MAX_SOCKETS = 1_024

/** Inherited sockets, each of which serves one address once. */
export class InheritedSockets {
  readonly #sockets: InheritedSocket[]

  constructor(sockets: readonly InheritedSocket[] = []) {
    this.#sockets = [...sockets]
  }

  /**
   * Takes the socket for an address, if there is one. Without an address family of its own, `::`, a socket on every
   * IPv4 address fits too.
   *
   * @param address An IP address, or `unix:/path`.
   */
  take(
    address: string,
    port: number | undefined,
    transport: InheritedSocket['transport'],
  ): InheritedSocket | undefined {
    const fitting = address.startsWith('unix:')
      ? [address]
      : [textOf(address, port), ...(address === '::' ? [textOf('0.0.0.0', port)] : [])]
    const index = this.#sockets.findIndex(
      (socket) => socket.transport === transport && fitting.includes(socket.address ?? ''),
    )
    return index < 0 ? undefined : this.#sockets.splice(index, 1)[0]
  }

  /** Those that no address has taken. */
  get rest(): readonly InheritedSocket[] {
    return this.#sockets
  }
}

/**
 * The sockets that `LISTEN_FDS` announces to the process `LISTEN_PID`. Linux only: their addresses are read from
 * `/proc`, because Node reports nothing of a socket before it uses it.
 *
 * @throws Error if `LISTEN_FDS` is not a number.
 */
export const inheritedSockets = (
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): InheritedSockets => {
  const { LISTEN_FDS = '', LISTEN_PID } = env
  if (LISTEN_FDS === '' || Number(LISTEN_PID) !== pid) return new InheritedSockets()
  const count = Number(LISTEN_FDS)
  if (!(Number.isInteger(count) && count >= 0 && count <= MAX_SOCKETS))
    throw new Error(`LISTEN_FDS is ${LISTEN_FDS}, not a number of sockets`)
  const bound = boundSockets()
  return new InheritedSockets(
    Array.from({ length: count }, (_, i) => {
      const fd = FIRST_FD + i
      return { fd, ...(bound.get(inodeOf(fd)) ?? UNKNOWN) }
    }),
  )
}

/** What a socket is, apart from its descriptor. */
type BoundSocket = Omit<InheritedSocket, 'fd'>

const UNKNOWN: BoundSocket = { transport: 'tcp', address: undefined }

const inodeOf = (fd: number): string => {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1] ?? ''
  } catch {
    return '' // closed
  }
}

/** Listening sockets and sockets for datagrams, by inode. */
const boundSockets = (): ReadonlyMap<string, BoundSocket> =>
  new Map([
    ...[...rowsOf('tcp'), ...rowsOf('tcp6')].flatMap((row) => ipSocket(row, 'tcp', LISTEN_STATE)),
    ...[...rowsOf('udp'), ...rowsOf('udp6')].flatMap((row) => ipSocket(row, 'udp', UNCONNECTED_STATE)),
    ...rowsOf('unix').flatMap(unixSocket),
  ])

const rowsOf = (table: string): string[][] => {
  try {
    const [, ...rows] = readFileSync(`/proc/self/net/${table}`, 'utf8').split('\n')
    return rows.map((row) => row.trim().split(/\s+/))
  } catch {
    return [] // no IPv6
  }
}

const LISTEN_STATE = '0A'
/** Connected sockets get the datagrams of one peer only. */
const UNCONNECTED_STATE = '07'

/** Columns: number, local address, remote address, state, …, inode. */
const ipSocket = (
  row: readonly string[],
  transport: InheritedSocket['transport'],
  expectedState: string,
): [string, BoundSocket][] => {
  const [, local = '', , state] = row
  const [host = '', port = ''] = local.split(':')
  const inode = row[9] ?? ''
  return state === expectedState
    ? [[inode, { transport, address: textOf(hostOf(host), parseInt(port, 16)) }]]
    : []
}

/** Columns: number, references, protocol, flags, type, state, inode, path. Flag 0x10000 is listening, type 1 a stream. */
const unixSocket = (row: readonly string[]): [string, BoundSocket][] => {
  const [, , , flags = '', type, , inode = '', path = ''] = row
  const isListening = (parseInt(flags, 16) & 0x10000) !== 0
  return isListening && type === '0001' && path.startsWith('/')
    ? [[inode, { transport: 'tcp', address: `unix:${path}` }]]
    : []
}

/** The kernel prints 32-bit words in the byte order of the machine, which is little-endian wherever Node runs. */
const hostOf = (hex: string): string => {
  const bytes = Buffer.from(hex, 'hex').swap32()
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16)).join(':')
  return new URL(`http://[${groups}]`).hostname.slice(1, -1)
}

const textOf = (host: string, port: number | undefined): string =>
  `${host.includes(':') ? `[${new URL(`http://[${host}]`).hostname.slice(1, -1)}]` : host}:${port ?? ''}`
