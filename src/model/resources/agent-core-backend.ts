/** An agent in Amazon Bedrock AgentCore Runtime: every request to it has the same path. */
export interface AgentCoreBackend {
  readonly agentRuntimeArn: string
  readonly qualifier?: string
  /** The endpoint of its region. */
  readonly target: { readonly host: string; readonly port: number }
  readonly path: string
  /** With its question mark, or empty. */
  readonly query: string
}
