import type { RawSession } from '../../model/exchange/raw-session.ts'
import type { ClientConnection } from '../../streams/http/connection/client-connection.ts'
import type { ActivePort } from '../../streams/http/port/ports.ts'
import { exchangeTask, type WorkByRequest } from './describe-exchange.ts'
import type { FoundConnection, FoundWork, ReportedConnection } from './scan-connections.ts'
import { type TaskNode, msBetween, withChildren } from './task-node.ts'
import { hostPortOrUnixText, hostPortText } from '../../protocols/ip/host-port.ts'

/** The listeners, their connections and what these do; a step for each connection. */
export function* listenerTasks(
  ports: readonly ActivePort[],
  busy: readonly FoundWork[],
  idle: readonly FoundConnection[],
  work: WorkByRequest,
  now: number,
): Generator<undefined, TaskNode[]> {
  const byPort = new Map<ActivePort, TaskNode[]>(ports.map((port) => [port, []]))
  for (const found of byConnection(busy)) {
    const tasks = found.tasks(work, now)
    // It has ended since it was found.
    if (tasks.length > 0) byPort.get(found.port)?.push(connectionTask(found.connection, tasks, now))
    yield undefined
  }
  for (const { port, connection, pendingRequests } of idle) {
    if (!connection.stream.destroyed)
      byPort
        .get(port)
        ?.push({ ...connectionTask(connection, [], now), ...waitingOf(connection, pendingRequests) })
    yield undefined
  }
  return [...byPort].map(([port, connections]) => listenerTask(port, connections))
}

interface BusyConnection {
  readonly port: ActivePort
  readonly connection: ReportedConnection
  tasks(work: WorkByRequest, now: number): TaskNode[]
}

/** Work in the order of its age, that of one connection together. */
function* byConnection(busy: readonly FoundWork[]): Generator<BusyConnection> {
  const groups = new Map<ReportedConnection, FoundWork[]>()
  for (const found of busy) {
    const group = groups.get(found.connection)
    if (group) group.push(found)
    else groups.set(found.connection, [found])
  }
  for (const [connection, [first, ...more]] of groups) {
    if (!first) continue
    const tasks = (work: WorkByRequest, now: number) =>
      [first, ...more].flatMap((found) => {
        if ('session' in found) return found.session.endedAt > 0 ? [] : [rawTask(found.session, now)]
        const { x } = found.exchange
        return x.downstream.endedAt > 0 ? [] : [exchangeTask(found.exchange, work, now)]
      })
    yield { port: first.port, connection, tasks }
  }
}

const listenerTask = (port: ActivePort, children: readonly TaskNode[]): TaskNode => {
  const { address } = port
  return {
    task: 'listener',
    name: port.key,
    address: address && hostPortOrUnixText(address),
    ...(port.isRetired && { state: 'draining' }),
    connections: port.connections.size,
    rawConnections: port.raw.size,
    ...withChildren(children),
  }
}

const connectionTask = (
  connection: ReportedConnection,
  children: readonly TaskNode[],
  now: number,
): TaskNode => {
  const { sourceAddress, sourcePort, labels, driver, tls, startedAt } = connection
  return {
    task: 'connection',
    name: sourceAddress === '' ? 'unix' : hostPortText(sourceAddress, sourcePort),
    ageMs: msBetween(startedAt, now),
    protocol: driver?.activity().protocol,
    transport: labels?.protocol,
    listener: labels?.listener,
    serverName: tls?.serverName,
    ...withChildren(children),
  }
}

const waitingOf = ({ driver, labels }: ClientConnection, pendingRequests: number): Partial<TaskNode> => {
  if (pendingRequests > 0) return { state: 'receiving a request', pendingRequests }
  if (driver) return { state: 'idle' }
  return { state: labels ? 'TLS handshake' : 'detecting the protocol' }
}

/** A connection, or a session of datagrams, that is proxied as it is. */
const rawTask = (session: RawSession, now: number): TaskNode => {
  const { labels, backend, endpoint, startedAt, upstreamStartedAt, sentBytes, reason, serverName } = session
  const isOpen = reason === 'Upstream'
  return {
    task: session.transport === 'udp' ? 'UDP session' : 'raw connection',
    name: endpoint ?? backend?.name ?? 'no upstream yet',
    ageMs: msBetween(startedAt, now),
    stage: isOpen ? 'tunnel' : 'connecting',
    stageMs: msBetween(upstreamStartedAt || startedAt, now),
    serverName,
    route: labels.route,
    target: backend?.name,
    sentBytes,
  }
}
