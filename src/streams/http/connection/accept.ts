import type { Duplex } from 'node:stream'
import { TcpSession } from '../../../model/exchange/tcp-connection.ts'
import type { CompiledListener } from '../../../model/resources/snapshot.ts'
import type { ProxyHeader } from '../../../protocols/proxy-protocol/proxy-header.ts'
import type { ClientHello } from '../../../protocols/tls/client-hello.ts'
import type { ClientConnection } from './client-connection.ts'
import { logRefused } from './log-connection.ts'
import { readFirstBytes } from './peek-bytes.ts'
import type { ConnectionProtocol } from '../port/port-hooks.ts'
import { linger } from './lingering-close.ts'
import type { PortServices, RequestRules } from '../port/port-services.ts'
import type { TlsTerminators } from '../tls/terminators.ts'
import { type Opening, recogniseProtocol, recogniseProxyHeader } from './detect-protocol.ts'
import { breakOff } from '../../../upstream/connect/reset-socket.ts'
import { handshakeFailureAlert, tlsAttributesOf, unrecognizedNameAlert } from '../tls/terminator.ts'

/** The part of a port that accepting a connection uses. */
export interface AcceptingPort extends PortServices {
  readonly http1: RequestRules & ProtocolServer
  readonly http2: ProtocolServer
  readonly terminators: TlsTerminators
  /** Counts a connection whose protocol is known, and over TLS also its listener. */
  opened(
    connection: ClientConnection,
    protocol: ConnectionProtocol,
    listener: CompiledListener | undefined,
  ): void
  /** Proxies a connection as it is, by the TCP routes of a listener. */
  passOn(
    connection: ClientConnection,
    listener: CompiledListener | undefined,
    stream: Duplex,
    serverName?: string,
  ): void
}

/** Serves connections of one version of HTTP. */
interface ProtocolServer {
  accept(stream: Duplex, connection: ClientConnection): void
}

/**
 * Detects the protocol of a new connection and hands it to the server of that protocol; closes what no listener serves.
 */
export const acceptConnection = (port: AcceptingPort, connection: ClientConnection): void => {
  const { frontend, resource } = port.served.bind
  const accept =
    frontend.proxyProtocol ??
    (resource.tunnelProtocol === 'proxy' ? { version: 'all', mode: 'strict' } : undefined)
  // A tunnel's addresses are those of the connection it goes through.
  if (!accept || connection.connectHeaders) {
    findProtocol(port, connection)
    return
  }
  readFirstBytes(
    connection.stream,
    recogniseProxyHeader(accept.version),
    frontend.http.headersTimeoutMs,
    (opening) => {
      if (opening?.kind === 'header') applyProxyHeader(connection, opening.header)
      else if (opening?.kind !== 'absent' || accept.mode === 'strict') {
        closeUnserved(port, connection, 'no valid PROXY header')
        return
      }
      findProtocol(port, connection)
    },
  )
}

/** Applies the addresses of a PROXY header. A header without addresses leaves those of the proxy itself. */
const applyProxyHeader = (connection: ClientConnection, { source, destination }: ProxyHeader): void => {
  if (source && 'address' in source) {
    connection.sourceAddress = source.address
    connection.sourcePort = source.port
  }
  if (destination && 'address' in destination) {
    connection.destinationAddress = destination.address
    connection.destinationPort = destination.port
  }
}

const findProtocol = (port: AcceptingPort, connection: ClientConnection): void => {
  const { bind } = port.served
  const { stream } = connection
  if (refuseConnection(connection, false)) return
  if (bind.resource.protocol === 'tcp') {
    // In some protocols the server sends first: there may be no bytes to inspect.
    const [listener] = bind.listeners
    if (refuseConnection(connection, true)) return
    port.opened(connection, 'tcp', listener)
    port.passOn(connection, listener, stream)
    return
  }
  readFirstBytes(stream, recogniseProtocol, bind.frontend.http.headersTimeoutMs, (opening) => {
    if (!opening || stream.destroyed) closeUnserved(port, connection, 'no known protocol')
    else dispatchProtocol(port, connection, opening)
  })
}

