import { RawSession } from './raw-session.ts'

/** A raw TCP connection through the gateway. */
export class TcpSession extends RawSession {
  readonly transport = 'tcp'
}
