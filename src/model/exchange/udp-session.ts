import { RawSession } from './raw-session.ts'

/** The datagrams between one address and port of a client, and the upstream that was chosen for it. */
export class UdpSession extends RawSession {
  readonly transport = 'udp'
  /** Bytes that the client has sent. */
  receivedBytes = 0
  receivedDatagrams = 0
  sentDatagrams = 0
}
