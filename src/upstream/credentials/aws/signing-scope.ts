import { CredentialFault } from '../credential-fault.ts'
import type { SigningScope } from './sign-request.ts'

/**
 * The region and service that requests to a host are signed for: by the policy, else by the host name; the region else
 * by the variables of the AWS tools.
 *
 * @param authority `host[:port]`
 * @throws CredentialFault if none of them gives it.
 */
export const signingScope = (
  { region, serviceName }: { readonly region?: string; readonly serviceName?: string },
  authority: string,
): SigningScope => {
  const [, label = '', named] = AWS_HOST.exec(authority) ?? []
  const service = serviceName ?? SERVICES.get(label) ?? label
  const where = region ?? named ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? ''
  if (service === '') throw missing('serviceName')
  if (where === '') throw missing('region')
  return { service, region: where }
}

/** `bedrock-runtime.eu-west-1.amazonaws.com`, `bucket.s3.us-east-1.amazonaws.com`, `x.lambda-url.us-east-1.on.aws` */
const AWS_HOST =
  /(?:^|\.)([a-z0-9-]+)\.([a-z]{2}(?:-[a-z]+)+-\d+)\.(?:amazonaws\.com(?:\.cn)?|on\.aws|api\.aws)(?::\d+)?$/

/** Signing names of services whose host names differ. */
const SERVICES: ReadonlyMap<string, string> = new Map([
  ['bedrock-runtime', 'bedrock'],
  ['bedrock-agent', 'bedrock'],
  ['bedrock-agent-runtime', 'bedrock'],
  ['lambda-url', 'lambda'],
])

const missing = (field: string): CredentialFault =>
  new CredentialFault(`backendAuth.aws needs a ${field} for this backend`, { isPermanent: true })
