import { randomUUID } from 'node:crypto'
import { isFieldValue } from '../../http/field-syntax.ts'
import { isJsonObject } from '../../json/json-object.ts'
import type { FieldPlan } from '../open-api-tool.ts'
import { InvalidArgument } from './invalid-argument.ts'
import { bytesOf, valueText } from './value.ts'

/** The body of a request: its bytes, and their media type. */
export interface Payload {
  readonly bytes: Buffer
  readonly contentType: string
}

/** Serialises a form with files (RFC 7578): one part for each value, several for a list. */
export const multipartOf = (
  plans: ReadonlyMap<string, FieldPlan>,
  fields: readonly [string, unknown][],
): Payload => {
  // Unpredictable, so that no value can contain it.
  const boundary = `agentgateway-${randomUUID()}`
  const chunks: (string | Buffer)[] = []
  for (const [name, value] of fields)
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (one === null || one === undefined) continue
      const { filename, contentType, content } = partOf(name, plans.get(name), one)
      const file = filename === undefined ? '' : `; filename="${inQuotes(filename)}"`
      const type = contentType === undefined ? '' : `Content-Type: ${typeOf(contentType, name)}\r\n`
      const head = `Content-Disposition: form-data; name="${inQuotes(name)}"${file}\r\n${type}`
      chunks.push(`--${boundary}\r\n${head}\r\n`, content, '\r\n')
    }
  chunks.push(`--${boundary}--\r\n`)
  const bytes = Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)))
  return { bytes, contentType: `multipart/form-data; boundary=${boundary}` }
}

interface Part {
  readonly filename?: string | undefined
  readonly contentType: string | undefined
  readonly content: string | Buffer
}

const partOf = (name: string, plan: FieldPlan | undefined, value: unknown): Part => {
  const planned = plan?.contentType?.includes('*') ? undefined : plan?.contentType
  if (plan?.isFile) {
    const { data, filename, contentType } = isJsonObject(value) ? value : { data: value }
    return {
      // Servers recognise files by their filename.
      filename: typeof filename === 'string' ? filename : name,
      contentType: typeof contentType === 'string' ? contentType : (planned ?? 'application/octet-stream'),
      content: bytesOf(data, `body.${name}`),
    }
  }
  const isJson = typeof value === 'object' || (planned !== undefined && /[/+]json\b/i.test(planned))
  return {
    contentType: planned ?? (isJson ? 'application/json' : undefined),
    content: isJson ? JSON.stringify(value) : valueText(value),
  }
}

/** As browsers do: quotes and line ends are escaped, everything else is UTF-8. */
const inQuotes = (text: string): string =>
  valueText(text).replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('\0', '')

const typeOf = (contentType: string, name: string): string => {
  if (!isFieldValue(contentType)) throw new InvalidArgument(`body.${name}.contentType is no media type`)
  return contentType
}
