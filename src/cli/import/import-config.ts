import { isMap } from 'yaml'
import { CommandFailure } from '../command-failure.ts'
import { importAgentgateway } from './agentgateway/import-agentgateway.ts'
import { configDocument } from './config-document.ts'
import { importEnvoyAiGateway } from './envoy-ai-gateway/import-envoy-ai-gateway.ts'
import { type ImportFinding, ImportReport } from './import-report.ts'
import { importLitellm } from './litellm/import-litellm.ts'
import { loadableText } from './loadable-text.ts'
import { importNginx } from './nginx/import-nginx.ts'

/** Gateways whose configurations can be imported. */
export type ImportSource = 'litellm' | 'agentgateway' | 'envoy-ai-gateway' | 'nginx'

/** A configuration of this gateway, and what it does not have of the imported one. */
export interface ImportedConfig {
  /** Loads as it is, once the variables that it names are set. */
  readonly text: string
  readonly findings: readonly ImportFinding[]
}

/**
 * Converts the configuration of another gateway.
 *
 * @throws {CommandFailure} if nothing of it can be read.
 * @example
 * importConfig('nginx', 'server { listen 80; location / { return 204; } }', 'nginx.conf').text
 */
export const importConfig = (source: ImportSource, text: string, file: string): ImportedConfig => {
  const report = new ImportReport(file)
  const imported =
    source === 'agentgateway'
      ? importAgentgateway(text, report)
      : configDocument(IMPORTERS[source](text, report), report)
  const body = loadableText(imported, report)
  const { contents } = imported.document
  if (isMap(contents) && contents.items.length === 0)
    throw new CommandFailure(`${file} has nothing that this gateway knows`, {
      hint: `Is it a file of another gateway? --from says which one; here it is ${source}.`,
    })
  const header = [
    `# Imported from ${file} (${source}) by agctl config import.`,
    ...report.findings.map(
      ({ kind, line, subject, reason }) =>
        `# ${HEADINGS[kind]} (line ${String(line)}): ${subject}: ${reason}`,
    ),
  ]
  return { text: `${header.map(printable).join('\n')}\n\n${body}`, findings: report.findings }
}

const IMPORTERS = {
  litellm: importLitellm,
  'envoy-ai-gateway': importEnvoyAiGateway,
  nginx: importNginx,
} as const

const HEADINGS = { dropped: 'Not carried over', changed: 'Changed', closed: 'Closed' } as const

/** A comment is one line, whatever the imported file contains. */
const printable = (line: string): string => line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
