import { openTrace } from './open-trace.ts'
import { TraceGroups } from './trace-groups.ts'
import { planTrace, type TraceOptions } from './trace-options.ts'
import { traceRecord } from './trace-record.ts'
import { traceSummary } from './trace-summary.ts'
import { interruptible } from '../interrupt.ts'
import { terminalJson } from '../output/terminal-text.ts'
import type { DividedArguments } from '../trailing-arguments.ts'
import type { TraceEvent } from '../../model/trace/trace-event.ts'

/** `agctl proxy trace`: prints the events as JSON Lines (`--raw`), or a line for each request. */
export const printTrace = async (options: TraceOptions, args: DividedArguments): Promise<void> => {
  const plan = planTrace(options, args)
  // Before there is anything to undo: a cluster that does not respond must not keep Ctrl-C from ending the program.
  const { name, events$ } = await openTrace(options, plan, (state) => {
    if (state === 'reconnecting') process.stderr.write(`connection to ${name} lost, connecting again …\n`)
  })
  await interruptible(async (signal) => {
    const groups = new TraceGroups()
    let hint = options.summary ? '' : noTerminal
    const printFinished = (event: TraceEvent) => {
      if (event.message.type === 'requestFinished') {
        process.stderr.write(hint)
        hint = ''
      }
      printSummary(groups, event)
    }
    const onEvent = options.raw ? printEvent : printFinished
    await new Promise<void>((resolve, reject) => {
      const subscription = events$.subscribe({ next: onEvent, error: reject, complete: resolve })
      const stop = () => {
        subscription.unsubscribe()
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', stop, { once: true })
      // The reader has enough: agctl proxy trace --follow --raw | head
      process.stdout.once('close', () => {
        subscription.unsubscribe()
        resolve()
      })
    })
    for (const group of groups.all)
      if (!group.isFinished) process.stdout.write(`${traceSummary(traceRecord(group.events))}\n`)
  })
}

const noTerminal = 'no terminal: these are the lines of --summary; --raw prints the events\n'

const printEvent = (event: TraceEvent): void => {
  process.stdout.write(`${terminalJson(JSON.stringify(event))}\n`)
}

const printSummary = (groups: TraceGroups, event: TraceEvent): void => {
  const group = groups.add(event)
  if (event.message.type === 'dropped')
    process.stderr.write(`${String(event.message.count)} events lost: agctl or its connection is too slow\n`)
  if (group && event.message.type === 'requestFinished')
    process.stdout.write(`${traceSummary(traceRecord(group.events))}\n`)
}
