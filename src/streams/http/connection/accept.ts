import type { Duplex } from 'node:stream'
import type { CompiledListener } from '../../model/snapshot.ts'
import type { ProxyHeader } from '../../protocols/proxy-protocol/proxy-header.ts'
import type { ClientHello } from '../../protocols/tls/client-hello.ts'
import type { ClientConnection } from './client-connection.ts'
import { readFirstBytes } from './first-bytes.ts'
import type { ConnectionProtocol } from './gate.ts'
import { linger } from './linger.ts'
import type { Port } from './port.ts'
import { type Opening, recogniseOpening, recogniseProxyHeader } from './recognise.ts'
import { refuseConnection } from './refuse-connection.ts'
import { tlsFactsOf, unrecognizedNameAlert } from './tls.ts'

/** Finds out what a new connection speaks and hands it to whom it belongs; what fits nobody is closed. */
export const arrive = (port: Port, connection: ClientConnection): void => {
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
      if (opening?.kind === 'header') adopt(connection, opening.header)
      else if (opening?.kind !== 'absent' || accept.mode === 'strict') {
        connection.stream.destroy()
        return
      }
      findProtocol(port, connection)
    },
  )
}

/** The addresses that the proxy in front tells; its own if it speaks for itself. */
const adopt = (connection: ClientConnection, { source, destination }: ProxyHeader): void => {
  if (source && 'address' in source) {
    connection.sourceAddress = source.address
    connection.sourcePort = source.port
  }
  if (destination && 'address' in destination) {
    connection.destinationAddress = destination.address
    connection.destinationPort = destination.port
  }
}

const findProtocol = (port: Port, connection: ClientConnection): void => {
  const { bind } = port.served
  const { stream } = connection
  if (refuseConnection(connection, false)) return
  if (bind.resource.protocol === 'tcp') {
    // Some protocols let the server speak first: there may be nothing to look at.
    const [listener] = bind.listeners
    if (refuseConnection(connection, true)) return
    port.opened(connection, 'tcp', listener)
    port.passOn(connection, listener, stream)
    return
  }
  readFirstBytes(stream, recogniseOpening, bind.frontend.http.headersTimeoutMs, (opening) => {
    if (!opening || stream.destroyed) stream.destroy()
    else welcome(port, connection, opening)
  })
}

const welcome = (port: Port, connection: ClientConnection, opening: Opening): void => {
  const { listeners } = port.served
  const { stream } = connection
  if (opening.kind === 'tls' && listeners.hasEncrypted) startTls(port, connection, opening.hello)
  else if (opening.kind === 'http1' && listeners.hasCleartext) {
    if (refuseConnection(connection, true)) return
    port.opened(connection, 'http', undefined)
    port.http1.accept(stream, connection)
  } else if (opening.kind === 'http2' && listeners.hasCleartext) {
    if (refuseConnection(connection, true)) return
    port.opened(connection, 'http', undefined)
    port.http2.accept(stream, connection)
  } else stream.destroy()
}

const startTls = (port: Port, connection: ClientConnection, { serverName }: ClientHello): void => {
  const { listeners } = port.served
  const { stream } = connection
  const listener = listeners.encrypted(serverName ?? '')
  if (!listener) {
    stream.write(unrecognizedNameAlert)
    linger(stream)
    return
  }
  connection.listener = listener
  const protocol: ConnectionProtocol = listener.resource.protocol === 'TLS' ? 'tls' : 'https'
  port.opened(connection, protocol, listener)
  if (!listener.resource.tls) {
    if (refuseConnection(connection, true, serverName)) return
    port.passOn(connection, listener, stream, serverName)
    return
  }
  const began = performance.now()
  const terminator = port.terminators.of(listener)
  if (!terminator) {
    stream.destroy()
    return
  }
  terminator.secure(stream, (socket) => {
    if (!socket) {
      stream.destroy()
      return
    }
    if (connection.labels)
      port.serving.gate.connections?.tlsHandshake(connection.labels, (performance.now() - began) / 1000)
    connection.tls = tlsFactsOf(socket, serverName)
    socket.on('error', ignore)
    if (refuseConnection(connection, true, serverName)) return
    speak(port, connection, listener, socket)
  })
}

/** After the handshake. */
const speak = (
  port: Port,
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