const dispatchProtocol = (port: AcceptingPort, connection: ClientConnection, opening: Opening): void => {
  const { listeners } = port.served
  const { stream } = connection
  if (opening.kind === 'tls' && listeners.hasEncrypted) serveTls(port, connection, opening.hello)
  else if (opening.kind === 'http1' && listeners.hasCleartext) {
    if (refuseConnection(connection, true)) return
    port.opened(connection, 'http', undefined)
    port.http1.accept(stream, connection)
  } else if (opening.kind === 'http2' && listeners.hasCleartext) {
    if (refuseConnection(connection, true)) return
    port.opened(connection, 'http', undefined)
    port.http2.accept(stream, connection)
  } else closeUnserved(port, connection, `no listener for ${opening.kind}`)
}

const serveTls = (port: AcceptingPort, connection: ClientConnection, { serverName }: ClientHello): void => {
  const { listeners } = port.served
  const { stream } = connection
  const listener = listeners.encrypted(serverName ?? '')
  if (!listener) {
    const why = 'no listener for the server name'
    if (listeners.hasPassthrough) resetUnserved(port, connection, why)
    else refuseHandshake(port, connection, why, unrecognizedNameAlert)
    return
  }
  connection.listener = listener
  const protocol: ConnectionProtocol = listener.resource.protocol === 'TLS' ? 'tls' : 'https'
  port.opened(connection, protocol, listener)
  const { tls } = listener.resource
  if (!tls) {
    if (refuseConnection(connection, true, serverName)) return
    port.passOn(connection, listener, stream, serverName)
    return
  }
  if (tls.invalid !== undefined) {
    const why = `listener ${listener.resource.key} cannot terminate TLS: ${tls.invalid}`
    refuseHandshake(port, connection, why, handshakeFailureAlert)
    return
  }
  const began = performance.now()
  const terminator = port.terminators.of(listener)
  if (!terminator) {
    closeUnserved(port, connection, 'no certificate can be used')
    return
  }
  terminator.secure(stream, (socket) => {
    if (!socket) {
      closeUnserved(port, connection, 'the TLS handshake failed')
      return
    }
    if (connection.labels)
      port.serving.hooks.connections?.tlsHandshake(connection.labels, (performance.now() - began) / 1000)
    connection.tls = tlsAttributesOf(socket, serverName)
    socket.on('error', ignore)
    if (refuseConnection(connection, true, serverName)) return
    dispatchSecured(port, connection, listener, socket)
  })
}

/** Replies to a ClientHello with a fatal alert. */
const refuseHandshake = (
  port: AcceptingPort,
  connection: ClientConnection,
  why: string,
  alert: Buffer,
): void => {
  logRefused(port.serving.hooks.log, connection, why)
  connection.stream.write(alert)
  linger(connection.stream)
}

const closeUnserved = (port: AcceptingPort, connection: ClientConnection, why: string): void => {
  logRefused(port.serving.hooks.log, connection, why)
  connection.stream.destroy()
}

/** For clients that speak TLS with backends: the gateway has no say in their handshakes. */
const resetUnserved = (port: AcceptingPort, connection: ClientConnection, why: string): void => {
  logRefused(port.serving.hooks.log, connection, why)
  breakOff(connection.stream)
}

/** Dispatches a connection after its handshake. */
const dispatchSecured = (
  port: AcceptingPort,
  connection: ClientConnection,
  listener: CompiledListener,
  stream: Duplex,
): void => {
  const { tls } = connection
  if (listener.resource.protocol === 'TLS') port.passOn(connection, listener, stream, tls?.serverName)
  else if (tls?.alpn === 'h2') port.http2.accept(stream, connection)
  else port.http1.accept(stream, connection)
}

const ignore = (): void => undefined

/**
 * Applies the network authorization rules to a connection, once, and closes it if they refuse. Rules that need nothing
 * of the TLS handshake run before it, so that refused clients cost no handshake; others right after it.
 *
 * @param isComplete Whether all attributes of the connection are known.
 * @param serverName The SNI, if there was a handshake.
 * @returns Whether the connection was closed.
 */
const refuseConnection = (
  connection: ClientConnection,
  isComplete: boolean,
  serverName?: string,
): boolean => {
  const { rules, port, stream } = connection
  if (!rules || rules.beforeTls === isComplete || rules.admit(connection, serverName)) return false
  const { snapshot, bind, only } = port.served
  const { labels, frontend } = connection.listener ?? only ?? bind
  const session = new TcpSession(connection, snapshot, labels, serverName, frontend)
  session.reason = 'Authorization'
  session.code = 'network_authorization_failed'
  session.error = 'authorization failed'
  session.endedAt = performance.now()
  port.serving.hooks.rawEnded?.(session)
  stream.destroy()
  return true
}
