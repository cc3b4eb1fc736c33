import type { RequestContext } from '../../../upstream/mcp/transport.ts'
import type { ServerClient } from '../servers/server-client.ts'
import type { UnsolicitedRequests } from './unsolicited-requests.ts'
import type { Warm } from './warm-pool.ts'

/** A session that the gateway began with a server, for clients without sessions. */
export class WarmSession implements Warm {
  readonly server: ServerClient
  readonly unsolicited: UnsolicitedRequests
  /** The request context of its end. */
  context: RequestContext
  /** Only listing requests were sent over it. */
  isUntouched = true
  /** Called when its caller is gone and the session is as good as new; without this, it ends. */
  onRelease: ((session: WarmSession) => void) | undefined = undefined

  constructor(server: ServerClient, unsolicited: UnsolicitedRequests, context: RequestContext) {
    this.server = server
    this.unsolicited = unsolicited
    this.context = context
  }

  get isOver(): boolean {
    return this.server.isOver ?? false
  }

  /** Its caller will not use it again. */
  release(): void {
    if (this.isUntouched && this.onRelease) this.onRelease(this)
    else this.end()
  }

  end(): void {
    this.unsolicited.stop()
    this.server.close(this.context)
  }
}
