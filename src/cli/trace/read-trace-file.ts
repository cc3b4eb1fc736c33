import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { Observable } from 'rxjs'
import { CommandFailure } from '../command-failure.ts'
import { isTraceEvent } from '../recorded/is-trace-event.ts'
import type { TraceEvent } from '../../model/trace/trace-event.ts'

/** The events of a file, or of standard input (`-`): JSON Lines as `--raw` prints them, or server-sent events. */
export const traceFileEvents = (file: string): Observable<TraceEvent> =>
  new Observable((subscriber) => {
    const source: Readable = file === '-' ? process.stdin : createReadStream(file)
    const lines = createInterface({ input: source, crlfDelay: Infinity })
    let number = 0
    const onFailure = (reason: string, cause?: unknown) => {
      subscriber.error(new CommandFailure(`failed to read trace file ${file}: ${reason}`, { cause }))
    }
    source.once('error', (error: Error) => {
      onFailure(error.message, error)
    })
    lines.on('line', (line) => {
      number++
      const event = parseLine(line)
      if (event === 'invalid') onFailure(`line ${String(number)} is no trace event`)
      else if (event !== undefined) subscriber.next(event)
    })
    lines.once('close', () => subscriber.complete())
    return () => {
      lines.close()
      if (source !== process.stdin) source.destroy()
    }
  })

/** Undefined for lines without an event: comments, empty lines, and the head of a response that was saved with it. */
const parseLine = (line: string): TraceEvent | 'invalid' | undefined => {
  const text = line.startsWith('data:') ? line.slice('data:'.length) : line
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const event: unknown = JSON.parse(text)
    return isTraceEvent(event) ? event : 'invalid'
  } catch {
    return 'invalid'
  }
}
