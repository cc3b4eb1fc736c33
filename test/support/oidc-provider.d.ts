declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  /** As much of it as tests use; the package has no types of its own. */
  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (req: IncomingMessage, res: ServerResponse) => Promise<void>
  }
}
