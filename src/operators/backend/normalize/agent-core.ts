import type { BackendPolicies } from '../../../model/resources/policies.ts'
import { publicTls } from '../../../model/resources/public-tls.ts'
import type { AgentCoreBackend } from '../../../model/resources/agent-core-backend.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'

/** The target of an Amazon Bedrock AgentCore agent. Its ARN names the partition and the region. */
export function agentCoreBackend({ agentRuntimeArn, qualifier }: File.AwsAgentCore): AgentCoreBackend {
  const [, partition = '', , region = ''] = agentRuntimeArn.split(':')
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com'
  return {
    agentRuntimeArn,
    ...(qualifier !== undefined && { qualifier }),
    target: { host: `bedrock-agentcore.${region}.${domain}`, port: 443 },
    path: `/runtimes/${encodeURIComponent(agentRuntimeArn)}/invocations`,
    query: qualifier === undefined ? '' : `?qualifier=${encodeURIComponent(qualifier)}`,
  }
}

/** Default policies: TLS, and credentials from the environment. */
export const agentCorePolicies: BackendPolicies = {
  backendTLS: publicTls,
  backendAuth: { aws: {}, credentials: [] },
}
