import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'

/** A request to the API server, as its audit log has it. */
export interface AuditEvent {
  readonly verb: string
  /** Absent for paths that are not about objects. */
  readonly objectRef?: {
    readonly resource?: string
    readonly apiGroup?: string
    readonly subresource?: string
    readonly namespace?: string
  }
  readonly requestURI: string
  readonly responseStatus?: { readonly code?: number; readonly message?: string }
}

/** The user that the control plane is in the cluster. */
export const CONTROLLER_USER = 'system:serviceaccount:agentgateway-system:agentgateway'

/** Flags of the API server, with which it writes down what the control plane asks of it. */
export const auditFlags = (folder: string, logs: string): readonly string[] => {
  const policyFile = join(folder, 'audit-policy.yaml')
  writeFileSync(policyFile, stringify(policy))
  return [`--audit-policy-file=${policyFile}`, `--audit-log-path=${logFile(logs)}`]
}

/** What the control plane has asked of the API server so far. */
export const readAuditLog = (logs: string): readonly AuditEvent[] =>
  readFileSync(logFile(logs), 'utf8')
    .split('\n')
    // The last line may be under way.
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AuditEvent)

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', users: [CONTROLLER_USER] }, { level: 'None' }],
}

const logFile = (logs: string): string => join(logs, 'audit.log')
