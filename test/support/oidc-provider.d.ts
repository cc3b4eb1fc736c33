declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  /** The part of it that tests use; the package has no types. */
  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (req: IncomingMessage, res: ServerResponse) => Promise<void>
  }
}
