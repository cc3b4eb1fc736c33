import { readFile, stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { TraceEvent } from '../../model/trace/trace-event.ts'
import { usageFailure } from '../command-failure.ts'
import { parseCurl } from '../curl/parse-curl.ts'
import { type AccessLogLine, fromAccessLog } from './from-access-log.ts'
import { fromHar, type HarFile } from './from-har.ts'
import { fromTrace } from './from-trace.ts'
import { isTraceEvent } from './is-trace-event.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { shellWords } from './shell-words.ts'

/** Longer files have to be cut first. */
const LIMIT_BYTES = 256 * 2 ** 20

/**
 * Reads recorded requests: trace events as JSON Lines (or the stream as curl prints it), lines of the JSON access log,
 * a HAR file, or lines that begin with `curl`. Other lines of a log are skipped.
 *
 * @throws CommandFailure if the file cannot be read, is too large, or has no requests.
 */
export const readRequests = async (path: string): Promise<readonly RecordedRequest[]> => {
  const content = await contentOf(path)
  const har = harOf(content)
  const requests = har ? fromHar(har) : await fromLines(content.split('\n'))
  if (requests.length > 0) return requests
  throw usageFailure(
    `${path} has no requests`,
    'Expected: trace events (agctl proxy trace --raw), JSON access log lines, a HAR file, or lines of curl',
  )
}

const contentOf = async (path: string): Promise<string> => {
  try {
    if (path === '-') return await text(process.stdin)
    const { size } = await stat(path)
    if (size <= LIMIT_BYTES) return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw usageFailure(`${path} cannot be read: ${code ?? String(error)}`)
  }
  throw usageFailure(
    `${path} is larger than ${String(LIMIT_BYTES / 2 ** 20)} MiB`,
    'split -n l/8 makes smaller ones',
  )
}

const harOf = (content: string): HarFile | undefined => {
  if (!/^\s*\{\s*"log"/.test(content)) return undefined
  const value = jsonOf(content) as Partial<HarFile> | undefined
  return Array.isArray(value?.log?.entries) ? (value as HarFile) : undefined
}

const fromLines = async (lines: readonly string[]): Promise<readonly RecordedRequest[]> => {
  const events: TraceEvent[] = []
  const requests: RecordedRequest[] = []
  for (const line of lines) {
    const trimmed = line.replace(/^data:\s*/, '').trim()
    if (trimmed.startsWith('curl ')) requests.push(await fromCurl(trimmed))
    if (!trimmed.startsWith('{')) continue
    const value = jsonOf(trimmed) as AccessLogLine | undefined
    if (!value) continue
    if (isEvent(value)) events.push(value)
    else {
      const request = fromAccessLog(value)
      if (request) requests.push(request)
    }
  }
  return [...fromTrace(events), ...requests]
}

const isEvent = (value: object): value is TraceEvent => 'requestId' in value && isTraceEvent(value)

const fromCurl = async (line: string): Promise<RecordedRequest> => {
  const [, ...args] = shellWords(line)
  const { method, url, rawHeaders, body } = await parseCurl(args)
  const headers = rawHeaders.flatMap((name, i) =>
    i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1] ?? ''] as const] : [],
  )
  return {
    method,
    url,
    headers: headers.filter(([name]) => name !== 'content-length'),
    body,
    redacted: [],
    isCut: false,
    outcome: {},
  }
}

const jsonOf = (content: string): unknown => {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}
