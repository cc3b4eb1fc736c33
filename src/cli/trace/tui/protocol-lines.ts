import type { TraceRecord } from '../trace-record.ts'
import { mcpStepText } from './mcp-step-text.ts'
import { field } from './route-lines.ts'
import { durationText, type Line, line } from './span.ts'

/** The attributes of requests to language models, MCP servers and agents. */
export const protocolLines = (record: TraceRecord, columns: number): readonly Line[] => {
  const lines = [...llmLines(record, columns), ...policyEventLines(record, columns)]
  return lines.length === 0
    ? [line('This is no request to a language model, MCP server or agent.', 'dim')]
    : lines
}

const llmLines = ({ llm }: TraceRecord, columns: number): Line[] => {
  if (!llm) return []
  const { provider, model, routeType, inputFormat, upstreamFormat, isStreaming, cost } = llm
  const formats =
    inputFormat === upstreamFormat ? inputFormat : `${inputFormat}, translated to ${upstreamFormat}`
  const price = cost?.cost === undefined ? undefined : Object.entries(cost.cost)
  return [
    line('Language model', 'strong'),
    ...field('provider', provider, columns),
    ...field('model', model, columns),
    ...field(
      'request',
      [routeType, isStreaming ? 'stream' : 'no stream'].filter(Boolean).join(', '),
      columns,
    ),
    ...field('format', formats, columns),
    ...(cost === undefined
      ? []
      : field('price', `${cost.status}${cost.reason ? `: ${cost.reason}` : ''}`, columns)),
    ...(price ?? []).flatMap(([name, value]) =>
      typeof value === 'number' ? field(`  ${name}`, `$${value.toFixed(6)}`, columns) : [],
    ),
    [],
  ]
}

const policyEventLines = ({ events }: TraceRecord, columns: number): Line[] =>
  events.flatMap(({ message, eventStart, eventEnd }) => {
    if (message.type !== 'policyEvent') return []
    const time = durationText(eventStart ?? eventEnd).padStart(8)
    const took = eventStart === null ? '' : ` (${durationText(eventEnd - eventStart)})`
    if (message.kind === 'mcp')
      return field(`mcp`, `${time} ${message.details.step} ${mcpStepText(message.details)}${took}`, columns)
    if (message.kind === 'a2a' || message.kind === 'guardrail')
      return field(message.kind, `${time} ${JSON.stringify(message.details)}`, columns)
    return []
  })
